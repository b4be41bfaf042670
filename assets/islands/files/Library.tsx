import { useInfiniteQuery } from "@tanstack/react-query";
import {
  type KeyboardEvent,
  type MouseEvent,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";

import { announce } from "../../shared/announce";
import { toApiError } from "../../shared/api/errors";
import { csrfCookie } from "../../shared/api/csrf";
import { t, tn } from "../../shared/i18n";
import { toast } from "../../shared/toasts";
import { Transfers } from "../../shared/uploads/transfers";
import type { Transport } from "../../shared/uploads/transport";
import { Button } from "../../shared/ui/Button";
import { ErrorPanel } from "../../shared/ui/ErrorPanel";
import { Skeleton } from "../../shared/ui/Skeleton";
import { type FileItem, type Listing, listQuery } from "./api";
import { type Target, useChanges } from "./changes";
import { CollisionDialog } from "./CollisionDialog";
import { Empty } from "./Empty";
import { type Entry, entryOfFile, entryOfFolder, uidsOf } from "./entries";
import type { EntryAction } from "./EntryMenu";
import { FileCards } from "./FileCards";
import { FileTable } from "./FileTable";
import { FolderCards } from "./FolderCards";
import { FolderDialog } from "./FolderDialog";
import { HeadActions } from "./HeadActions";
import { NewFolderDialog } from "./NewFolderDialog";
import { download, downloadArchive, focusHeading, showTitle } from "./page";
import { type Place, usePlace } from "./place";
import { PreviewDialog } from "./PreviewDialog";
import { all, extended, kept, moved, nothing, only, type Selection, toggled } from "./selection";
import { type BarAction, SelectionBar } from "./SelectionBar";
import { Crumbs, Toolbar } from "./Toolbar";
import type { ListProps } from "./types";
import { UploadList } from "./UploadList";
import { libraryTransport } from "./uploads";
import { useDrops } from "./useDrops";
import { useEntryDrag } from "./useEntryDrag";
import { useUploads } from "./useUploads";

/** PAGE of apps/files/pages/library.py. */
const FOLDERS_ON_PAGE = 50;
/** As many as the server accepts in one call. */
const MOST_SELECTED = 1000;

export type LibraryProps = {
  /** What the page lists already, and the place of it; without it, it is fetched. */
  first: Listing | null;
  firstPlace: Place;
  /** Bytes per file. */
  limit: number;
  transportFor: (target: string | null) => Transport;
};

type Asking =
  | { kind: "move" | "copy"; entries: readonly Entry[] }
  | { kind: "folder" }
  | { kind: "preview"; uid: string };

const isFile = (entry: Entry): entry is Extract<Entry, { is: "file" }> => entry.is === "file";
const isFolder = (entry: Entry): entry is Extract<Entry, { is: "folder" }> => entry.is === "folder";

/** The page that says who may open an entry. */
const sharingOf = (entry: Entry): string =>
  entry.is === "file" ? `${entry.url}#sharing` : `/files/folders/${entry.uid}/sharing`;

/** A user's folders and files. */
export function Library({ first, firstPlace, limit, transportFor }: LibraryProps) {
  const [place, go] = usePlace();
  const { folder, q, sort, view } = place;
  const asked = useMemo(() => ({ folder, q, sort }), [folder, q, sort]);
  const [loadedAt] = useState(() => Date.now());
  const isFirst =
    first !== null &&
    folder === firstPlace.folder &&
    q === firstPlace.q &&
    sort === firstPlace.sort;
  const query = useInfiniteQuery({
    ...listQuery(asked),
    ...(isFirst && {
      initialData: { pages: [first], pageParams: [null] },
      // Of very many folders the page has only the first ones.
      initialDataUpdatedAt: first.folders.length < FOLDERS_ON_PAGE ? loadedAt : 0,
    }),
    // Another order or search of the same folder: what is there stays until the answer comes.
    placeholderData: (previous, before) =>
      before?.queryKey[2].folder === folder ? previous : undefined,
  });
  const changes = useChanges(asked);

  const pages = query.data?.pages;
  const start = pages?.[0];
  const folders = useMemo(
    () => (start?.folders ?? []).map(entryOfFolder).filter(isFolder),
    [start],
  );
  const files = useMemo(
    () => (pages ?? []).flatMap((page) => page.files.map(entryOfFile)).filter(isFile),
    [pages],
  );
  const entries = useMemo<readonly Entry[]>(() => [...folders, ...files], [folders, files]);
  const order = useMemo(() => entries.map(({ uid }) => uid), [entries]);

  // The name is known before the folder has loaded.
  const names = useRef(new Map<string, string>());
  for (const one of [start?.folder, ...(start?.trail ?? []), ...(start?.folders ?? [])])
    if (one) names.current.set(one.uid, one.name);
  const top = t("My files");
  const nameOf = (uid: string | null): string =>
    uid === null ? top : (names.current.get(uid) ?? t("Folder"));
  const here: Target = { uid: folder, name: nameOf(folder) };
  const title = folder === null ? t("Files") : here.name;
  useLayoutEffect(() => showTitle(title), [title]);

  /* What is selected, and where the focus is. */
  const [chosen, setSelection] = useState<Selection>(nothing);
  const selection = useMemo(() => kept(chosen, order), [chosen, order]);
  const selected = useMemo(
    () => entries.filter(({ uid }) => selection.uids.has(uid)),
    [entries, selection],
  );
  const [wanted, setActive] = useState<string | null>(null);
  const active = wanted !== null && order.includes(wanted) ? wanted : (order[0] ?? null);
  const [renaming, setRenaming] = useState<string | null>(null);
  const [asking, setAsking] = useState<Asking | null>(null);
  const [columns, setColumns] = useState({ folders: 1, files: 1 });
  const setFolderColumns = useCallback(
    (count: number) => setColumns((before) => ({ ...before, folders: count })),
    [],
  );
  const setFileColumns = useCallback(
    (count: number) => setColumns((before) => ({ ...before, files: count })),
    [],
  );

  const lists = useRef<HTMLDivElement>(null);
  const ghost = useRef<HTMLDivElement>(null);
  const [focused, setFocused] = useState(0);
  const focusEntry = (uid: string | null): void => {
    setActive(uid);
    setFocused((count) => count + 1);
  };
  useEffect(() => {
    if (focused === 0) return;
    const row = lists.current?.querySelector<HTMLElement>(`[data-entry="${active ?? ""}"]`);
    row?.focus({ preventScroll: true });
    row?.scrollIntoView({ block: "nearest" });
    // eslint-disable-next-line react-hooks/exhaustive-deps -- once for each request
  }, [focused]);

  const count = selection.uids.size;
  const saidCount = useRef(0);
  useEffect(() => {
    if (count === saidCount.current) return;
    saidCount.current = count;
    announce(
      count === 0 ? t("Nothing selected") : tn("{count} selected", "{count} selected", count),
    );
  }, [count]);

  /* Another folder, search or order. */
  const byKeyboard = useRef(false);
  const isWaiting = query.isPlaceholderData || query.data === undefined;
  const key = JSON.stringify(asked);
  const shownKey = useRef(key);
  const shownFolder = useRef(folder);
  useEffect(() => {
    if (isWaiting || shownKey.current === key) return;
    shownKey.current = key;
    const found = start?.count ?? 0;
    if (q !== "") announce(tn("{count} file found.", "{count} files found.", found));
    else announce(`${title}. ${tn("{count} file", "{count} files", found)}`);
    if (shownFolder.current === folder) return;
    shownFolder.current = folder;
    scrollTo(0, 0);
    if (byKeyboard.current && order.length > 0) focusEntry(order[0] ?? null);
    else focusHeading();
    byKeyboard.current = false;
  }, [isWaiting, key, folder, q, start, title, order]);
  const [listed, setListed] = useState(folder);
  if (listed !== folder) {
    setListed(folder);
    setSelection(nothing);
    setActive(null);
    setRenaming(null);
    setAsking(null);
  }

  const openFolder = (uid: string | null): void => go({ folder: uid, q: "" });
  const open = (entry: Entry): void => {
    if (entry.is === "folder") openFolder(entry.uid);
    else {
      setActive(entry.uid);
      setAsking({ kind: "preview", uid: entry.uid });
    }
  };

  /* Uploads. */
  const [transfers] = useState(() => new Transfers(libraryTransport(transportFor)));
  const uploads = useUploads({
    transfers,
    transportFor,
    limit,
    onArrived: () => void changes.refresh(),
  });
  const isOver = useDrops((dropped, to) => {
    const uid = to === undefined ? folder : to || null;
    void uploads.take(dropped, { uid, name: nameOf(uid) });
  });

  /* What is done with entries. */
  const remove = (removed: readonly Entry[]): void => {
    const gone = new Set(removed.map(({ uid }) => uid));
    const index = order.findIndex((uid) => gone.has(uid));
    const left = order.filter((uid) => !gone.has(uid));
    changes.bin(removed);
    setSelection(nothing);
    if (lists.current?.contains(document.activeElement))
      focusEntry(left[Math.min(index, left.length - 1)] ?? null);
  };
  const save = (saved: readonly Entry[]): void => {
    const [entry] = saved;
    if (saved.length === 1 && entry?.is === "file") download(entry.download_url, entry.name);
    else if (saved.length > MOST_SELECTED)
      toast(
        t("Select up to {count} files and folders to download them at once.", {
          count: MOST_SELECTED,
        }),
        {
          icon: "circle-alert",
        },
      );
    else {
      const { files: fileUids, folders: folderUids } = uidsOf(saved);
      downloadArchive(fileUids, folderUids, csrfCookie() ?? "");
      announce(t("Download started."));
    }
  };
  const run = (action: EntryAction | BarAction, on: readonly Entry[]): void => {
    const [entry] = on;
    if (!entry) return;
    if (action === "open") open(entry);
    else if (action === "download") save(on);
    else if (action === "rename") setRenaming(entry.uid);
    else if (action === "share") location.assign(sharingOf(entry));
    else if (action === "bin") remove(on);
    else setAsking({ kind: action, entries: on });
  };
  const selectAll = async (): Promise<void> => {
    let uids = order;
    let { hasNextPage } = query;
    while (hasNextPage && uids.length < MOST_SELECTED) {
      const more = await query.fetchNextPage();
      if (!more.data || more.isError) break;
      uids = [
        ...folders.map(({ uid }) => uid),
        ...more.data.pages.flatMap((page) => page.files.map(({ uid }) => uid)),
      ];
      ({ hasNextPage } = more);
    }
    setSelection(all(uids.slice(0, MOST_SELECTED)));
  };
  const toggle = (entry: Entry, { shiftKey }: { shiftKey: boolean }): void => {
    setActive(entry.uid);
    setSelection(shiftKey ? extended(selection, entry.uid, order) : toggled(selection, entry.uid));
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    const { target } = event;
    if (!(target instanceof HTMLElement) || event.altKey) return;
    if (event.key === "Escape" && count > 0 && !target.closest("[role=menu]")) {
      setSelection(nothing);
      event.preventDefault();
      return;
    }
    const row = target.closest<HTMLElement>("[data-entry]");
    const entry = entries.find(({ uid }) => uid === row?.dataset["entry"]);
    if (!entry || target.closest("[role=menu], input:not([type=checkbox])")) return;
    const index = order.indexOf(entry.uid);
    const on = selection.uids.has(entry.uid) ? selected : [entry];

    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "a") void selectAll();
    else if (event.ctrlKey || event.metaKey) return;
    else if (event.key === " " && target === row) toggle(entry, event);
    else if (event.key === "Enter" && target === row) {
      byKeyboard.current = entry.is === "folder";
      open(entry);
    } else if (event.key === "F2") setRenaming(entry.uid);
    else if (event.key === "Delete") remove(on);
    else {
      const layout = {
        folders: folders.length,
        files: files.length,
        folderColumns: columns.folders,
        fileColumns: view === "grid" ? columns.files : 1,
      };
      const next = moved(event.key, index, layout);
      const uid = next === null ? undefined : order[next];
      if (uid === undefined) return;
      if (event.shiftKey)
        setSelection(extended({ ...selection, anchor: selection.anchor ?? entry.uid }, uid, order));
      focusEntry(uid);
    }
    event.preventDefault();
  };
  // Keys do the same, on the entries themselves.
  const onClick = (event: MouseEvent): void => {
    const { target } = event;
    if (!(target instanceof HTMLElement)) return;
    const row = target.closest<HTMLElement>("[data-entry]");
    const entry = entries.find(({ uid }) => uid === row?.dataset["entry"]);
    const isHeld = event.shiftKey || event.ctrlKey || event.metaKey;
    if (!entry || target.closest("button, input, label, [role=menu]")) return;
    if (target.closest("a") && !isHeld) return;
    setActive(entry.uid);
    if (event.shiftKey) setSelection(extended(selection, entry.uid, order));
    else if (event.ctrlKey || event.metaKey) setSelection(toggled(selection, entry.uid));
    else setSelection(only(entry.uid));
  };

  const onDoubleClick = ({ target }: MouseEvent): void => {
    if (!(target instanceof HTMLElement)) return;
    if (target.closest("a, button, input, label, [role=menu]")) return;
    const row = target.closest<HTMLElement>("[data-entry]");
    const entry = entries.find(({ uid }) => uid === row?.dataset["entry"]);
    if (entry) open(entry);
  };

  const dragged = (uids: readonly string[]): Entry[] =>
    entries.filter(({ uid }) => uids.includes(uid));
  const onPointerDown = useEntryDrag({
    root: lists,
    ghost,
    onStart: (uid) => {
      if (selection.uids.has(uid)) return order.filter((one) => selection.uids.has(one));
      setSelection(only(uid));
      return [uid];
    },
    labelOf: (uids) =>
      uids.length === 1
        ? (dragged(uids)[0]?.name ?? "")
        : tn("{count} item", "{count} items", uids.length),
    mayDrop: (uids, to) => to === "bin" || (!uids.includes(to) && (to || null) !== folder),
    onDrop: (uids, to) => {
      const moving = dragged(uids);
      if (to === "bin") remove(moving);
      else {
        changes.move(moving, { uid: to || null, name: nameOf(to || null) });
        setSelection(nothing);
      }
    },
  });

  const list: ListProps = {
    selection,
    active,
    renaming,
    onOpen: open,
    onToggle: toggle,
    onAction: (action, entry) => run(action, [entry]),
    onRenamed: (entry, name) => {
      setRenaming(null);
      focusEntry(entry.uid);
      if (name !== null) changes.rename(entry, name);
    },
  };
  const fileProps = {
    ...list,
    files,
    count: start?.is_count_exact ? start.count : -1,
    isSearch: q !== "",
    isMoreLoading: query.isFetchingNextPage,
    onEnd: () => {
      if (query.hasNextPage && !query.isFetchingNextPage && !query.isPlaceholderData)
        void query.fetchNextPage();
    },
    onSelectAll: (isSelected: boolean) => (isSelected ? void selectAll() : setSelection(nothing)),
  };
  const shown = asking?.kind === "preview" ? files.findIndex(({ uid }) => uid === asking.uid) : -1;
  const preview = files[shown];
  const showFile = useCallback((file: FileItem) => {
    setActive(file.uid);
    setAsking({ kind: "preview", uid: file.uid });
  }, []);
  const isEmpty = entries.length === 0;
  const error = query.error && query.data === undefined ? toApiError(query.error) : null;

  return (
    <div className={isOver ? "files__island is-over" : "files__island"}>
      <HeadActions
        onNewFolder={() => setAsking({ kind: "folder" })}
        onFiles={(chosenFiles) => void uploads.take(chosenFiles, here)}
      />
      <Crumbs trail={start?.folder ? start.trail : []} here={here} onOpen={openFolder} />
      <Toolbar place={place} name={here.name} onChange={go} />
      <UploadTarget isOver={isOver} name={here.name} />
      {error && <ErrorPanel error={error} onRetry={() => query.refetch({ throwOnError: true })} />}
      {!error && (
        <Skeleton isLoading={query.data === undefined} shapes={<Shapes />}>
          {() => (
            // The grids in it take the keys and presses of their entries.
            // eslint-disable-next-line jsx-a11y/no-static-element-interactions
            <div
              ref={lists}
              className={count > 0 ? "files__lists has-selection" : "files__lists"}
              aria-busy={query.isPlaceholderData}
              onKeyDown={onKeyDown}
              onClick={onClick}
              onDoubleClick={onDoubleClick}
              onPointerDown={onPointerDown}
              onDragStart={(event) => event.preventDefault()}
              onFocus={({ target }) => {
                const uid = target.closest<HTMLElement>("[data-entry]")?.dataset["entry"];
                if (uid !== undefined && uid !== active) setActive(uid);
              }}
            >
              {folders.length > 0 && (
                <FolderCards {...list} folders={folders} onColumns={setFolderColumns} />
              )}
              <UploadList all={uploads.all} transfers={transfers} />
              {files.length > 0 && (
                <h2 className="files__count small muted num" id="files-h">
                  {start?.is_count_exact === false
                    ? t("More than {count} files", { count: start.count })
                    : q === ""
                      ? tn("{count} file", "{count} files", start?.count ?? 0)
                      : tn("{count} file found", "{count} files found", start?.count ?? 0)}
                </h2>
              )}
              {count > 0 && (
                <SelectionBar
                  entries={selected}
                  onAction={(action) => run(action, selected)}
                  onClear={() => {
                    setSelection(nothing);
                    focusEntry(active);
                  }}
                />
              )}
              {files.length > 0 &&
                (view === "grid" ? (
                  <FileCards {...fileProps} onColumns={setFileColumns} />
                ) : (
                  <FileTable {...fileProps} />
                ))}
              {query.isFetchNextPageError && (
                <div className="notice notice--warning mt-4" role="alert">
                  <p className="notice__title">{t("The rest of the list couldn't be loaded.")}</p>
                  <div className="notice__acts">
                    <Button size="sm" onClick={() => void query.fetchNextPage()}>
                      {t("Try again")}
                    </Button>
                  </div>
                </div>
              )}
              {isEmpty && !query.isPlaceholderData && uploads.all.length === 0 && (
                <Empty q={q} isTop={folder === null} />
              )}
            </div>
          )}
        </Skeleton>
      )}
      <div ref={ghost} className="files__ghost" hidden aria-hidden="true" />

      {preview && (
        <PreviewDialog
          file={preview}
          number={shown + 1}
          count={Math.max(files.length, start?.count ?? 0)}
          previous={files[shown - 1]}
          next={files[shown + 1]}
          onShow={showFile}
          onClose={() => {
            setAsking(null);
            focusEntry(preview.uid);
          }}
        />
      )}
      {asking?.kind === "folder" && (
        <NewFolderDialog
          onCreate={async (name) => {
            const made = await changes.create(name);
            announce(t("The folder “{name}” was created.", { name: made.name }));
            setActive(made.uid);
          }}
          onClose={() => setAsking(null)}
        />
      )}
      {(asking?.kind === "move" || asking?.kind === "copy") && (
        <FolderDialog
          action={asking.kind}
          entries={asking.entries}
          here={folder}
          onChoose={(to) => {
            changes[asking.kind](asking.entries, to);
            setSelection(nothing);
          }}
          onClose={() => setAsking(null)}
        />
      )}
      {uploads.question && (
        <CollisionDialog
          key={uploads.question.names.join("/")}
          names={uploads.question.names}
          folder={uploads.question.into.name}
          onChoose={uploads.answer}
          onClose={() => uploads.answer(null)}
        />
      )}
    </div>
  );
}

/** Says where dropped files will go. */
function UploadTarget({ isOver, name }: { isOver: boolean; name: string }) {
  return (
    isOver && <p className="files__over">{t("Drop to upload to “{folder}”", { folder: name })}</p>
  );
}

function Shapes() {
  return (
    <div className="files__shapes mt-6">
      {["a", "b", "c", "d", "e", "f"].map((row) => (
        <span key={row} className="skel" />
      ))}
    </div>
  );
}
