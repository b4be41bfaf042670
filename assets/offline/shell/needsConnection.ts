/** Says in place what needs a connection, on a page that the server rendered for times with one. */
import { t } from "../../shared/i18n";

/** What can't work here. Forms that scripts answer on this device are left alone. */
const ACT_SELECTOR =
  "form[data-bookmark], form[action*='/dashboard/'], [data-ask-tutor], .tutor-opens-panel, .tutor-opens-page";

/** Explain all of them with one sentence, which each of them refers to. */
export function explainWhatNeedsConnection(root: HTMLElement): void {
  const id = "needs-connection";
  const says = document.createElement("p");
  says.id = id;
  says.className = "vh";
  says.textContent = t("Needs a connection");
  root.append(says);
  for (const part of root.querySelectorAll<HTMLElement>(ACT_SELECTOR)) {
    const act = part.matches("form") ? part.querySelector<HTMLElement>("button") : part;
    if (act) turnOff(act, id);
  }
  for (const part of root.querySelectorAll<HTMLElement>("#discussion [data-fetch-part]"))
    part.replaceChildren(paragraph(t("The discussion needs a connection.")));
  root.querySelector("#tutor")?.remove();
  // The server marks links to what no device stores.
  for (const link of root.querySelectorAll("a[data-needs-connection]"))
    link.setAttribute("aria-describedby", id);
}

/** Turn off all forms and their fields, such as those of the stored dashboard. */
export function turnOffForms(root: HTMLElement): void {
  const id = "needs-connection";
  for (const act of root.querySelectorAll<HTMLElement>("form button, form input, form select"))
    turnOff(act, id);
}

function turnOff(act: HTMLElement, reason: string): void {
  act.setAttribute("aria-disabled", "true");
  act.setAttribute("aria-describedby", reason);
  act.title = t("Needs a connection");
  act.removeAttribute("popovertarget");
  act.dataset.needsConnection = "";
  const stop = (event: Event): void => {
    event.preventDefault();
    event.stopPropagation();
  };
  act.addEventListener("click", stop);
  act.closest("form")?.addEventListener("submit", stop);
}

function paragraph(words: string): HTMLElement {
  const made = document.createElement("p");
  made.className = "muted";
  made.textContent = words;
  return made;
}

/** Mark the lessons of the list that aren't on this device: their links lead to a page that says so. */
export function markAbsentLessons(root: HTMLElement, here: ReadonlySet<string>): void {
  for (const row of root.querySelectorAll<HTMLElement>("[data-lesson]")) {
    const line = row.querySelector(".lesson");
    if (!line || here.has(row.dataset.lesson ?? "")) continue;
    line.classList.add("lesson--absent");
    const note = document.createElement("span");
    note.className = "lesson__note";
    note.textContent = t("Not on this device");
    line.append(note);
  }
}
