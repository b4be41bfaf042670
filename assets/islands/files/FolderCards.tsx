import { Fragment, useEffect, useRef } from "react";

import { t, tn } from "../../shared/i18n";
import { Icon } from "../../shared/ui/Icon";
import type { Entry } from "./entries";
import { EntryMenu } from "./EntryMenu";
import { EntryName } from "./EntryName";
import { SelectBox } from "./SelectBox";
import type { ListProps } from "./types";
import { rem, useColumns, useRows } from "./useRows";

type Props = ListProps & {
  folders: readonly Extract<Entry, { is: "folder" }>[];
  onColumns: (columns: number) => void;
};

const CARD = 66;

/** The folders as cards, on which entries and files from the desktop can be dropped. */
export function FolderCards(props: Props) {
  const { folders, active, renaming, onColumns } = props;
  const root = useRef<HTMLDivElement>(null);
  const columns = useColumns(root, (width) => Math.min(width, rem(13)), rem(0.75));
  useEffect(() => onColumns(columns), [columns, onColumns]);
  const rowOf = (uid: string | null): number =>
    Math.floor(folders.findIndex((folder) => folder.uid === uid) / columns);
  const { rows, after, measure } = useRows({
    root,
    count: Math.ceil(folders.length / columns),
    height: CARD,
    gap: rem(0.75),
    pinned: [rowOf(active), rowOf(renaming)],
  });
  return (
    <section className="mt-6" aria-labelledby="folders-h">
      <h2 className="small muted" id="folders-h">
        {t("Folders")}
      </h2>
      <div
        className="folderrows mt-2"
        ref={root}
        role="grid"
        aria-labelledby="folders-h"
        aria-multiselectable="true"
        aria-rowcount={Math.ceil(folders.length / columns)}
      >
        {rows.map(({ index, before }) => (
          <Fragment key={index}>
            {before > 0 && <div aria-hidden="true" style={{ height: before }} />}
            <div
              ref={measure}
              data-index={index}
              className="folderrow"
              role="row"
              aria-rowindex={index + 1}
              style={{ gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}
            >
              {folders.slice(index * columns, (index + 1) * columns).map((folder) => (
                <div
                  key={folder.uid}
                  className="folder"
                  role="gridcell"
                  data-entry={folder.uid}
                  data-drop={folder.uid}
                  aria-selected={props.selection.uids.has(folder.uid)}
                  tabIndex={active === folder.uid ? 0 : -1}
                >
                  <Icon name="folder" className="folder__icon" />
                  <Icon name="folder-open" className="folder__icon folder__icon--open" />
                  <EntryName {...props} entry={folder} className="clip" />
                  <span className="small muted num">
                    {tn("{count} file", "{count} files", folder.file_count)}
                    {folder.sharing.kind !== "private" && `, ${folder.sharing.label}`}
                  </span>
                  <div className="folder__acts">
                    <SelectBox {...props} entry={folder} />
                    <EntryMenu
                      entry={folder}
                      isActive={active === folder.uid}
                      onChoose={(action) => props.onAction(action, folder)}
                    />
                  </div>
                </div>
              ))}
            </div>
          </Fragment>
        ))}
        {after > 0 && <div aria-hidden="true" style={{ height: after }} />}
      </div>
    </section>
  );
}
