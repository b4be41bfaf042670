import { useRef } from "react";

import { bytes, longDate, relativeTime } from "../../shared/format";
import { t } from "../../shared/i18n";
import { Icon } from "../../shared/ui/Icon";
import type { Entry } from "./entries";
import { EntryMenu } from "./EntryMenu";
import { EntryName } from "./EntryName";
import { iconOf } from "./kinds";
import { SharedBadge } from "./SharedBadge";
import { ScanBadge } from "./ScanBadge";
import { SelectBox } from "./SelectBox";
import type { ListProps } from "./types";
import { useEnd, useRows } from "./useRows";

export type FilesProps = ListProps & {
  files: readonly Extract<Entry, { is: "file" }>[];
  /** How many there are, of which the first ones are loaded; -1 if nobody has counted them. */
  count: number;
  /** Whether they come from several folders. */
  isSearch: boolean;
  isMoreLoading: boolean;
  onEnd: () => void;
  onSelectAll: (isSelected: boolean) => void;
};

const ROW = 65;

/** The files as a table. Only the rows in view exist. */
export function FileTable(props: FilesProps) {
  const { files, count, selection, active, renaming, isMoreLoading, onSelectAll } = props;
  const body = useRef<HTMLTableSectionElement>(null);
  const at = (uid: string | null): number => files.findIndex((file) => file.uid === uid);
  const { rows, after, measure, last } = useRows({
    root: body,
    count: files.length,
    height: ROW,
    pinned: [at(active), at(renaming)],
  });
  useEnd(last, files.length, props.onEnd);

  const isAll = files.length > 0 && files.every(({ uid }) => selection.uids.has(uid));
  const isSome = !isAll && files.some(({ uid }) => selection.uids.has(uid));
  return (
    <table
      className="table files__table files__table--files mt-2"
      // A table whose rows can be selected is a grid: ARIA in HTML allows the role.
      // eslint-disable-next-line jsx-a11y/no-noninteractive-element-to-interactive-role
      role="grid"
      aria-labelledby="files-h"
      aria-multiselectable="true"
      aria-rowcount={count < 0 ? -1 : count + 1}
    >
      <thead>
        <tr aria-rowindex={1}>
          <th scope="col">
            <label className="check">
              <input
                type="checkbox"
                checked={isAll}
                ref={(box) => {
                  if (box) box.indeterminate = isSome;
                }}
                onChange={() => onSelectAll(!isAll)}
              />
              <span className="vh">{t("Select all files")}</span>
            </label>
          </th>
          <th scope="col">{t("Name")}</th>
          <th scope="col" className="files__type hide-s">
            {t("Type")}
          </th>
          <th scope="col" className="files__size n hide-s">
            {t("Size")}
          </th>
          <th scope="col" className="files__shared hide-s">
            {t("Shared")}
          </th>
          <th scope="col" className="files__time hide-s">
            {t("Modified")}
          </th>
          <th scope="col">
            <span className="vh">{t("Actions")}</span>
          </th>
        </tr>
      </thead>
      <tbody ref={body}>
        {rows.map(({ index, before }) => {
          const file = files[index];
          if (!file) return null;
          return (
            <FileRow
              key={file.uid}
              {...props}
              file={file}
              index={index}
              before={before}
              measure={measure}
            />
          );
        })}
        {isMoreLoading && (
          <tr>
            <td colSpan={7}>
              <span className="skel skel--line" aria-hidden="true" />
              <span className="vh">{t("Loading more files")}</span>
            </td>
          </tr>
        )}
        {after > 0 && <Space height={after} />}
      </tbody>
    </table>
  );
}

type RowProps = ListProps & {
  isSearch: boolean;
  file: Extract<Entry, { is: "file" }>;
  index: number;
  before: number;
  measure: (row: HTMLTableRowElement | null) => void;
};

function FileRow({ file, index, before, measure, isSearch, ...list }: RowProps) {
  const isActive = list.active === file.uid;
  return (
    <>
      {before > 0 && <Space height={before} />}
      <tr
        ref={measure}
        data-index={index}
        data-entry={file.uid}
        aria-rowindex={index + 2}
        aria-selected={list.selection.uids.has(file.uid)}
        tabIndex={isActive ? 0 : -1}
      >
        <td>
          <SelectBox {...list} entry={file} />
        </td>
        <td>
          <div className="file">
            <span className="file__thumb">
              {file.thumbnail ? (
                <img src={file.thumbnail} alt="" width="44" height="44" draggable={false} />
              ) : (
                <Icon name={iconOf(file.kind)} className="i--lg" />
              )}
            </span>
            <EntryName {...list} entry={file} className="file__name">
              {" "}
              <ScanBadge scan={file.scan} />
              {isSearch && file.folder && (
                <span className="small muted file__facts">
                  {t("in {folder}", { folder: file.folder.name })}
                </span>
              )}
              <span className="small muted num hide-l file__facts">
                {bytes(file.size)}, {relativeTime(file.modified_at)}
              </span>
            </EntryName>
          </div>
        </td>
        <td className="files__type hide-s">{file.kind_label}</td>
        <td className="n hide-s num">{bytes(file.size)}</td>
        <td className="files__shared hide-s">
          <SharedBadge file={file} />
        </td>
        <td className="nowrap hide-s">
          <time dateTime={file.modified_at} title={longDate(file.modified_at)}>
            {relativeTime(file.modified_at)}
          </time>
        </td>
        <td>
          <EntryMenu
            entry={file}
            isActive={isActive}
            onChoose={(action) => list.onAction(action, file)}
          />
        </td>
      </tr>
    </>
  );
}

/** The height of the rows that are out of view. */
function Space({ height }: { height: number }) {
  return (
    <tr aria-hidden="true" className="files__space">
      <td colSpan={7} style={{ height }} />
    </tr>
  );
}
