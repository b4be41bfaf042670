import { type KeyboardEvent, useEffect, useRef, useState, useSyncExternalStore } from "react";

import type { Tool } from "../editor/editing";
import type { LiveTools } from "../editor/surface";
import { t } from "../i18n";
import type { IconName } from "../iconNames";
import { toast } from "../toasts";
import { whenIdle } from "../whenIdle";
import { Icon } from "../ui/Icon";
import { onDemand } from "../ui/onDemand";
import { capsOf, isMac } from "./keys";

const TableMenu = onDemand(() => import("./TableMenu").then((module) => module.TableMenu));

type Props = {
  /** The id of the textarea. */
  controls: string;
  isDisabled: boolean;
  onTool: (tool: Tool) => void;
  onFiles: () => void;
  live: LiveTools | null;
  /** Whether only what stands within a line is offered. */
  isLine?: boolean;
};

type Item = { tool: Tool; icon: IconName; label: () => string; gap?: boolean };

const allItems: Item[] = [
  { tool: "bold", icon: "bold", label: () => t("Bold") },
  { tool: "italic", icon: "italic", label: () => t("Italic") },
  { tool: "heading", icon: "heading-2", label: () => t("Heading"), gap: true },
  { tool: "list", icon: "list", label: () => t("List") },
  { tool: "numbers", icon: "list-ordered", label: () => t("Numbered list") },
  { tool: "quote", icon: "text-quote", label: () => t("Quote") },
  { tool: "callout", icon: "info", label: () => t("Callout") },
  { tool: "code", icon: "code", label: () => t("Code"), gap: true },
  { tool: "formula", icon: "sigma", label: () => t("Formula") },
  { tool: "link", icon: "link", label: () => t("Link") },
  { tool: "table", icon: "table", label: () => t("Table") },
];

const withinLine = new Set<Tool>(["bold", "italic", "code", "formula", "link"]);
const lineItems = allItems.filter(({ tool }) => withinLine.has(tool));

/** A toolbar (ARIA Authoring Practices): one stop of the Tab key, arrow keys within. */
export function Toolbar({ controls, isDisabled, onTool, onFiles, live, isLine = false }: Props) {
  const items = isLine ? lineItems : allItems;
  const isInTable = useIsInTable(live);
  const [at, setAt] = useState(0);
  const bar = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (live && !isLine) whenIdle(() => void TableMenu.fetch());
  }, [isLine, live]);

  const onKeyDown = (event: KeyboardEvent): void => {
    const last = items.length;
    const moves: Record<string, number> = {
      ArrowRight: at === last ? 0 : at + 1,
      ArrowLeft: at === 0 ? last : at - 1,
      Home: 0,
      End: last,
    };
    const next = moves[event.key];
    if (next === undefined) return;
    event.preventDefault();
    setAt(next);
    stopsOf(bar.current)[next]?.focus();
  };
  const common = (index: number) =>
    ({
      type: "button",
      className: "icon-btn icon-btn--sm",
      tabIndex: index === at ? 0 : -1,
      disabled: isDisabled,
    }) as const;

  return (
    <div
      ref={bar}
      className="composer__bar"
      role="toolbar"
      aria-label={t("Formatting")}
      aria-controls={controls}
      onKeyDown={onKeyDown}
      onFocus={({ target }) => {
        const index = stopsOf(bar.current).indexOf(target);
        if (index >= 0) setAt(index);
      }}
    >
      {items.map(({ tool, icon, label, gap }, index) =>
        tool === "table" && live && isInTable ? (
          <TableMenu
            key={tool}
            live={live}
            tabIndex={index === at ? 0 : -1}
            instead={({ hasFailed, onRetry }) => (
              <button
                {...common(index)}
                aria-label={label()}
                aria-busy={!hasFailed}
                onClick={() => {
                  if (hasFailed) toast(t("The menu of the table could not be loaded."));
                  onRetry();
                }}
              >
                <Icon name={icon} />
              </button>
            )}
          />
        ) : (
          <button
            key={tool}
            {...common(index)}
            className={`icon-btn icon-btn--sm${gap ? " composer__gap" : ""}`}
            aria-label={label()}
            title={nameOf(tool, label())}
            onClick={() => onTool(tool)}
          >
            <Icon name={icon} />
          </button>
        ),
      )}
      <button
        {...common(items.length)}
        aria-label={t("Image or file")}
        title={t("Image or file")}
        onClick={onFiles}
      >
        <Icon name="image-plus" />
      </button>
    </div>
  );
}

/** The buttons in order. */
const stopsOf = (bar: HTMLElement | null): HTMLElement[] => [
  ...(bar?.querySelectorAll<HTMLElement>(":scope > button, :scope > .menu > button") ?? []),
];

const never = (): (() => void) => () => undefined;

/** Whether the caret is in a table of the live editor. */
function useIsInTable(live: LiveTools | null): boolean {
  return useSyncExternalStore(live?.subscribe ?? never, () => live?.isInTable() ?? false);
}

/** "Bold (Ctrl+B)"; only the name of a tool without keys. */
function nameOf(tool: Tool, label: string): string {
  const caps = capsOf(tool);
  return caps.length > 0 ? `${label} (${caps.join(isMac() ? "" : "+")})` : label;
}
