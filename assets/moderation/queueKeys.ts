/** Keyboard shortcuts of a queue: J and K for the next and the previous row, and [data-key] of the buttons. */
import { t } from "../shared/i18n";
import { registerShortcuts, type Shortcut } from "../shared/shortcuts";

/** Register the shortcuts of the queue in `root`. Returns a function that removes them. */
export function startQueueKeys(
  root: ParentNode,
  open: (address: string) => void = openPage,
): () => void {
  const rows = [...root.querySelectorAll<HTMLAnchorElement>("[data-queue] a")];
  const here = rows.findIndex((row) => row.getAttribute("aria-current") !== null);
  const move = (key: string, step: number, label: string): Shortcut => ({
    keys: [key],
    caps: [key.toUpperCase()],
    label,
    group: "page",
    run: () => {
      const row = rows[here + step];
      if (row) open(row.href);
    },
  });
  const deciding = [...root.querySelectorAll<HTMLElement>("[data-key]")].map((target): Shortcut => {
    const key = target.dataset.key ?? "";
    return {
      keys: [key],
      caps: [key.toUpperCase()],
      label: nameOf(target),
      group: "page",
      run: () => press(root, target),
    };
  });
  return registerShortcuts([
    move("j", 1, t("Next in the list")),
    move("k", -1, t("Previous in the list")),
    ...deciding,
  ]);
}

/** The text of a button without the letter on it. */
function nameOf(target: HTMLElement): string {
  const letter = target.querySelector("kbd")?.textContent ?? "";
  return target.textContent
    .trim()
    .slice(0, -letter.length || undefined)
    .trim();
}

/** Press a button. One that needs a reason leads to the field while that is empty; a link to a field, to the field. */
function press(root: ParentNode, target: HTMLElement): void {
  const reason = root.querySelector<HTMLTextAreaElement>("[data-reason]");
  const address = target.getAttribute("href") ?? "";
  const field = address.startsWith("#") ? document.getElementById(address.slice(1)) : null;
  if ("needsReason" in target.dataset && reason?.value.trim() === "") reason.focus();
  else if (field) field.focus();
  else target.click();
}

function openPage(address: string): void {
  window.location.assign(address);
}
