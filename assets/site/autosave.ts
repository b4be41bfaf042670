/** Forms whose choices are kept as they are made: form[data-auto-save], row by row ([data-row]). */
import { csrfHeaders } from "../shared/api/csrf";
import { dateAndTime } from "../shared/format";
import { t } from "../shared/i18n";
import { toast } from "../shared/toasts";

function fieldsOf(row: Element): FormData {
  const data = new FormData();
  for (const field of row.querySelectorAll<HTMLInputElement | HTMLSelectElement>("input, select")) {
    if (field instanceof HTMLInputElement && field.type === "checkbox" && !field.checked) continue;
    data.append(field.name, field.value);
  }
  return data;
}

async function save(form: HTMLFormElement, row: Element): Promise<void> {
  const answer = await fetch(form.action, {
    method: "POST",
    body: fieldsOf(row),
    credentials: "same-origin",
    headers: { ...csrfHeaders(), Accept: "application/json" },
  });
  if (answer.status !== 204) throw new Error(`The choice was not kept (${answer.status})`);
}

export function startAutoSave(): void {
  const waiting = new WeakMap<Element, Promise<void>>();
  document.addEventListener("change", ({ target }) => {
    const row =
      target instanceof Element ? target.closest("form[data-auto-save] [data-row]") : null;
    const form = row?.closest("form");
    if (!row || !form) return;
    const said = form.querySelector<HTMLElement>("[data-saved]");
    // One after the other: the last choice of a row is the one that stays.
    const before = waiting.get(row) ?? Promise.resolve();
    const mine = before
      .then(() => save(form, row))
      .then(
        () => {
          const words = said?.querySelector("span");
          if (!said || !words) return;
          said.hidden = false;
          words.textContent = t("Saved at {time}", { time: dateAndTime(new Date().toISOString()) });
        },
        () => {
          if (said) said.hidden = true;
          toast(t("Your choice couldn't be saved. Try again."), { icon: "alert" });
        },
      );
    waiting.set(row, mine);
  });
}
