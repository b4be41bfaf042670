/**
 * `data-check="/address"`: a form whose fields are judged by the server while they are filled in, so that the
 * words are the server's own. A field is spoken of once it was left, and only while it stands against a rule.
 */
import { announce } from "../shared/announce";
import { tn } from "../shared/i18n";
import { drawIcon } from "../shared/icons";

const PAUSE = 350;
type Control = HTMLInputElement | HTMLTextAreaElement;
type Verdict = Record<string, string[]>;

function placeOf(control: Control): HTMLElement {
  const id = `${control.id}-e`;
  const found = document.getElementById(id);
  if (found && !found.matches(".field__error")) return found;
  // The server draws a sentence of its own where there is one; from here on it stands in a place that stays.
  const place = document.createElement("div");
  place.className = "field__errors";
  found?.replaceWith(place);
  place.id = id;
  if (!found) control.closest(".field")?.append(place);
  return place;
}

function say(control: Control, messages: string[]): void {
  const place = placeOf(control);
  const before = [...place.children].map((one) => one.textContent);
  if (messages.join("\n") === before.join("\n")) return;
  place.replaceChildren(
    ...messages.map((message) => {
      const sentence = document.createElement("p");
      sentence.className = "field__error";
      const words = document.createElement("span");
      words.textContent = message;
      sentence.append(drawIcon("circle-alert"), words);
      return sentence;
    }),
  );
  const described = new Set((control.getAttribute("aria-describedby") ?? "").split(" "));
  described.delete("");
  if (messages.length > 0) {
    described.add(place.id);
    control.setAttribute("aria-invalid", "true");
    announce(messages.join(" "));
  } else {
    described.delete(place.id);
    control.removeAttribute("aria-invalid");
  }
  if (described.size > 0) control.setAttribute("aria-describedby", [...described].join(" "));
  else control.removeAttribute("aria-describedby");
}

/** What the form was refused for stands above it, a line a field: a field that is right by now has none. */
function strike(control: Control, messages: string[]): void {
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
  const left = new Set<string>();
  const controls = (): Control[] =>
    [...form.elements].filter(
      (one): one is Control =>
        (one instanceof HTMLInputElement || one instanceof HTMLTextAreaElement) &&
        one.type !== "hidden" &&
        one.name !== "",
    );
  for (const control of controls())
    if (control.getAttribute("aria-invalid") === "true") left.add(control.name);
  let timer: number | undefined;
  let asked = 0;

  async function ask(): Promise<void> {
    asked += 1;
    const mine = asked;
    try {
      const answer = await fetch(form.dataset.check ?? "", {
        method: "POST",
        body: new FormData(form),
      });
      if (!answer.ok || mine !== asked) return;
      const verdict = (await answer.json()) as Verdict;
      for (const control of controls())
        if (left.has(control.name)) {
          const messages = verdict[control.name] ?? [];
          say(control, messages);
          strike(control, messages);
        }
    } catch {
      // Offline or interrupted: the form says it when it is sent.
    }
  }
  function soon(): void {
    clearTimeout(timer);
    timer = window.setTimeout(() => void ask(), PAUSE);
  }

  form.addEventListener("focusout", ({ target }) => {
    const control = controls().find((one) => one === target);
    // A field that was only passed through is not yet wrong.
    if (
      !control ||
      (control.type !== "checkbox" && control.value === "" && !left.has(control.name))
    )
      return;
    if (control.type === "checkbox") return;
    left.add(control.name);
    soon();
  });
  form.addEventListener("input", ({ target }) => {
    const control = controls().find((one) => one === target);
    if (!control) return;
    if (control.type === "checkbox") left.add(control.name);
    if (left.size > 0) soon();
  });
  form.addEventListener("submit", () => clearTimeout(timer));
}

export function startChecking(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>("form[data-check]")) watch(form);
}
