/** The help of the keyboard shortcuts: those that work on this page, and the switch that turns them off. */
import { element, openDialog } from "../shared/dialog";
import { t } from "../shared/i18n";
import {
  areShortcutsOn,
  availableShortcuts,
  onShortcutsChange,
  type Shortcut,
  switchShortcuts,
} from "../shared/shortcuts";

const titles: Record<Shortcut["group"], () => string> = {
  playing: () => t("Playing"),
  lesson: () => t("Lessons"),
  writing: () => t("Writing"),
  page: () => t("Everywhere"),
};

function row({ label, caps }: Shortcut): HTMLElement {
  const keys = caps.map((cap) => element("kbd", "", cap));
  return element("div", "", element("dt", "", label), element("dd", "", ...keys));
}

function groups(): HTMLElement[] {
  const all = availableShortcuts();
  return (Object.keys(titles) as Shortcut["group"][]).flatMap((name) => {
    const mine = all.filter(({ group }) => group === name);
    if (mine.length === 0) return [];
    const list = element("dl", "", ...mine.map(row));
    return [element("section", "", element("h3", "", titles[name]()), list)];
  });
}

/** Open the help, unless another dialog is open. */
export function showHelp(): void {
  if (document.querySelector("dialog[open]")) return;
  const keys = element("div", "keys");
  const box = element("input");
  box.type = "checkbox";
  const label = t("Use letter and symbol shortcuts when not typing in a field");

  const show = (): void => {
    box.checked = areShortcutsOn();
    const working = groups();
    const none = element("p", "muted", t("Letter and symbol shortcuts are off."));
    keys.replaceChildren(...(working.length > 0 ? working : [none]));
  };
  show();
  box.addEventListener("change", () => switchShortcuts(box.checked));
  openDialog({
    title: t("Keyboard shortcuts"),
    className: "dialog--keys",
    body: [keys, element("label", "check mt-4", box, label)],
    // The shortcuts of the player come with its code, which may load while the help is open.
    onClose: onShortcutsChange(show),
  });
}
