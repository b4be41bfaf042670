/** POST forms: sent once, busy button while sending, focus on errors, no typed text lost. */
import { t } from "../shared/i18n";
import { toast } from "../shared/toasts";

const sending = new WeakSet<HTMLFormElement>();
let hasInput = false;

/** Whether a reload would lose text that was typed. */
export function hasUnsentInput(): boolean {
  return hasInput;
}

function showBusy(button: HTMLElement): void {
  button.style.minWidth = `${button.offsetWidth}px`;
  button.setAttribute("aria-busy", "true");
  const spinner = document.createElement("span");
  spinner.className = "spin";
  spinner.ariaHidden = "true";
  button.prepend(spinner);
}

function showIdle(button: HTMLElement): void {
  button.style.minWidth = "";
  button.removeAttribute("aria-busy");
  button.querySelector(":scope > .spin")?.remove();
}

/** Whether the response of a submitted form is a file, which does not replace the page. */
export function isDownload({ submitter }: SubmitEvent): boolean {
  return submitter !== null && "download" in submitter.dataset;
}

function onSubmit(event: SubmitEvent): void {
  const form = event.target;
  if (!(form instanceof HTMLFormElement) || event.defaultPrevented) return;
  if (form.method === "post" && !navigator.onLine) {
    // The browser's error page would replace the form and what was typed.
    event.preventDefault();
    event.stopImmediatePropagation();
    toast(t("You're offline, so nothing was sent. Try again when you're back online."), {
      icon: "circle-alert",
    });
    return;
  }
  hasInput = false;
  if (form.method !== "post" || "many" in form.dataset || isDownload(event)) return;
  if (sending.has(form)) {
    event.preventDefault();
    return;
  }
  sending.add(form);
  const button = event.submitter ?? form.querySelector<HTMLElement>("[type=submit]");
  if (button?.matches("button")) showBusy(button);
}

/** Make forms usable again on a page that is shown from the back/forward cache. */
function resetForms(): void {
  for (const form of document.forms) sending.delete(form);
  for (const button of document.querySelectorAll<HTMLElement>("button[aria-busy=true]"))
    showIdle(button);
}

function focusErrors(): void {
  const summary = document.querySelector<HTMLElement>("[data-errors]");
  if (summary) summary.tabIndex = -1;
  const first = summary ?? document.querySelector<HTMLElement>("main [aria-invalid=true]");
  first?.focus();
}

/** Clear the error of a field as soon as its value is valid. */
function clearError({ target }: Event): void {
  if (!(target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement)) return;
  // These say by themselves what is wrong, and when no longer. The editor works in forms of the page.
  if (target.closest("[data-island]:not([data-island=editor]), form[data-lesson-form]")) return;
  if (target.getAttribute("aria-invalid") !== "true" || "matches" in target.dataset) return;
  const rules = [...document.querySelectorAll<HTMLElement>("[data-rules]")];
  const unmet = rules.some(
    (list) => list.dataset.rules === target.id && list.querySelector("li:not(.met)"),
  );
  if (unmet || !target.validity.valid || target.value.trim() === "") return;
  target.removeAttribute("aria-invalid");
  document.getElementById(`${target.id}-e`)?.replaceChildren();
}

function isChanged(control: Element): boolean {
  if (control instanceof HTMLSelectElement)
    return [...control.options].some(
      (option, place) =>
        option.selected !==
        (option.defaultSelected || (place === 0 && !control.querySelector("[selected]"))),
    );
  if (control instanceof HTMLTextAreaElement) return control.value !== control.defaultValue;
  if (!(control instanceof HTMLInputElement) || control.type === "hidden") return false;
  if (control.type === "radio" || control.type === "checkbox")
    return control.checked !== control.defaultChecked;
  return control.value !== control.defaultValue;
}

/** Whether an editor has content that the server has not saved: typed since, or returned with an error or as a preview. */
function isUnsaved(form: HTMLFormElement): boolean {
  return (
    form.dataset.guard === "unsaved" ||
    form.querySelector("[data-errors]") !== null ||
    [...form.elements].some(isChanged)
  );
}

function hasUnsavedEditor(part: ParentNode): boolean {
  const editors = part.querySelectorAll<HTMLFormElement>("form[data-guard]");
  return [...editors].some((form) => !sending.has(form) && isUnsaved(form));
}

/** Have the browser ask before an editor with unsaved content is left. A form that is being sent saves its own. */
function guardLeaving(event: BeforeUnloadEvent): void {
  if (!hasUnsavedEditor(document)) return;
  event.preventDefault();
  // If the user stays, the interrupted form can be sent again.
  setTimeout(resetForms, 500);
}

/** Scrolling to the fragment of the address takes the focus away after this script has run, so set it again. */
function focusErrorsAfterJump(): void {
  if (location.hash === "") return;
  addEventListener("load", () =>
    setTimeout(() => {
      const { activeElement } = document;
      const isElsewhere = activeElement?.matches("input, textarea, select, button, a");
      if (!isElsewhere) focusErrors();
    }),
  );
}

export function startForms(): void {
  focusErrors();
  focusErrorsAfterJump();
  addEventListener("beforeunload", guardLeaving);
  // A script is about to replace a part of the page: canceled if that would lose something.
  addEventListener("study:replace", (event) => {
    if (hasUnsavedEditor(event.target as Element)) event.preventDefault();
  });
  document.addEventListener("input", clearError);
  document.addEventListener("submit", onSubmit);
  document.addEventListener("input", ({ target }) => {
    if (!(target instanceof Element)) return;
    // Fields of islands are in no form.
    const form =
      target.closest<HTMLElement>("form") ?? target.closest<HTMLElement>("[data-island]");
    if (form && !("search" in form.dataset)) hasInput = true;
  });
  addEventListener("pageshow", ({ persisted }) => {
    if (persisted) resetForms();
  });
}
