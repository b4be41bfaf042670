import { expect, it } from "vitest";

import type { OutlineCalls } from "./outlineCalls";
import { startOutlineEditor } from "./outlineEditor";

const neverAnswers = (): Promise<never> => new Promise(() => undefined);

function openOutline(): HTMLElement {
  document.body.innerHTML = `<div data-lectures><div data-undo-line></div><div data-outline data-outline="e1">
    <section data-section="s"><details open><summary><b data-title>Downhill</b></summary>
    <ol data-lessons="s"><li data-lesson="l"><span data-row-text><a data-title href="#l">Spring</a></span></li></ol>
    </details></section></div></div>`;
  const [grid, outline] = [
    ...document.querySelectorAll<HTMLElement>("[data-lectures], [data-outline]"),
  ];
  startOutlineEditor(grid!, outline!, { renameSection: neverAnswers } as unknown as OutlineCalls, {
    onRenameLesson: neverAnswers,
    onChanged: () => undefined,
    onShown: () => undefined,
    onGone: () => undefined,
  });
  return outline!;
}

const press = (target: Element, key: string): boolean =>
  target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));

/** Type as a keyboard does: each key goes to what has the focus at that moment, without a pause. */
function type(text: string): void {
  for (const key of text) {
    const field = document.activeElement;
    if (!press(field ?? document.body, key) || !(field instanceof HTMLInputElement)) continue;
    field.setRangeText(key, field.selectionStart ?? 0, field.selectionEnd ?? 0, "end");
  }
}

it.each([
  ["a lesson by F2", "li [data-title]", "F2"],
  ["a lesson by a double click", "[data-row-text]", ""],
  ["a section by F2", "summary", "F2"],
  ["a section by a double click", "summary [data-title]", ""],
])("what is typed at once renames %s", (_name, where, key) => {
  const at = openOutline().querySelector<HTMLElement>(where)!;
  at.tabIndex = 0;
  at.focus();
  if (key) press(at, key);
  else at.dispatchEvent(new MouseEvent("dblclick", { bubbles: true }));
  type("Wet sand");
  press(document.activeElement!, "Enter");

  const row = at.closest<HTMLElement>("[data-lesson], [data-section]")!;
  expect(row.querySelector("[data-title]")?.textContent).toBe("Wet sand");
});
