/** Forms that save each row ([data-row]) as soon as it changes: form[data-auto-save]. */
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

/** The values of a row: a checkbox or radio button is on or off, any other field has text. */
type Choices = Map<Field, string | boolean>;

function choicesOf(row: Element): Choices {
  return new Map(fieldsIn(row).map((field) => [field, isBox(field) ? field.checked : field.value]));
}

/** The values that the server rendered. */
function renderedChoices(row: Element): Choices {
  const first = (field: Field): string | boolean => {
    if (isBox(field)) return field.defaultChecked;
    if (field instanceof HTMLInputElement) return field.defaultValue;
    const options = [...field.options];
    return (options.find((one) => one.defaultSelected) ?? options[0])?.value ?? "";
  };
  return new Map(fieldsIn(row).map((field) => [field, first(field)]));
}

function restore(choices: Choices): void {
  for (const [field, choice] of choices)
    if (typeof choice === "string") field.value = choice;
    else if (isBox(field)) field.checked = choice;
}

async function save(form: HTMLFormElement, row: Element): Promise<void> {
  const response = await fetch(form.action, {
    method: "POST",
    body: fieldsOf(row),
    credentials: "same-origin",
    headers: { ...csrfHeaders(), Accept: "application/json" },
  });
  if (response.status !== 204) throw new Error(`The choice was not saved (${response.status})`);
}

/** Save the rows of this page, and set a row back where saving fails. */
export function startAutoSave(): void {
  const pending = new WeakMap<Element, Promise<void>>();
  const saved = new WeakMap<Element, Choices>();
  document.addEventListener("change", ({ target }) => {
    const row =
      target instanceof Element ? target.closest("form[data-auto-save] [data-row]") : null;
    const form = row?.closest("form");
    if (!row || !form) return;
    const status = form.querySelector<HTMLElement>("[data-saved]");
    // In order, so that the last choice of a row wins.
    const previous = pending.get(row) ?? Promise.resolve();
    const saving = previous
      .then(async () => {
        const sent = choicesOf(row);
        await save(form, row);
        saved.set(row, sent);
      })
      .then(
        () => {
          const text = status?.querySelector("span");
          if (!status || !text) return;
          status.hidden = false;
          text.textContent = t("Saved at {time}", { time: dateAndTime(new Date().toISOString()) });
        },
        () => {
          if (status) status.hidden = true;
          // A later choice of the row is being sent and gets its own response.
          if (pending.get(row) !== saving) return;
          restore(saved.get(row) ?? renderedChoices(row));
          toast(t("Your choice couldn't be saved and was set back. Try again."), {
            icon: "circle-alert",
          });
        },
      );
    pending.set(row, saving);
  });
}
