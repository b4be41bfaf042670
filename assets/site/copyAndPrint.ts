/** Buttons that copy an element (`data-copy="id"`) or print the page (`data-print`). */
import { announce } from "../shared/announce";

/** The text of an element; of a list, one line for each item. */
function textOf(element: HTMLElement): string {
  const items = [...element.querySelectorAll("li")];
  if (items.length === 0) return element.textContent.trim();
  return items.map((item) => item.textContent.trim()).join("\n");
}

async function copy(button: HTMLElement): Promise<void> {
  const source = document.getElementById(button.dataset.copy ?? "");
  if (!source) return;
  try {
    await navigator.clipboard.writeText(textOf(source));
  } catch {
    // No clipboard access: select the text, so that one key copies it.
    getSelection()?.selectAllChildren(source);
    return;
  }
  announce(button.dataset.copied ?? "");
  const label = button.lastChild;
  if (label) label.textContent = button.dataset.copied ?? "";
}

/** Start the copy and print buttons of the page. */
export function startCopyAndPrint(): void {
  document.addEventListener("click", ({ target }) => {
    const button =
      target instanceof Element ? target.closest<HTMLElement>("[data-copy], [data-print]") : null;
    if (button?.dataset.copy) void copy(button);
    else if (button) print();
  });
}
