/** Bookmarks of courses: the form works by itself, here it works without leaving the page. */
import { csrfHeaders } from "../shared/api/csrf";
import { announce } from "../shared/announce";
import { t } from "../shared/i18n";
import { toast } from "../shared/toasts";

type Keep = (course: string, on: boolean) => Promise<void>;

async function keepOnServer(course: string, on: boolean): Promise<void> {
  const answer = await fetch(`/api/v1/courses/${course}/bookmark/`, {
    method: on ? "PUT" : "DELETE",
    credentials: "same-origin",
    headers: csrfHeaders(),
  });
  if (!answer.ok) throw new Error(`The bookmark was not kept (${answer.status})`);
}

/** A ribbon on a card, or the button with words of a lesson page (`[data-bookmark]`). */
function show(form: HTMLFormElement, button: HTMLButtonElement, on: boolean): void {
  button.setAttribute("aria-pressed", String(on));
  const field = form.querySelector<HTMLInputElement>("input[name=on]");
  if (field) field.value = on ? "" : "1";
  if (!("bookmark" in button.dataset)) return;
  button.querySelector("svg")?.classList.toggle("i--fill", on);
  const words = button.querySelector("span");
  if (words) words.textContent = on ? t("Course bookmarked") : t("Bookmark course");
}

export function startRibbons(keep: Keep = keepOnServer): void {
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || !form.dataset.ribbon) return;
    const button = form.querySelector<HTMLButtonElement>("button.ribbon, button[data-bookmark]");
    if (!button) return;
    event.preventDefault();
    const on = button.getAttribute("aria-pressed") !== "true";
    show(form, button, on);
    keep(form.dataset.ribbon, on).then(
      () => announce(on ? t("Course bookmarked") : t("Bookmark removed")),
      () => {
        show(form, button, !on);
        toast(
          on
            ? t("The bookmark couldn't be saved. Try again.")
            : t("The bookmark couldn't be removed. Try again."),
          { icon: "circle-alert" },
        );
      },
    );
  });
}
