/** Forms that are sent without leaving the page, so that a video plays on: form[data-send-here]. */
import { announce } from "../shared/announce";
import { csrfHeaders } from "../shared/api/csrf";
import { t } from "../shared/i18n";
import { toast } from "../shared/toasts";

const POSTED = /^\/forum\/topics\/\d+$/;
const sending = new WeakSet<HTMLFormElement>();

/** Send the forms within `place` by script. What the server refuses is sent again as a page, which says why. */
export function startSendingHere(place: HTMLElement, onSent: () => Promise<void>): void {
  if (place.dataset.sendsHere !== undefined) return;
  place.dataset.sendsHere = "";
  // On the place, after the listeners of the form: the composer stops a text that is too long.
  place.addEventListener("submit", (event) => {
    const form = event.target as HTMLFormElement;
    const isMine = form.closest("[data-fetch-part]") === place && "sendHere" in form.dataset;
    if (!isMine || event.defaultPrevented || !navigator.onLine) return;
    event.preventDefault();
    if (!sending.has(form)) void send(form, onSent);
  });
}

async function send(form: HTMLFormElement, onSent: () => Promise<void>): Promise<void> {
  const button = form.querySelector("[type=submit]");
  sending.add(form);
  button?.setAttribute("aria-busy", "true");
  try {
    const response = await fetch(form.action, {
      method: "POST",
      credentials: "same-origin",
      headers: csrfHeaders(),
      body: new FormData(form),
    });
    if (!response.redirected || !POSTED.test(new URL(response.url).pathname)) {
      form.submit();
      return;
    }
  } catch {
    toast(t("Nothing was sent. Your text is kept here: try again."), { icon: "circle-alert" });
    return;
  } finally {
    sending.delete(form);
    button?.removeAttribute("aria-busy");
  }
  form.reset();
  form.querySelector("textarea")?.dispatchEvent(new Event("input", { bubbles: true }));
  announce(t("Posted"));
  await onSent().catch(() => undefined);
  markQuestions();
}

type Marked = [second: number, title: string, address: string, replies: number];

/** Put the questions of the list that was just fetched on the scrubber and the timeline of the video. */
function markQuestions(): void {
  const discussion = document.querySelector<HTMLElement>("#discussion");
  const list = discussion?.querySelector<HTMLElement>("[data-questions]");
  if (!discussion || !list) return;
  const marks = JSON.parse(discussion.dataset.marks ?? "[]") as unknown[];
  const known = new Set(marks.map((mark) => JSON.stringify(mark)));
  for (const [second, title] of JSON.parse(list.dataset.questions ?? "[]") as Marked[])
    if (!known.has(JSON.stringify([second, title]))) marks.push([second, title]);
  discussion.dataset.marks = JSON.stringify(marks);
  document.dispatchEvent(new Event("study:marks"));
}
