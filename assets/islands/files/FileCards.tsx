import { Fragment, useEffect, useRef } from "react";

import { bytes, relativeTime } from "../../shared/format";
import { Icon } from "../../shared/ui/Icon";
import { EntryMenu } from "./EntryMenu";
import { EntryName } from "./EntryName";
import type { FilesProps } from "./FileTable";
import { iconOf } from "./kinds";
import { ScanBadge } from "./ScanBadge";
import { SelectBox } from "./SelectBox";
import { rem, useColumns, useEnd, useRows } from "./useRows";

type Props = FilesProps & { onColumns: (columns: number) => void };

const CARD = 190;

/** The files as cards. Only the rows in view exist. */
export function FileCards(props: Props) {
  const { files, count, active, renaming, onColumns } = props;
  const root = useRef<HTMLDivElement>(null);
  const columns = useColumns(root, (width) => Math.min(0.47 * width, rem(10)), rem(1));
  useEffect(() => onColumns(columns), [columns, onColumns]);
  const rowOf = (uid: string | null): number =>
    Math.floor(files.findIndex((file) => file.uid === uid) / columns);
  const lines = Math.ceil(files.length / columns);
  const { rows, after, measure, last } = useRows({
    root,
    count: lines,
    height: CARD,
    gap: rem(1),
    pinned: [rowOf(active), rowOf(renaming)],
  });
  useEnd((last + 1) * columns, files.length, props.onEnd);

  return (
    <div
      className="filerows mt-2"
      ref={root}
      role="grid"
      aria-labelledby="files-h"
      aria-multiselectable="true"
      aria-rowcount={count < 0 ? -1 : Math.ceil(count / columns)}
    >
      {rows.map(({ index, before }) => (
        <Fragment key={index}>
          {before > 0 && <div aria-hidden="true" style={{ height: before }} />}
          <div
            ref={measure}
            data-index={index}
            className="filerow"
            role="row"
            aria-rowindex={index + 1}
            style={{ gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}
          >
            {files.slice(index * columns, (index + 1) * columns).map((file) => (
              <div
                key={file.uid}
                className="filecard"
                role="gridcell"
                data-entry={file.uid}
                aria-selected={props.selection.uids.has(file.uid)}
                tabIndex={active === file.uid ? 0 : -1}
              >
                <SelectBox {...props} entry={file} />
                <span className="filecard__pic">
                  {file.thumbnail ? (
                    <img src={file.thumbnail} alt="" draggable={false} />
                  ) : (
                    <Icon name={iconOf(file.kind)} />
                  )}
                </span>
                <EntryName {...props} entry={file} className="clip file__name filecard__name" />
                <ScanBadge scan={file.scan} />
                <span className="small muted num">
                  {bytes(file.size)}, {relativeTime(file.modified_at)}
                </span>
                <div className="filecard__acts">
                  <EntryMenu
                    entry={file}
                    isActive={active === file.uid}
                    onChoose={(action) => props.onAction(action, file)}
                  />
                </div>
              </div>
            ))}
          </div>
        </Fragment>
      ))}
      {props.isMoreLoading && <span className="skel skel--line" aria-hidden="true" />}
      {after > 0 && <div aria-hidden="true" style={{ height: after }} />}
    </div>
  );
}
