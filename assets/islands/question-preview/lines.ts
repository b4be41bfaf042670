/** The lines of a question's form: moved, removed and added in place, by buttons, keyboard and pointer. */
import { announce } from "../../shared/announce";
import { followDrag } from "../../shared/drag";
import { t } from "../../shared/i18n";

/** Let the buttons of the form work without sending it, and lines be dragged. Without this they send the form. */
export function enhanceForm(form: HTMLFormElement, signal: AbortSignal): void {
  const list = form.querySelector<HTMLOListElement>("[data-lines]");
  const kind = form.querySelector("[data-kind-row] select");
  const change = form.querySelector<HTMLButtonElement>("[data-kind-row] button");
  kind?.addEventListener("change", () => change?.click(), { signal });
  form.addEventListener("keydown", (event) => goToNextLine(form, event), { signal, capture: true });
  form.addEventListener("input", joinLines, { signal });
  if (!list) return;
  form.addEventListener(
    "click",
    (event) => {
      const button = event.target instanceof Element ? event.target.closest("button") : null;
      if (button?.name === "more") add(list);
      else if (button?.name === "act" && list.contains(button)) act(list, button);
      else return;
      event.preventDefault();
      changed(form);
    },
    { signal },
  );
  list.addEventListener(
    "pointerdown",
    (event) => {
      const grip =
        event.target instanceof Element ? event.target.closest<HTMLElement>("[data-grip]") : null;
      const line = grip?.closest("li");
      if (!grip || !line || event.button !== 0) return;
      event.preventDefault();
      const before = [...list.children];
      line.classList.add("is-moving");
      followDrag(grip, event, {
        onMove: ({ clientY }) => dragTo(list, line, clientY),
        onEnd: (isDropped) => {
          line.classList.remove("is-moving");
          if (!isDropped) list.append(...before);
          number(list);
          changed(form);
        },
      });
    },
    { signal },
  );
}

function act(list: HTMLOListElement, button: HTMLButtonElement): void {
  const line = button.closest("li");
  const [action] = button.value.split(":");
  if (!line) return;
  const near = action === "up" ? line.previousElementSibling : line.nextElementSibling;
  if (action === "remove") {
    if (list.children.length === 1) clear(line);
    else line.remove();
    (near ?? list.lastElementChild)
      ?.querySelector<HTMLElement>("input:not([type=hidden]), textarea")
      ?.focus();
    announce(t("Line removed."));
  } else if (near) {
    if (action === "up") near.before(line);
    else near.after(line);
  }
  number(list);
  if (action !== "remove") {
    if (button.disabled) line.querySelector<HTMLElement>("button[name=act]:enabled")?.focus();
    else button.focus();
    announce(t("Line moved to place {number}.", { number: [...list.children].indexOf(line) + 1 }));
  }
}

function add(list: HTMLOListElement): void {
  const line = list.lastElementChild?.cloneNode(true);
  if (!(line instanceof HTMLLIElement)) return;
  line.querySelectorAll<HTMLElement>("[data-line-editor]").forEach(removeEditor);
  clear(line);
  list.append(line);
  number(list);
  line.querySelector("textarea")?.focus();
}

function clear(line: HTMLLIElement): void {
  for (const input of line.querySelectorAll("input")) {
    if (input.name === "right") input.checked = false;
    else input.value = "";
  }
  for (const field of line.querySelectorAll("textarea")) write(field, "");
}

/** The copy of a line has a copy of what its editor drew, but no editor. */
function removeEditor(copy: HTMLElement): void {
  const field = copy.querySelector("textarea");
  if (!field) return;
  field.classList.remove("ed-field");
  for (const name of ["id", "aria-hidden", "aria-invalid", "tabindex"]) field.removeAttribute(name);
  copy.replaceChildren(field);
}

/** Set a text so that an editor over it takes it over. */
function write(field: HTMLTextAreaElement, text: string): void {
  field.value = text;
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

const CHOICE = '[data-line-editor="choice"]';

/** Enter leads from a choice to the next one, and from the last one to a new one: a choice has one line. */
function goToNextLine(form: HTMLFormElement, event: KeyboardEvent): void {
  const { key, target, isComposing } = event;
  if (key !== "Enter" || isComposing || event.ctrlKey || event.metaKey) return;
  const line = target instanceof HTMLElement ? target.closest(CHOICE) : null;
  const isWriting = target instanceof HTMLTextAreaElement || target instanceof HTMLDivElement;
  if (!line || !isWriting || target.ariaExpanded === "true") return;
  event.preventDefault();
  event.stopPropagation();
  const all = [...form.querySelectorAll(CHOICE)];
  const next = all[all.indexOf(line) + 1];
  if (next) next.querySelector("textarea")?.focus();
  else form.querySelector<HTMLButtonElement>("button[name=more]")?.click();
}

/** What was pasted into a choice over several lines stands in one. */
function joinLines({ target }: Event): void {
  if (!(target instanceof HTMLTextAreaElement) || !target.closest(CHOICE)) return;
  if (!target.value.includes("\n")) return;
  const text = target.value.replace(/\s*\n\s*/g, " ");
  queueMicrotask(() => write(target, text)); // once its editor has told all that it wrote
}

function dragTo(list: HTMLOListElement, line: HTMLLIElement, y: number): void {
  const others = [...list.children].filter((one) => one !== line);
  const next = others.find((one) => {
    const { top, height } = one.getBoundingClientRect();
    return y < top + height / 2;
  });
  if (next) next.before(line);
  else list.append(line);
}

/** Renumber the lines: their names for screen readers, which one is right, and what their buttons send. */
function number(list: HTMLOListElement): void {
  const { length } = list.children;
  [...list.children].forEach((line, index) => {
    for (const named of line.querySelectorAll("[aria-label]"))
      named.setAttribute("aria-label", withNumber(named.getAttribute("aria-label") ?? "", index));
    for (const said of line.querySelectorAll("label .vh"))
      said.textContent = withNumber(said.textContent, index);
    for (const input of line.querySelectorAll<HTMLInputElement>("input[name=right]"))
      input.value = String(index);
    for (const button of line.querySelectorAll<HTMLButtonElement>("button[name=act]")) {
      const [action = ""] = button.value.split(":");
      button.value = `${action}:${index}`;
      button.disabled =
        (action === "up" && index === 0) || (action === "down" && index === length - 1);
    }
  });
}

const withNumber = (text: string, index: number): string => text.replace(/\d+/, String(index + 1));

function changed(form: HTMLFormElement): void {
  form.dispatchEvent(new Event("input", { bubbles: true }));
}
