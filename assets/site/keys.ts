/** The shortcuts that pages have without an island, and the ways to their help. */
import {
  areKeysOn,
  offer,
  onChange,
  type Shortcut,
  startListening,
  showSetting,
  switchKeys,
} from "../shared/keys";
import { t } from "../shared/i18n";
import { focusSearch, hasSearch } from "./search";

/** Presses the first of these that is on the page. */
function press(selector: string): Pick<Shortcut, "run" | "isAvailable"> {
  const find = () => document.querySelector<HTMLElement>(selector);
  return { run: () => find()?.click(), isAvailable: () => find() !== null };
}

const help = (): void => void import("./keysHelp").then(({ showHelp }) => showHelp());

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
      ...press("[data-bookmark], .enroll .ribbon"),
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

/** `[data-keys-switch]`: a box that turns the keys on and off; `[data-keys-help]`: opens the help. */
export function startKeys(): void {
  showSetting();
  startListening();
  offer(pageShortcuts());
  document.addEventListener("click", ({ target }) => {
    if (target instanceof Element && target.closest("[data-keys-help]")) help();
  });
  for (const box of document.querySelectorAll<HTMLInputElement>("input[data-keys-switch]")) {
    const show = (): void => void (box.checked = areKeysOn());
    show();
    onChange(show);
    box.addEventListener("change", () => switchKeys(box.checked));
  }
}
