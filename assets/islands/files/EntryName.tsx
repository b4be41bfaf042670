import type { ReactNode } from "react";

import type { Entry } from "./entries";
import { NameField } from "./NameField";
import { isForBrowser, type ListProps } from "./types";

type Props = Pick<ListProps, "active" | "renaming" | "onOpen" | "onRenamed"> & {
  entry: Entry;
  className: string;
  children?: ReactNode;
};

/** The name of an entry as the link that opens it, or as a field while it is renamed. */
export function EntryName({
  entry,
  active,
  renaming,
  onOpen,
  onRenamed,
  className,
  children,
}: Props) {
  if (renaming === entry.uid)
    return (
      <NameField
        name={entry.name}
        isFile={entry.is === "file"}
        onDone={(name) => onRenamed(entry, name)}
      />
    );
  return (
    <a
      className={className}
      href={entry.is === "file" ? entry.url : `/files/?folder=${entry.uid}`}
      tabIndex={active === entry.uid ? 0 : -1}
      draggable={false}
      data-no-preload=""
      onClick={(event) => {
        event.preventDefault();
        // With a key held, a click selects, as it does anywhere on the entry.
        if (!isForBrowser(event)) onOpen(entry);
      }}
    >
      {entry.name}
      {children}
    </a>
  );
}
