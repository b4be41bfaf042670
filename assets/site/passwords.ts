/** Password fields: show and hide, a live checklist of the rules, and whether both passwords match. */
import { announce } from "../shared/announce";
import { drawIcon } from "../shared/icons";

function field(id: string | undefined): HTMLInputElement | null {
  const found = id ? document.getElementById(id) : null;
  return found instanceof HTMLInputElement ? found : null;
}

function reveal(button: HTMLElement): void {
  const input = field(button.dataset.reveal);
  if (!input) return;
  const isShown = input.type === "password";
  input.type = isShown ? "text" : "password";
  button.setAttribute("aria-pressed", String(isShown));
}

/** Mark the rules that the password meets. */
function check(list: HTMLElement, input: HTMLInputElement): void {
  for (const rule of list.querySelectorAll<HTMLElement>("[data-rule]")) {
    const isMet = new RegExp(rule.dataset.rule ?? "", "u").test(input.value);
    rule.classList.toggle("met", isMet);
    const state = rule.querySelector("[data-state]");
    if (state) state.textContent = `${(isMet ? list.dataset.met : list.dataset.needed) ?? ""} `;
  }
}

/** Show that the repeated password differs, once its field was left or it is as long as the first. */
function compare(input: HTMLInputElement, isLeft: boolean): void {
  const first = field(input.dataset.matches);
  if (!first || input.value === "") return;
  const differs = first.value !== input.value;
  if (differs && !isLeft && input.value.length < first.value.length) return;
  showMismatch(input, differs);
}

function showMismatch(input: HTMLInputElement, differs: boolean): void {
  const place = document.getElementById(`${input.id}-e`);
  if (!place || differs === (input.getAttribute("aria-invalid") === "true")) return;
  place.replaceChildren();
  if (differs) {
    const sentence = document.createElement("p");
    sentence.className = "field__error";
    sentence.append(drawIcon("circle-alert"), input.dataset.mismatch ?? "");
    place.append(sentence);
    input.setAttribute("aria-invalid", "true");
    input.setAttribute("aria-describedby", place.id);
  } else {
    input.removeAttribute("aria-invalid");
    input.removeAttribute("aria-describedby");
  }
}

/** Do not send a form whose passwords differ: the server would reject it and return both fields empty. */
function preventMismatch(event: SubmitEvent, input: HTMLInputElement): void {
  const first = field(input.dataset.matches);
  if (!first || first.value === input.value) return;
  event.preventDefault();
  showMismatch(input, true);
  input.focus();
  announce(input.dataset.mismatch ?? "", "assertive");
}

/** Start the password fields of the page. */
export function startPasswords(): void {
  for (const button of document.querySelectorAll<HTMLElement>("[data-reveal]"))
    button.addEventListener("click", () => reveal(button));
  for (const list of document.querySelectorAll<HTMLElement>("[data-rules]")) {
    const input = field(list.dataset.rules);
    input?.addEventListener("input", () => check(list, input));
    if (input) check(list, input);
  }
  for (const input of document.querySelectorAll<HTMLInputElement>("[data-matches]")) {
    input.addEventListener("input", () => compare(input, false));
    input.addEventListener("blur", () => compare(input, true));
    input.form?.addEventListener("submit", (event) => preventMismatch(event, input));
    field(input.dataset.matches)?.addEventListener("input", () => compare(input, true));
  }
}
