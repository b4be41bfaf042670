/** Forms whose choices are kept as they are made: form[data-auto-save], row by row ([data-row]). */
import { csrfHeaders } from "../shared/api/csrf";
import { dateAndTime } from "../shared/format";
import { t } from "../shared/i18n";
import { toast } from "../shared/toasts";

type Field = HTMLInputElement | HTMLSelectElement;

const isBox = (field: Field): field is HTMLInputElement =>
  field instanceof HTMLInputElement && ["checkbox", "radio"].includes(field.type);

const fieldsIn = (row: Element): Field[] => [...row.querySelectorAll<Field>("input, select")];

function fieldsOf(row: Element): FormData {
  const data = new FormData();
  for (const field of fieldsIn(row))
    if (!isBox(field) || field.checked) data.append(field.name, field.value);
  return data;
}

/** What is chosen in a row: a box is on or off, anything else has a value. */
type Choices = Map<Field, string | boolean>;

function chosen(row: Element): Choices {
  return new Map(fieldsIn(row).map((field) => [field, isBox(field) ? field.checked : field.value]));
}

/** What the server had when it wrote the page. */
function written(row: Element): Choices {
  const first = (field: Field): string | boolean => {
    if (isBox(field)) return field.defaultChecked;
    if (field instanceof HTMLInputElement) return field.defaultValue;
    const options = [...field.options];
    return (options.find((one) => one.defaultSelected) ?? options[0])?.value ?? "";
  };
  return new Map(fieldsIn(row).map((field) => [field, first(field)]));
}

function putBack(choices: Choices): void {
  for (const [field, choice] of choices)
    if (typeof choice === "string") field.value = choice;
    else if (isBox(field)) field.checked = choice;
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
  const kept = new WeakMap<Element, Choices>();
  document.addEventListener("change", ({ target }) => {
    const row =
      target instanceof Element ? target.closest("form[data-auto-save] [data-row]") : null;
    const form = row?.closest("form");
    if (!row || !form) return;
    const said = form.querySelector<HTMLElement>("[data-saved]");
    // One after the other: the last choice of a row is the one that stays.
    const before = waiting.get(row) ?? Promise.resolve();
    const mine = before
      .then(async () => {
        const sent = chosen(row);
        await save(form, row);
        kept.set(row, sent);
      })
      .then(
        () => {
          const words = said?.querySelector("span");
          if (!said || !words) return;
          said.hidden = false;
          words.textContent = t("Saved at {time}", { time: dateAndTime(new Date().toISOString()) });
        },
        () => {
          if (said) said.hidden = true;
          // A choice that was made meanwhile is sent next, and has its own answer.
          if (waiting.get(row) !== mine) return;
          putBack(kept.get(row) ?? written(row));
          toast(t("Your choice couldn't be saved and was set back. Try again."), {
            icon: "circle-alert",
          });
        },
      );
    waiting.set(row, mine);
  });
}
