/** What the lists of entries need from the page. */
import type { MouseEvent } from "react";

import type { EntryAction } from "./EntryMenu";
import type { Entry } from "./entries";
import type { Selection } from "./selection";

export type ListProps = {
  selection: Selection;
  /** The entry that Tab reaches. */
  active: string | null;
  /** The entry whose name is being edited. */
  renaming: string | null;
  onOpen: (entry: Entry) => void;
  onToggle: (entry: Entry, event: Pick<MouseEvent, "shiftKey">) => void;
  onAction: (action: EntryAction, entry: Entry) => void;
  onRenamed: (entry: Entry, name: string | null) => void;
};

/** Whether a click opens a link as the browser does: in a new tab, or saved. */
export const isForBrowser = (event: MouseEvent): boolean =>
  event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0;
