/**
 * Comments on places of a course (templates/courses/studio/_review.html): sent without leaving the page, so that a video
 * plays on; with the second of the video; J and K for the next and the previous finding or open comment.
 */
import { announce } from "../shared/announce";
import { csrfHeaders } from "../shared/api/csrf";
import { clock } from "../shared/format";
import { t } from "../shared/i18n";
import { registerShortcuts, type Shortcut } from "../shared/shortcuts";
import { toast } from "../shared/toasts";
import { writeLocalTimes } from "./localTimes";
import { startMentions } from "./mentions";

const sending = new WeakSet<HTMLFormElement>();

/** Start what the page has. Returns a function that ends it. */
export function startReviewComments(
  open: (address: string) => void = (address) => location.assign(address),
): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  // Before the listener that shows a busy button for a page that is left (site/forms.ts).
  document.addEventListener("submit", onSubmit, { capture: true, signal });
  document.addEventListener("focusin", ({ target }) => fillSecond(target), { signal });
  startMentions(signal);
  const withdraw = registerShortcuts(stepKeys(open), { winning: true });
  if (location.hash === "#first") focusStep(steps()[0]);
  if (location.hash === "#last") focusStep(steps().at(-1));
  return () => {
    ending.abort();
    withdraw();
  };
}

// --- Sending -------------------------------------------------------------------------------------

function onSubmit(event: Event): void {
  const form = event.target;
  if (!(form instanceof HTMLFormElement) || !("reviewSend" in form.dataset)) return;
  if (!navigator.onLine) return; // site/forms.ts says so
  event.preventDefault();
  if (!sending.has(form)) void send(form, (event as SubmitEvent).submitter);
}

async function send(form: HTMLFormElement, submitter: HTMLElement | null): Promise<void> {
  const body = new FormData(form, submitter);
  sending.add(form);
  submitter?.setAttribute("aria-busy", "true");
  try {
    const response = await fetch(form.action, {
      method: "POST",
      credentials: "same-origin",
      headers: csrfHeaders(),
      body,
    });
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    if (response.status === 422) showErrors(form, page);
    else if (!response.ok || !showParts(form, page)) sendAsPage(form, submitter);
  } catch {
    toast(t("Nothing was sent. Your text is kept here: try again."), { icon: "circle-alert" });
  } finally {
    sending.delete(form);
    submitter?.removeAttribute("aria-busy");
  }
}

/** What the server refuses otherwise, such as a session that ended, is sent again as a page, which says why. */
function sendAsPage(form: HTMLFormElement, submitter: HTMLElement | null): void {
  delete form.dataset.reviewSend;
  form.requestSubmit(submitter);
}

function showErrors(form: HTMLFormElement, page: Document): void {
  form.querySelector("[data-errors]")?.remove();
  const summary = page.querySelector<HTMLElement>("[data-errors]");
  if (!summary) return;
  for (const link of summary.querySelectorAll("a")) link.replaceWith(...link.childNodes);
  form.prepend(summary);
  summary.focus();
}

/** Replace the parts of this page by those of the answer, without losing what is written in other forms. */
function showParts(form: HTMLFormElement, page: Document): boolean {
  const parts = [...document.querySelectorAll<HTMLElement>("[data-review-part]")];
  const fresh = new Map(
    [...page.querySelectorAll<HTMLElement>("[data-review-part]")].map((part) => [
      part.dataset.reviewPart,
      part,
    ]),
  );
  if (!parts.some((part) => fresh.has(part.dataset.reviewPart))) return false;
  const known = new Set([...document.querySelectorAll(".rthread")].map(({ id }) => id));
  const mine = form.closest(".rthread")?.id;
  const written = textsBeside(form);
  for (const part of parts) {
    const found = fresh.get(part.dataset.reviewPart);
    if (found) part.replaceWith(found);
  }
  for (const [action, text] of written) bringBack(action, text);
  writeLocalTimes();
  for (const said of page.querySelectorAll("[data-toast] p, .flashes .notice p"))
    toast(said.textContent.trim(), { stays: true });
  const added = [...document.querySelectorAll<HTMLElement>(".rthread")].find(
    ({ id }) => !known.has(id),
  );
  (added ?? (mine ? document.getElementById(mine) : null))?.focus({ preventScroll: !added });
  announce(t("Saved"));
  return true;
}

/** What is written in the other forms, by the address to which they are sent. */
function textsBeside(form: HTMLFormElement): Map<string, string> {
  const others = [...document.querySelectorAll<HTMLFormElement>("form[data-review-send]")];
  return new Map(
    others
      .filter((other) => other !== form)
      .map((other): [string, string] => [
        other.action,
        other.querySelector("textarea")?.value ?? "",
      ])
      .filter(([, text]) => text !== ""),
  );
}

function bringBack(action: string, text: string): void {
  const form = [...document.querySelectorAll<HTMLFormElement>("form[data-review-send]")].find(
    (one) => one.action === action,
  );
  const field = form?.querySelector("textarea");
  if (!field) return;
  field.value = text;
  const hidden = field.closest("details");
  if (hidden) hidden.open = true;
}

// --- The second of the video ---------------------------------------------------------------------

/** A comment belongs to the second at which one begins to write. Who clears the field writes about the whole lesson. */
function fillSecond(target: EventTarget | null): void {
  if (!(target instanceof HTMLTextAreaElement) || target.value !== "") return;
  const field = target.form?.querySelector<HTMLInputElement>("[data-review-at]");
  const second = Math.floor(document.querySelector("video")?.currentTime ?? 0);
  if (!field || second <= 0 || field.value !== field.defaultValue) return;
  field.value = clock(second);
  field.defaultValue = field.value; // it is nothing that leaving the page would lose
}

// --- J and K -------------------------------------------------------------------------------------

function steps(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>("[data-review-step]")];
}

function focusStep(step: HTMLElement | undefined): void {
  if (!step) return;
  const hidden = step.closest("details");
  if (hidden) hidden.open = true;
  step.scrollIntoView({ block: "center" });
  step.focus({ preventScroll: true });
}

let last: HTMLElement | null = null; // where the keys led to; the focus may have left it meanwhile

function stepKeys(open: (address: string) => void): Shortcut[] {
  const move = (forward: boolean): void => {
    const all = steps();
    const here = document.activeElement?.closest<HTMLElement>("[data-review-step]") ?? last;
    const place = here ? all.indexOf(here) : -1;
    const next = place < 0 ? (forward ? all[0] : all.at(-1)) : all[place + (forward ? 1 : -1)];
    if (next) {
      last = next;
      focusStep(next);
      return;
    }
    const { reviewNext, reviewPrevious } =
      document.querySelector<HTMLElement>("[data-review]")?.dataset ?? {};
    const address = forward ? reviewNext : reviewPrevious;
    if (address) open(address);
    else announce(forward ? t("That was the last one") : t("That was the first one"));
  };
  const isAvailable = (): boolean => document.querySelector("[data-review]") !== null;
  return [
    {
      keys: ["j"],
      caps: ["J"],
      label: t("Next finding or comment"),
      group: "page",
      run: () => move(true),
      isAvailable,
    },
    {
      keys: ["k"],
      caps: ["K"],
      label: t("Previous finding or comment"),
      group: "page",
      run: () => move(false),
      isAvailable,
    },
  ];
}
