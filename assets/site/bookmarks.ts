/** Course bookmarks without leaving the page: form[data-bookmark="slug"]. Without scripts the form is posted. */
import { csrfHeaders } from "../shared/api/csrf";
import { announce } from "../shared/announce";
import { t } from "../shared/i18n";
import { toast } from "../shared/toasts";

type Save = (course: string, on: boolean) => Promise<void>;

async function saveOnServer(course: string, on: boolean): Promise<void> {
  const response = await fetch(`/api/v1/courses/${course}/bookmark/`, {
    method: on ? "PUT" : "DELETE",
    credentials: "same-origin",
    headers: csrfHeaders(),
  });
  if (!response.ok) throw new Error(`The bookmark was not saved (${response.status})`);
}

/** Show the state on the button: an icon on a card, an icon with text on a lesson page. */
function show(form: HTMLFormElement, button: HTMLButtonElement, on: boolean): void {
  button.setAttribute("aria-pressed", String(on));
  const field = form.querySelector<HTMLInputElement>("input[name=on]");
  if (field) field.value = on ? "" : "1";
  button.querySelector("svg")?.classList.toggle("i--fill", on);
  const label = button.querySelector("span");
  if (label) label.textContent = on ? t("Course bookmarked") : t("Bookmark course");
}

/** Save bookmarks of this page in place, and revert one that could not be saved. */
export function startBookmarks(save: Save = saveOnServer): void {
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || !form.dataset.bookmark) return;
    const button = form.querySelector("button");
    if (!button) return;
    event.preventDefault();
    const on = button.getAttribute("aria-pressed") !== "true";
    show(form, button, on);
    save(form.dataset.bookmark, on).then(
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
