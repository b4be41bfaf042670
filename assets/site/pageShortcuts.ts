/** The keyboard shortcuts of every page, and the controls that open their help or turn them off. */
import {
  areShortcutsOn,
  onShortcutsChange,
  registerShortcuts,
  type Shortcut,
  startShortcuts,
  showShortcutSetting,
  switchShortcuts,
} from "../shared/shortcuts";
import { t } from "../shared/i18n";
import { toast } from "../shared/toasts";
import { focusSearch, hasSearch } from "./search";

/** A shortcut that clicks the first element with this selector; available where there is one. */
function press(selector: string): Pick<Shortcut, "run" | "isAvailable"> {
  const find = () => document.querySelector<HTMLElement>(selector);
  return { run: () => find()?.click(), isAvailable: () => find() !== null };
}

const help = (): void =>
  void import("./shortcutsHelp").then(
    ({ showHelp }) => showHelp(),
    () => toast(t("The dialog could not be loaded. Check your connection, then try again.")),
  );

function pageShortcuts(): Shortcut[] {
  return [
    {
      keys: ["n"],
      caps: ["N"],
      label: t("Next lesson"),
      group: "lesson",
      ...press(".ways a[rel=next]"),
    },
    {
      keys: ["p"],
      caps: ["P"],
      label: t("Previous lesson"),
      group: "lesson",
      ...press(".ways a[rel=prev]"),
    },
    {
      keys: ["b"],
      caps: ["B"],
      label: t("Bookmark the course"),
      group: "lesson",
      ...press("form[data-bookmark] .btn, .enroll .bookmark"),
    },
    {
      keys: ["/"],
      caps: ["/"],
      label: t("Search"),
      group: "page",
      run: focusSearch,
      isAvailable: hasSearch,
    },
    {
      keys: ["h"],
      caps: ["H"],
      label: t("Home"),
      group: "page",
      run: () => location.assign("/"),
      isAvailable: () => location.pathname !== "/",
    },
    { keys: ["?"], caps: ["?"], label: t("This help"), group: "page", run: help },
  ];
}

/** `[data-keys-switch]`: a checkbox that turns shortcuts on and off; `[data-keys-help]`: a button that opens the help. */
export function startPageShortcuts(): void {
  showShortcutSetting();
  startShortcuts();
  registerShortcuts(pageShortcuts());
  document.addEventListener("click", ({ target }) => {
    if (target instanceof Element && target.closest("[data-keys-help]")) help();
  });
  for (const box of document.querySelectorAll<HTMLInputElement>("input[data-keys-switch]")) {
    const show = (): void => void (box.checked = areShortcutsOn());
    show();
    onShortcutsChange(show);
    box.addEventListener("change", () => switchShortcuts(box.checked));
  }
}
