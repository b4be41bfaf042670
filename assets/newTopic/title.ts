/** The title of a new topic: how long it is, and whether it reads as a question. */
import { t } from "../shared/i18n";

/** A question mark of any script at its end, also before a closing quote or bracket. */
const QUESTION = /[?？؟]["'”’»)\]]*$/u;

/** Unicode code points without the spaces around the text: as the server counts. */
export function titleLength(title: string): number {
  return Array.from(title.trim()).length;
}

/** Count while the user writes. Browsers count emoji twice, so their own limit is replaced by this one. */
export function startTitle(field: HTMLInputElement, form: HTMLFormElement): void {
  const most = field.maxLength;
  const counter = form.querySelector<HTMLElement>("[data-title-count]");
  const reads = form.querySelector<HTMLElement>("[data-reads-as-question]");
  const wasRefused = field.getAttribute("aria-invalid") === "true";
  field.removeAttribute("maxlength");

  const show = (): void => {
    const length = titleLength(field.value);
    const kind = form.querySelector<HTMLInputElement>("input[name=kind]:checked")?.value;
    if (counter) {
      counter.textContent = t("{length} of {most}", { length: String(length), most: String(most) });
      counter.classList.toggle("composer__over", length > most);
    }
    if (reads) reads.hidden = kind !== "question" || !QUESTION.test(field.value.trim());
    if (length > most) field.setAttribute("aria-invalid", "true");
    else if (!wasRefused) field.removeAttribute("aria-invalid");
  };
  field.addEventListener("input", show);
  form.addEventListener("change", show);
  show();
}
