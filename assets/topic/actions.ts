/** Votes, reactions and accepted answers without leaving the page, and links that are copied. */
import { csrfHeaders } from "../shared/api/csrf";
import { t } from "../shared/i18n";
import { toast } from "../shared/toasts";

/** Show a button as pressed, or no longer. Returns what undoes it. */
function showPressed(button: HTMLButtonElement): () => void {
  const count = button.querySelector(".num")?.firstChild;
  if (!count || !button.hasAttribute("aria-pressed")) return () => undefined;
  const before = [button.ariaPressed, button.value, count.textContent] as const;
  const isOn = button.value === "1";
  button.setAttribute("aria-pressed", String(isOn));
  button.value = isOn ? "0" : "1";
  count.textContent = String(Number(count.textContent) + (isOn ? 1 : -1));
  return () => {
    button.setAttribute("aria-pressed", before[0] ?? "false");
    [, button.value, count.textContent] = before;
  };
}

/** Send a button of a post to its own address. It looks pressed at once; if that fails, no longer, and a toast says why. */
export async function sendPress(button: HTMLButtonElement): Promise<boolean> {
  const { formAction, name, value } = button;
  button.closest("details")?.removeAttribute("open");
  const undo = showPressed(button);
  let refusal = t("That couldn't be saved. Try again.");
  try {
    const response = await fetch(formAction, {
      method: "POST",
      credentials: "same-origin",
      headers: { ...csrfHeaders(), Accept: "application/json" },
      body: new URLSearchParams({ [name]: value }),
    });
    if (response.ok && !response.redirected) return true;
    const answer = (await response.json().catch(() => ({}))) as { detail?: string };
    refusal = answer.detail ?? refusal;
  } catch {
    // Offline: as below.
  }
  undo();
  toast(refusal, { icon: "circle-alert" });
  return false;
}

/** Copy the address of a post; where that is not possible, open it. */
export function copyLink(link: HTMLAnchorElement): void {
  const open = (): void => location.assign(link.href);
  if (!("clipboard" in navigator)) return open();
  navigator.clipboard.writeText(link.href).then(() => toast(t("Link copied")), open);
}
