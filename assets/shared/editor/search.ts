/** Find and replace, fetched when it is opened. The browser's own search sees only the part of a long text that is drawn. */
import {
  closeSearchPanel,
  findNext,
  findPrevious,
  openSearchPanel,
  search,
  searchPanelOpen,
} from "@codemirror/search";
import { EditorState, StateEffect } from "@codemirror/state";
import { type EditorView, keymap } from "@codemirror/view";

import { t } from "../i18n";

/** The words of the package → ours. */
const phrases = (): Record<string, string> => ({
  Find: t("Find"),
  Replace: t("Replace with"),
  next: t("Next"),
  previous: t("Previous"),
  all: t("Select all"),
  "match case": t("Match case"),
  "by word": t("Whole words"),
  regexp: t("Pattern"),
  replace: t("Replace"),
  "replace all": t("Replace all"),
  close: t("Close"),
  "current match": t("current match"),
  "replaced $ matches": t("$ matches replaced"),
  "replaced match on line $": t("Match on line $ replaced"),
  "on line": t("on line"),
});

const prepared = new WeakSet<EditorView>();

/** Open the panel above the text; its field is focused. */
export function openSearchIn(view: EditorView): void {
  if (!prepared.has(view)) {
    prepared.add(view);
    view.dispatch({
      effects: StateEffect.appendConfig.of([
        search({ top: true }),
        EditorState.phrases.of(phrases()),
        keymap.of([
          { key: "F3", run: findNext, shift: findPrevious, scope: "editor search-panel" },
          { key: "Mod-g", run: findNext, shift: findPrevious, scope: "editor search-panel" },
          {
            key: "Escape",
            run: (opened) => searchPanelOpen(opened.state) && closeSearchPanel(opened),
            scope: "editor search-panel",
          },
        ]),
      ]),
    });
  }
  openSearchPanel(view);
}
