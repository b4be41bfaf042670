/**
 * Forms with `data-check="/address"`: the server validates the fields while they are filled in, so the messages are
 * those of the form itself. A field shows its messages after it was visited, and only while they apply.
 */
import { announce } from "../shared/announce";
import { tn } from "../shared/i18n";
import { drawIcon } from "../shared/icons";

const DEBOUNCE_MS = 350;
type Control = HTMLInputElement | HTMLTextAreaElement;
/** Messages by field name. */
type Verdict = Record<string, string[]>;

function errorElementOf(control: Control): HTMLElement {
  const id = `${control.id}-e`;
  const found = document.getElementById(id);
  if (found && !found.matches(".field__error")) return found;
  // Replace the message that the server rendered with an element that stays on the page.
  const errors = document.createElement("div");
  errors.className = "field__errors";
  found?.replaceWith(errors);
  errors.id = id;
  if (!found) control.closest(".field")?.append(errors);
  return errors;
}

/** Show the messages below a field and announce them; a valid field has none. */
export function showMessages(control: Control, messages: string[]): void {
  const errors = errorElementOf(control);
  const before = [...errors.children].map((one) => one.textContent);
  if (messages.join("\n") === before.join("\n")) return;
  errors.replaceChildren(
    ...messages.map((message) => {
      const sentence = document.createElement("p");
      sentence.className = "field__error";
      const text = document.createElement("span");
      text.textContent = message;
      sentence.append(drawIcon("circle-alert"), text);
      return sentence;
    }),
  );
  const described = new Set((control.getAttribute("aria-describedby") ?? "").split(" "));
  described.delete("");
  if (messages.length > 0) {
    described.add(errors.id);
    control.setAttribute("aria-invalid", "true");
    announce(messages.join(" "));
  } else {
    described.delete(errors.id);
    control.removeAttribute("aria-invalid");
  }
  if (described.size > 0) control.setAttribute("aria-describedby", [...described].join(" "));
  else control.removeAttribute("aria-describedby");
}

/** Update the line of this field in the error summary above the form; a valid field has none. */
export function updateSummary(control: Control, messages: string[]): void {
  const link = document.querySelector(`[data-errors] li > a[href="#${control.id}"]`);
  const summary = link?.closest("[data-errors]");
  const line = link?.parentElement;
  if (!link || !line || !summary) return;
  if (messages.length > 0) {
    line.replaceChildren(link, `: ${messages[0]}`);
    return;
  }
  line.remove();
  const left = summary.querySelectorAll("li").length;
  const count = summary.querySelector("[data-count]");
  if (left === 0) summary.remove();
  else if (count)
    count.textContent = tn("{count} field needs attention", "{count} fields need attention", left);
}

function watch(form: HTMLFormElement): void {
  const visited = new Set<string>();
  const controls = (): Control[] =>
    [...form.elements].filter(
      (one): one is Control =>
        (one instanceof HTMLInputElement || one instanceof HTMLTextAreaElement) &&
        one.type !== "hidden" &&
        one.name !== "",
    );
  for (const control of controls())
    if (control.getAttribute("aria-invalid") === "true") visited.add(control.name);
  let timer: number | undefined;
  let requests = 0;

  async function validate(): Promise<void> {
    requests += 1;
    const mine = requests;
    try {
      const response = await fetch(form.dataset.check ?? "", {
        method: "POST",
        body: new FormData(form),
      });
      if (!response.ok || mine !== requests) return;
      const verdict = (await response.json()) as Verdict;
      for (const control of controls())
        if (visited.has(control.name)) {
          const messages = verdict[control.name] ?? [];
          showMessages(control, messages);
          updateSummary(control, messages);
        }
    } catch {
      // Offline or interrupted: the form is validated when it is sent.
    }
  }
  function validateSoon(): void {
    clearTimeout(timer);
    timer = window.setTimeout(() => void validate(), DEBOUNCE_MS);
  }

  form.addEventListener("focusout", ({ target }) => {
    const control = controls().find((one) => one === target);
    // A field that was passed through without input is not wrong yet.
    if (
      !control ||
      (control.type !== "checkbox" && control.value === "" && !visited.has(control.name))
    )
      return;
    if (control.type === "checkbox") return;
    visited.add(control.name);
    validateSoon();
  });
  form.addEventListener("input", ({ target }) => {
    const control = controls().find((one) => one === target);
    if (!control) return;
    if (control.type === "checkbox") visited.add(control.name);
    if (visited.size > 0) validateSoon();
  });
  form.addEventListener("submit", () => clearTimeout(timer));
}

/** Validate each form of the page that names an address. */
export function startLiveValidation(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>("form[data-check]")) watch(form);
}
