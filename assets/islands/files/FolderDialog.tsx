import { useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";

import { t, tn } from "../../shared/i18n";
import { Button } from "../../shared/ui/Button";
import { Dialog } from "../../shared/ui/Dialog";
import { Icon } from "../../shared/ui/Icon";
import { QueryPanel } from "../../shared/ui/QueryPanel";
import { type TreeFolder, treeQuery } from "./api";
import type { Target } from "./changes";
import type { Entry } from "./entries";
import { above, type Node, visibleNodes } from "./tree";

type Props = {
  action: "move" | "copy";
  entries: readonly Entry[];
  /** The folder that is shown. */
  here: string | null;
  onChoose: (to: Target) => void;
  onClose: () => void;
};

/** Asks into which folder entries are moved or copied. */
export function FolderDialog({ action, entries, here, onChoose, onClose }: Props) {
  const query = useQuery(treeQuery);
  const [chosen, setChosen] = useState<Target | null>(null);
  const count = entries.length;
  const name = entries[0]?.name ?? "";
  const titles = {
    move:
      count === 1
        ? t("Move “{name}”", { name })
        : tn("Move {count} item", "Move {count} items", count),
    copy:
      count === 1
        ? t("Copy “{name}”", { name })
        : tn("Copy {count} item", "Copy {count} items", count),
  };
  return (
    <Dialog
      title={titles[action]}
      className="dialog--folders"
      onClose={onClose}
      actions={
        <>
          <Button look="quiet" onClick={onClose}>
            {t("Cancel")}
          </Button>
          <Button
            look="primary"
            disabled={chosen === null}
            onClick={() => {
              if (!chosen) return;
              onClose();
              onChoose(chosen);
            }}
          >
            {action === "move" ? t("Move here") : t("Copy here")}
          </Button>
        </>
      }
    >
      <QueryPanel
        query={query}
        shapes={["70%", "50%", "60%"].map((width) => (
          <span key={width} className="skel skel--line" style={{ width }} />
        ))}
      >
        {(folders) => (
          <Tree
            folders={folders}
            here={here}
            // A folder cannot go into itself, and nothing is moved to where it is.
            without={new Set(entries.filter(({ is }) => is === "folder").map(({ uid }) => uid))}
            mayChooseHere={action === "copy"}
            chosen={chosen}
            onChoose={setChosen}
          />
        )}
      </QueryPanel>
    </Dialog>
  );
}

type TreeProps = {
  folders: readonly TreeFolder[];
  here: string | null;
  without: ReadonlySet<string>;
  mayChooseHere: boolean;
  chosen: Target | null;
  onChoose: (to: Target | null) => void;
};

/** A tree of folders (ARIA Authoring Practices): arrow keys move, open and close; Enter and Space choose. */
function Tree({ folders, here, without, mayChooseHere, chosen, onChoose }: TreeProps) {
  const [open, setOpen] = useState<ReadonlySet<string | null>>(
    () => new Set([null, here, ...above(folders, here)]),
  );
  const [active, setActive] = useState<string | null>(null);
  const root = useRef<HTMLDivElement>(null);
  const nodes = visibleNodes(
    folders.filter(({ uid }) => !without.has(uid)),
    open,
    t("My files"),
  );
  useEffect(() => {
    // Once the folders have arrived in a dialog that is open already.
    if (root.current?.closest("dialog")?.open)
      root.current.querySelector<HTMLElement>("[data-autofocus]")?.focus();
  }, []);
  const isChoosable = (node: Node): boolean => mayChooseHere || node.uid !== here;

  const focus = (node: Node | undefined): void => {
    if (!node) return;
    setActive(node.uid);
    root.current?.querySelector<HTMLElement>(`[data-node="${node.uid ?? ""}"]`)?.focus();
  };
  const setIsOpen = ({ uid }: Node, isOpen: boolean): void => {
    const next = new Set(open);
    if (isOpen) next.add(uid);
    else next.delete(uid);
    setOpen(next);
  };
  const choose = (node: Node): void => {
    setActive(node.uid);
    if (isChoosable(node)) onChoose({ uid: node.uid, name: node.name });
  };
  const onKeyDown = (event: KeyboardEvent, node: Node, index: number): void => {
    const isOpen = open.has(node.uid);
    if (event.key === "ArrowDown") focus(nodes[index + 1]);
    else if (event.key === "ArrowUp") focus(nodes[index - 1]);
    else if (event.key === "Home") focus(nodes[0]);
    else if (event.key === "End") focus(nodes.at(-1));
    else if (event.key === "ArrowRight") {
      if (node.hasChildren && !isOpen) setIsOpen(node, true);
      else if (node.hasChildren) focus(nodes[index + 1]);
    } else if (event.key === "ArrowLeft") {
      if (node.hasChildren && isOpen) setIsOpen(node, false);
      else focus(nodes.find(({ uid }) => uid === node.parent && node.uid !== null));
    } else if (event.key === "Enter" || event.key === " ") choose(node);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className="tree" role="tree" aria-label={t("Target folder")} ref={root}>
      {nodes.map((node, index) => (
        <div
          key={node.uid ?? ""}
          className="tree__node"
          role="treeitem"
          data-node={node.uid ?? ""}
          style={{ paddingInlineStart: `${(node.level - 1) * 1.25}rem` }}
          aria-level={node.level}
          aria-expanded={node.hasChildren ? open.has(node.uid) : undefined}
          aria-selected={chosen !== null && chosen.uid === node.uid}
          aria-disabled={!isChoosable(node) || undefined}
          tabIndex={node.uid === active ? 0 : -1}
          data-autofocus={node.uid === null ? "" : undefined}
          onClick={() => choose(node)}
          onKeyDown={(event) => onKeyDown(event, node, index)}
        >
          {/* For the mouse alone: keys open and close the node itself. */}
          <span
            className="tree__twist"
            aria-hidden="true"
            onClick={(event) => {
              if (!node.hasChildren) return;
              event.stopPropagation();
              setIsOpen(node, !open.has(node.uid));
            }}
          >
            {node.hasChildren && <Icon name="chevron-right" />}
          </span>
          <Icon name={open.has(node.uid) && node.hasChildren ? "folder-open" : "folder"} />
          <span className="tree__name">{node.name}</span>
          {!isChoosable(node) && <span className="small faint">{t("Current folder")}</span>}
        </div>
      ))}
    </div>
  );
}
