/** Password fields: shown on request, a live checklist of the rules, and whether both are the same. */
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

/** Tick the rules that what is typed so far meets. */
function check(list: HTMLElement, input: HTMLInputElement): void {
  for (const rule of list.querySelectorAll<HTMLElement>("[data-rule]")) {
    const isMet = new RegExp(rule.dataset.rule ?? "", "u").test(input.value);
    rule.classList.toggle("met", isMet);
    const state = rule.querySelector("[data-state]");
    if (state) state.textContent = `${(isMet ? list.dataset.met : list.dataset.needed) ?? ""} `;
  }
}

/** Say that the repeated password differs, once it has been left or is as long as the first. */
function compare(input: HTMLInputElement, isLeft: boolean): void {
  const first = field(input.dataset.matches);
  if (!first || input.value === "") return;
  const differs = first.value !== input.value;
  if (differs && !isLeft && input.value.length < first.value.length) return;
  show(input, differs);
}

function show(input: HTMLInputElement, differs: boolean): void {
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

/** A form whose passwords differ is not sent: the server would refuse it, and both would come back empty. */
function hold(event: SubmitEvent, input: HTMLInputElement): void {
  const first = field(input.dataset.matches);
  if (!first || first.value === input.value) return;
  event.preventDefault();
  show(input, true);
  input.focus();
  announce(input.dataset.mismatch ?? "", "assertive");
}

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
    input.form?.addEventListener("submit", (event) => hold(event, input));
    field(input.dataset.matches)?.addEventListener("input", () => compare(input, true));
  }
}
