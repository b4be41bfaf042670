/** Whether the server can be reached, as far as this page has noticed. The words come with the page. */
import { toast } from "./toasts";

let isBroken = false;
let dismiss = (): void => undefined;

function words(name: "offline" | "restored"): string {
  return document.querySelector<HTMLElement>("[data-toasts]")?.dataset[name] ?? "";
}

/** A call has not reached the server. Whoever made it says so. */
export function noteFailure(): void {
  isBroken = true;
}

/** An answer has come: if none came before, this is told. */
export function noteAnswer(): void {
  if (!isBroken) return;
  isBroken = false;
  dismiss();
  const sentence = words("restored");
  if (sentence) toast(sentence);
}

/** Say when the browser loses its connection, and when it is back. */
export function startConnection(): void {
  addEventListener("offline", () => {
    isBroken = true;
    dismiss();
    const sentence = words("offline");
    if (sentence) dismiss = toast(sentence, { icon: "circle-alert", stays: true });
  });
  addEventListener("online", noteAnswer);
}
