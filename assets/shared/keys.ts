/**
 * The page's keyboard shortcuts: one list and one listener. The page and its islands offer shortcuts;
 * what is offered is what works, and what the help shows.
 */
export type Shortcut = {
  /** As `KeyboardEvent.key`, in lower case. */
  keys: readonly string[];
  /** What stands on the keys that the help shows. */
  caps: readonly string[];
  /** What it does, in words. */
  label: string;
  group: "playing" | "lesson" | "page";
  run: () => void;
  /** Whether there is something to do here; without it there always is. */
  isAvailable?: () => boolean;
};

/** "off" in the browser's storage: letters and signs do nothing (WCAG 2.1.4). Space and the arrows still work. */
const SETTING = "study.shortcuts";

/** In the order in which they were offered: of two for the same key the later one counts. */
const lists = new Set<readonly Shortcut[]>();
const listeners = new Set<() => void>();

function changed(): void {
  for (const listener of listeners) listener();
}

/** Be told when other shortcuts are offered, or the setting changes. Returns how to stop. */
export function onChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function areKeysOn(): boolean {
  try {
    return localStorage.getItem(SETTING) !== "off";
  } catch {
    return true; // storage is blocked: the default holds
  }
}

export function switchKeys(on: boolean): void {
  try {
    if (on) localStorage.removeItem(SETTING);
    else localStorage.setItem(SETTING, "off");
  } catch {
    // Storage is blocked: there is nowhere to keep it.
  }
  showSetting();
  changed();
}

/** The hint in the search box must not name a key that does nothing. */
export function showSetting(): void {
  document.documentElement.dataset.keys = areKeysOn() ? "on" : "off";
}

/** Offer shortcuts. Keys that were pressed before their code was there act now. Returns how to withdraw them. */
export function offer(list: readonly Shortcut[]): () => void {
  lists.add(list);
  runEarly(list);
  changed();
  return () => {
    lists.delete(list);
    changed();
  };
}

/** What works on this page now, one for each key. */
export function offered(): Shortcut[] {
  const found: Shortcut[] = [];
  const taken = new Set<string>();
  const isOn = areKeysOn();
  for (const list of [...lists].reverse()) {
    const free = list.filter(
      ({ keys, isAvailable }) =>
        keys.some((key) => isOn || !isCharacter(key)) &&
        !keys.some((key) => taken.has(key)) &&
        (isAvailable?.() ?? true),
    );
    for (const one of free) for (const key of one.keys) taken.add(key);
    found.push(...free);
  }
  return found;
}

function find(pressed: string): Shortcut | undefined {
  const key = pressed.toLowerCase();
  return offered().find(({ keys }) => keys.includes(key));
}

function isCharacter(key: string): boolean {
  return key.length === 1 && key !== " ";
}

/** Elements that use the key themselves, and dialogs that are open above the page. */
export function isTaken(target: EventTarget | null, key: string): boolean {
  if (document.querySelector("dialog[open]")) return true;
  if (!(target instanceof HTMLElement)) return false;
  const letterless = ["checkbox", "radio", "range", "button", "submit", "reset"];
  const input = target.closest("input");
  if (input && !letterless.includes(input.type)) return true;
  if (target.isContentEditable || target.closest("textarea, select, [role=textbox]")) return true;
  if (target.closest("[role=menu], [role=tablist], details.menu[open]")) return true;
  if (key === " ") return target.closest("button, a[href], summary, input, [role=slider]") !== null;
  // Arrows scroll what can be scrolled and move what can be moved.
  if (key.length > 1) return target.closest("[role=slider], [data-scroll], input") !== null;
  // In a question the letters stand for its answers.
  return /^[a-z]$/i.test(key) && target.closest(".answers") !== null;
}

type Key = Pick<
  KeyboardEvent,
  "key" | "altKey" | "ctrlKey" | "metaKey" | "defaultPrevented" | "target"
>;

/** The shortcut that a key asks for; undefined if the key is meant for something else. */
export function shortcutOf(event: Key): Shortcut | undefined {
  if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return undefined;
  return isTaken(event.target, event.key) ? undefined : find(event.key);
}

/** Listen on the whole page. */
export function startListening(): void {
  document.addEventListener("keydown", (event) => {
    const shortcut = shortcutOf(event);
    if (!shortcut) return;
    event.preventDefault();
    shortcut.run();
  });
}

/** Keys that the script in the head has kept (site/early.ts). Each acts once, in the order of the presses. */
function runEarly(list: readonly Shortcut[]): void {
  const root = document.documentElement;
  const early = root.dataset.early?.split(" ") ?? [];
  const mine = new Set(list.flatMap(({ keys }) => keys));
  const rest = early.filter((key) => !mine.has(key.toLowerCase()));
  if (rest.length === early.length) return;
  if (rest.length > 0) root.dataset.early = rest.join(" ");
  else delete root.dataset.early;
  for (const key of early) if (mine.has(key.toLowerCase())) find(key)?.run();
}
