/** Whether the server can be reached, as far as this page knows. The texts come with the page. */
import { toast } from "./toasts";

let isBroken = false;
let dismiss = (): void => undefined;

function textOf(name: "offline" | "restored"): string {
  return document.querySelector<HTMLElement>("[data-toasts]")?.dataset[name] ?? "";
}

/** A call did not reach the server. Its caller shows the error. */
export function noteFailure(): void {
  isBroken = true;
}

/** A response has arrived: after a failure, say that the connection is restored. */
export function noteResponse(): void {
  if (!isBroken) return;
  isBroken = false;
  dismiss();
  const sentence = textOf("restored");
  if (sentence) toast(sentence);
}

/** A socket of this page has closed (liveSocket.ts): the server may be gone. */
const DOUBT = "connection:doubt";

/** Call `listener` when the server may be gone. Returns a function that stops it. */
export function onConnectionDoubt(listener: () => void): () => void {
  addEventListener(DOUBT, listener);
  return () => removeEventListener(DOUBT, listener);
}

/** Show a message when the browser goes offline, and when it is back. */
export function startConnection(): void {
  addEventListener("offline", () => {
    isBroken = true;
    dismiss();
    const sentence = textOf("offline");
    if (sentence) dismiss = toast(sentence, { icon: "circle-alert", stays: true });
  });
  addEventListener("online", noteResponse);
}
