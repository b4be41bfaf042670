/** Codes that are shown once: copied or printed by a press. */
import { announce } from "../shared/announce";

/** The text of an element, a line for each item of a list. */
function textOf(element: HTMLElement): string {
  const items = [...element.querySelectorAll("li")];
  if (items.length === 0) return element.textContent.trim();
  return items.map((item) => item.textContent.trim()).join("\n");
}

async function copy(button: HTMLElement, root: Document): Promise<void> {
  const source = root.getElementById(button.dataset.copy ?? "");
  if (!source) return;
  try {
    await navigator.clipboard.writeText(textOf(source));
  } catch {
    // No clipboard here: marked, so that one key copies it.
    getSelection()?.selectAllChildren(source);
    return;
  }
  announce(button.dataset.copied ?? "");
  const label = button.lastChild;
  if (label) label.textContent = button.dataset.copied ?? "";
}

export function startKeeping(root: Document): void {
  for (const button of root.querySelectorAll<HTMLElement>("[data-copy]"))
    button.addEventListener("click", () => void copy(button, root));
  for (const button of root.querySelectorAll<HTMLElement>("[data-print]"))
    button.addEventListener("click", () => print());
}
