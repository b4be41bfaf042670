/**
 * Completes @names in the forms of comments (templates/courses/studio/_review.html): a listbox below the text, which is a
 * combobox meanwhile (ARIA Authoring Practices). The page has the people, so nothing is fetched.
 */
import { announce } from "../shared/announce";
import { isComposing } from "../shared/composing";
import { t, tn } from "../shared/i18n";

type Person = [username: string, name: string];
type Found = { field: HTMLTextAreaElement; list: HTMLElement; from: number; people: Person[] };

const MOST = 8;
/** A mention that ends at the caret. No address: "x@a" is none. */
const MENTION = /(?:^|[\s([{"'*_~])@([\p{L}\p{N}_.+-]{0,30})$/u;
const LIST_ID = "mentions";
const ATTRIBUTES = {
  role: "combobox",
  "aria-autocomplete": "list",
  "aria-haspopup": "listbox",
  "aria-expanded": "true",
  "aria-controls": LIST_ID,
};

/** Offer people while their name is typed, until the signal ends. */
export function startMentions(signal: AbortSignal): void {
  let found: Found | null = null;
  let active = 0;

  const close = (): void => {
    if (!found) return;
    for (const name of [...Object.keys(ATTRIBUTES), "aria-activedescendant"])
      found.field.removeAttribute(name);
    found.list.remove();
    found = null;
  };
  const mark = (index: number): void => {
    if (!found) return;
    active = (index + found.people.length) % found.people.length;
    for (const [at, option] of [...found.list.children].entries()) {
      option.ariaSelected = String(at === active);
      if (at === active) option.scrollIntoView({ block: "nearest" });
    }
    found.field.setAttribute("aria-activedescendant", `${LIST_ID}-${active}`);
  };
  const choose = (index: number): void => {
    const [username] = found?.people[index] ?? [];
    if (!found || username === undefined) return;
    const { field, from } = found;
    const caret = field.selectionStart;
    const to = field.value[caret] === " " ? caret + 1 : caret; // a space that follows already is not doubled
    close();
    field.setRangeText(`@${username} `, from, to, "end");
    field.dispatchEvent(new InputEvent("input", { bubbles: true }));
    field.focus();
  };
  const show = (field: HTMLTextAreaElement): void => {
    close();
    const caret = field.selectionStart;
    const query =
      caret === field.selectionEnd ? MENTION.exec(field.value.slice(0, caret))?.[1] : undefined;
    if (query === undefined) return;
    const people = matching(peopleOf(field), query);
    if (people.length === 0) return;
    const list = document.createElement("div");
    list.className = "mentions";
    list.id = LIST_ID;
    list.role = "listbox";
    list.ariaLabel = t("People");
    list.append(...people.map(([username, name], at) => drawOption(username, name, at)));
    list.addEventListener("pointerdown", (event) => event.preventDefault()); // the focus stays in the text
    list.addEventListener("click", ({ target }) => {
      const option = (target as Element).closest("[role=option]");
      if (option) choose([...list.children].indexOf(option));
    });
    field.after(list);
    list.style.top = `${field.offsetTop + field.offsetHeight + 4}px`;
    for (const [name, value] of Object.entries(ATTRIBUTES)) field.setAttribute(name, value);
    found = { field, list, from: caret - query.length - 1, people };
    mark(0);
    announce(tn("{count} suggestion", "{count} suggestions", people.length));
  };

  document.addEventListener(
    "input",
    (event) => {
      const { target } = event;
      if (target instanceof HTMLTextAreaElement && !(event as InputEvent).isComposing) show(target);
    },
    { signal },
  );
  document.addEventListener(
    "keydown",
    (event) => {
      if (event.target !== found?.field || isComposing(event)) return;
      const { key } = event;
      if (key === "ArrowDown") mark(active + 1);
      else if (key === "ArrowUp") mark(active - 1);
      else if (key === "Enter" || key === "Tab") choose(active);
      else if (key === "Escape") close();
      else return;
      event.preventDefault();
      event.stopPropagation();
    },
    { signal, capture: true },
  );
  document.addEventListener("focusout", ({ target }) => target === found?.field && close(), {
    signal,
  });
  signal.addEventListener("abort", close);
}

function peopleOf(field: HTMLTextAreaElement): Person[] {
  try {
    return JSON.parse(field.form?.dataset.mentions ?? "[]") as Person[];
  } catch {
    return [];
  }
}

function matching(people: Person[], query: string): Person[] {
  const sought = query.toLocaleLowerCase();
  return people
    .filter(([username, name]) =>
      [username, ...name.split(" ")].some((word) => word.toLocaleLowerCase().startsWith(sought)),
    )
    .slice(0, MOST);
}

function drawOption(username: string, name: string, at: number): HTMLElement {
  const option = document.createElement("div");
  option.id = `${LIST_ID}-${at}`;
  option.role = "option";
  option.className = "mentions__one";
  const first = document.createElement("span");
  first.className = "medium";
  first.textContent = `@${username}`;
  const second = document.createElement("span");
  second.className = "small faint";
  second.textContent = name;
  option.append(first, second);
  return option;
}
