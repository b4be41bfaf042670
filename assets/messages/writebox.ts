/** The field for a message: its counter, its draft, Ctrl+Enter, and sending without leaving the page. */
import { csrfHeaders } from "../shared/api/csrf";
import { isComposing } from "../shared/composing";
import { t } from "../shared/i18n";
import { toast } from "../shared/toasts";
import { startCounter } from "./counter";

const WRITING_GAP_MS = 2_500;
const COUNT_FROM = 0.8; // of the most characters: below, no counter is shown
const DRAFT = "study.message.";

type Events = { onSent: (number: number) => void; onWriting: () => boolean };
type Answer = { number?: number; title?: string; detail?: string };

/** Start the field of the page, if it has one. */
export function startWritebox(page: HTMLElement, { onSent, onWriting }: Events): void {
  const form = page.querySelector<HTMLFormElement>("[data-writebox]");
  const area = form?.querySelector("textarea");
  if (!form || !area) return;
  const key = form.querySelector<HTMLInputElement>("input[name=key]");
  const draft = `${DRAFT}${document.querySelector<HTMLMetaElement>('meta[name="study-user"]')?.content ?? ""}.${new URL(form.action).pathname}${new URL(form.action).search}`;
  let saidAt = 0;
  let isSending = false;

  const keep = (): void => {
    try {
      if (area.value.trim()) localStorage.setItem(draft, area.value);
      else localStorage.removeItem(draft);
    } catch {
      // Without storage there is no draft.
    }
  };
  const forget = (): void => {
    try {
      localStorage.removeItem(draft);
    } catch {
      // as above
    }
  };
  const restore = (): void => {
    try {
      if (!area.value) area.value = localStorage.getItem(draft) ?? "";
    } catch {
      // as above
    }
  };

  area.addEventListener("input", () => {
    keep();
    if (area.value && Date.now() - saidAt > WRITING_GAP_MS && onWriting()) saidAt = Date.now();
  });
  area.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || isComposing(event)) return;
    event.preventDefault();
    form.requestSubmit();
  });

  const sent = (number: number): void => {
    area.value = "";
    keep();
    count();
    for (const box of form.querySelectorAll<HTMLInputElement>("input[name=attached]"))
      box.checked = false;
    form.querySelector("details")?.removeAttribute("open");
    if (key) key.value = crypto.randomUUID();
    area.focus();
    onSent(number);
  };

  form.addEventListener("submit", (event) => {
    if (!navigator.onLine || !page.dataset.messages) {
      if (navigator.onLine) forget();
      return; // offline, the page says so; the first message leads to its conversation
    }
    event.preventDefault();
    if (isSending) return;
    isSending = true;
    const button = form.querySelector("[type=submit]");
    button?.setAttribute("aria-busy", "true");
    void fetch(form.action, {
      method: "POST",
      credentials: "same-origin",
      headers: { ...csrfHeaders(), Accept: "application/json" },
      body: new FormData(form),
    })
      .then(async (response) => {
        const answer = (await response.json().catch(() => ({}))) as Answer;
        if (response.ok && !response.redirected) return sent(answer.number ?? 0);
        toast(answer.detail ?? t("That couldn't be saved. Try again."), { icon: "circle-alert" });
      })
      .catch(() =>
        toast(t("The message wasn't sent. It is kept here: try again."), { icon: "circle-alert" }),
      )
      .finally(() => {
        isSending = false;
        button?.removeAttribute("aria-busy");
      });
  });

  restore();
  const count = startCounter(area, COUNT_FROM);
}
