/** The help of the keyboard shortcuts: what works on this page, and how to switch the keys off. */
import { drawIcon } from "../shared/icons";
import { t } from "../shared/i18n";
import { areKeysOn, offered, onChange, type Shortcut, switchKeys } from "../shared/keys";

const titles: Record<Shortcut["group"], () => string> = {
  playing: () => t("Playing"),
  lesson: () => t("Lessons"),
  page: () => t("Everywhere"),
};

function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  className = "",
  text = "",
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text) made.textContent = text;
  return made;
}

function row({ label, caps }: Shortcut): HTMLElement {
  const line = element("div");
  const keys = element("dd");
  keys.append(...caps.map((cap) => element("kbd", "", cap)));
  line.append(element("dt", "", label), keys);
  return line;
}

function groups(): HTMLElement[] {
  const all = offered();
  return (Object.keys(titles) as Shortcut["group"][]).flatMap((name) => {
    const mine = all.filter(({ group }) => group === name);
    if (mine.length === 0) return [];
    const part = element("section");
    const list = element("dl");
    list.append(...mine.map(row));
    part.append(element("h3", "", titles[name]()), list);
    return [part];
  });
}

/** Open the help. It closes by its cross, Escape, or a press beside it; the focus returns where it was. */
export function showHelp(): void {
  if (document.querySelector("dialog[open]")) return;
  const before = document.activeElement;
  const dialog = element("dialog", "dialog dialog--keys");
  dialog.setAttribute("aria-labelledby", "keys-title");

  const head = element("div", "dialog__head");
  const title = element("h2", "h4", t("Keyboard shortcuts"));
  title.id = "keys-title";
  const cross = element("button", "icon-btn icon-btn--sm");
  cross.type = "button";
  cross.setAttribute("aria-label", t("Close"));
  cross.append(drawIcon("x"));
  head.append(title, cross);

  const body = element("div", "dialog__body");
  const keys = element("div", "keys");
  const choice = element("label", "check mt-4");
  const box = element("input");
  box.type = "checkbox";
  choice.append(box, t("Use letter and symbol shortcuts when not typing in a field"));
  body.append(keys, choice);
  dialog.append(head, body);

  const show = (): void => {
    box.checked = areKeysOn();
    const working = groups();
    const none = element("p", "muted", t("Letter and symbol shortcuts are off."));
    keys.replaceChildren(...(working.length > 0 ? working : [none]));
  };
  show();
  // The player's keys come with it: it may arrive while this is open.
  const stop = onChange(show);
  box.addEventListener("change", () => switchKeys(box.checked));
  cross.addEventListener("click", () => dialog.close());
  dialog.addEventListener("pointerdown", ({ target }) => {
    if (target === dialog) dialog.close();
  });
  dialog.addEventListener("close", () => {
    stop();
    dialog.remove();
    if (before instanceof HTMLElement) before.focus();
  });
  document.body.append(dialog);
  dialog.showModal();
}
