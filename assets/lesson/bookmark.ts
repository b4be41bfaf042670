/** The ribbon of the course: the form works by itself, here it works without a reload. */
import { t } from "../shared/i18n";

type Keep = (course: string, on: boolean) => Promise<unknown>;

export function startBookmark(root: Document, keep: Keep): void {
  const form = root.querySelector<HTMLFormElement>("form[data-ribbon]");
  const button = form?.querySelector<HTMLButtonElement>("[data-bookmark]");
  if (!form || !button) return;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const on = button.getAttribute("aria-pressed") !== "true";
    const course = form.dataset.ribbon ?? "";
    show(form, button, on);
    keep(course, on).catch(() => show(form, button, !on));
  });
}

function show(form: HTMLFormElement, button: HTMLButtonElement, on: boolean): void {
  button.setAttribute("aria-pressed", String(on));
  button.querySelector("svg")?.classList.toggle("i--fill", on);
  const words = button.querySelector("span");
  if (words) words.textContent = on ? t("Bookmarked") : t("Bookmark");
  const field = form.querySelector<HTMLInputElement>("input[name=on]");
  if (field) field.value = on ? "" : "1";
}
