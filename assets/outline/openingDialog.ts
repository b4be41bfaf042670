/** Asks when the selected lessons open: at once, on a date, or some days after enrollment. Loaded when it is asked for. */
import { createButton, element, openDialog } from "../shared/dialog";
import { t, tn } from "../shared/i18n";
import type { Settings } from "./outlineCalls";

const MAX_DAYS = 3_650; // as in apps/courses/opening_fields.py
const DEFAULT_DAYS = 7;

let count = 0;

/** @param zone the time zone in which the date is meant */
export function askWhenLessonsOpen(
  lessons: number,
  zone: string,
  onSet: (settings: Settings) => void,
): void {
  const name = `opens-${(count += 1)}`;
  const date = element("input", "input");
  date.type = "datetime-local";
  date.setAttribute("aria-label", t("Date and time"));
  const days = element("input", "input num");
  days.type = "number";
  days.inputMode = "numeric";
  days.min = "1";
  days.max = String(MAX_DAYS);
  days.value = String(DEFAULT_DAYS);
  days.setAttribute("aria-label", t("Days after enrollment"));
  const problem = element("p", "field__error");
  problem.role = "alert";

  const choice = (
    value: string,
    label: string,
    hint: string,
    field?: HTMLInputElement,
  ): HTMLElement => {
    const radio = element("input");
    radio.type = "radio";
    radio.name = name;
    radio.value = value;
    radio.checked = value === "date";
    // Not the focus: the Tab key passes the fields of the other choices.
    for (const input of ["input", "pointerdown"])
      field?.addEventListener(input, () => (radio.checked = true));
    const line = element("label", "check", radio, element("span", "", label));
    const more = element("p", "field__hint", hint);
    return element("div", "stack gap-2 opening__choice", line, ...(field ? [field] : []), more);
  };
  const choices = element(
    "fieldset",
    "bare stack gap-4",
    element("legend", "vh", t("When the lessons open")),
    choice("date", t("On a date"), t("In the time zone {zone}.", { zone }), date),
    choice(
      "days",
      t("Days after enrollment"),
      t("At the time of day at which the learner enrolled."),
      days,
    ),
    choice("now", t("At once"), t("Removes dates and days.")),
  );
  const keep = createButton("btn", t("Cancel"));
  const set = createButton("btn btn--primary", t("Set"));
  const dialog = openDialog({
    title: tn("When {count} lesson opens", "When {count} lessons open", lessons),
    body: [choices, problem],
    actions: [keep, set],
    focus: date,
  });

  function settings(): Settings | string {
    const chosen = choices.querySelector<HTMLInputElement>("input:checked[type=radio]")?.value;
    if (chosen === "now") return { opens_at: null, opens_after_days: null };
    if (chosen === "date")
      return date.value === "" ? t("Enter a date and time.") : { opens_at: date.value };
    const number = Number(days.value);
    const isRight = Number.isInteger(number) && number >= 1 && number <= MAX_DAYS;
    return isRight
      ? { opens_after_days: number }
      : t("Enter a number of days from 1 to {most}.", { most: MAX_DAYS });
  }
  function apply(): void {
    const wanted = settings();
    if (typeof wanted === "string") {
      problem.textContent = wanted;
      return;
    }
    dialog.close();
    onSet(wanted);
  }
  keep.addEventListener("click", () => dialog.close());
  set.addEventListener("click", apply);
  choices.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    apply();
  });
}
