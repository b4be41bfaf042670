/**
 * The keyboard shortcuts of the page: one registry and one listener. The page and its islands register shortcuts;
 * the help shows those that are registered and available.
 */
export type Shortcut = {
  /** As `KeyboardEvent.key`, in lower case. Empty: the help shows it, and the field that it works in listens itself. */
  keys: readonly string[];
  /** The labels of the keys in the help. */
  caps: readonly string[];
  /** What it does, as the help says it. */
  label: string;
  group: "playing" | "lesson" | "writing" | "page";
  /** `key`: which of its keys was pressed. */
  run: (key: string) => void;
  /** Whether it does something on this page now; without it, always. */
  isAvailable?: () => boolean;
};

/** "off" in local storage: letters and symbols do nothing (WCAG 2.1.4). Space and the arrow keys still work. */
const SETTING = "study.shortcuts";

/** In the order of registration: of two shortcuts for one key, the later one wins. */
const lists = new Set<readonly Shortcut[]>();
/** Lists that win over those that are registered later. */
const winners = new WeakSet<readonly Shortcut[]>();
const listeners = new Set<() => void>();

function notify(): void {
  for (const listener of listeners) listener();
}

/** Call `listener` when the shortcuts or the setting change. Returns a function that stops it. */
export function onShortcutsChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function areShortcutsOn(): boolean {
  try {
    return localStorage.getItem(SETTING) !== "off";
  } catch {
    return true; // storage is blocked: use the default
  }
}

export function switchShortcuts(on: boolean): void {
  try {
    if (on) localStorage.removeItem(SETTING);
    else localStorage.setItem(SETTING, "off");
  } catch {
    // Storage is blocked: the setting cannot be stored.
  }
  showShortcutSetting();
  notify();
}

/** Tell the style sheets, as the hint in the search box must not show a key that does nothing. */
export function showShortcutSetting(): void {
  document.documentElement.dataset.keys = areShortcutsOn() ? "on" : "off";
}

/**
 * Add shortcuts, and run those whose keys were pressed before. Returns a function that removes them. `winning`: they win
 * over those that are registered later, such as the keys of a player on a page that needs J and K for itself.
 */
export function registerShortcuts(
  list: readonly Shortcut[],
  { winning = false }: { winning?: boolean } = {},
): () => void {
  lists.add(list);
  if (winning) winners.add(list);
  runEarlyKeys(list);
  notify();
  return () => {
    lists.delete(list);
    notify();
  };
}

/** The shortcuts that work on this page now, one for each key. What another one took of its keys is left out. */
export function availableShortcuts(): Shortcut[] {
  const found: Shortcut[] = [];
  const taken = new Set<string>();
  const isOn = areShortcutsOn();
  const latest = [...lists].reverse();
  const ordered = [
    ...latest.filter((list) => winners.has(list)),
    ...latest.filter((list) => !winners.has(list)),
  ];
  for (const list of ordered) {
    const free = list
      .filter(
        ({ keys, isAvailable }) =>
          (keys.length === 0 || keys.some((key) => isOn || !isCharacter(key))) &&
          (isAvailable?.() ?? true),
      )
      .flatMap((one) => withoutTaken(one, taken));
    for (const one of free) for (const key of one.keys) taken.add(key);
    found.push(...free);
  }
  return found;
}

/** The shortcut with the keys that are free; none if all of its keys are taken. */
function withoutTaken(one: Shortcut, taken: ReadonlySet<string>): Shortcut[] {
  const isFree = (_: string, place: number): boolean => !taken.has(one.keys[place] ?? "");
  const keys = one.keys.filter(isFree);
  if (keys.length === one.keys.length) return [one];
  // A label belongs to the key in its place, if each has one.
  const caps = one.caps.length === one.keys.length ? one.caps.filter(isFree) : one.caps;
  return keys.length === 0 ? [] : [{ ...one, keys, caps }];
}

function find(pressed: string): Shortcut | undefined {
  const key = pressed.toLowerCase();
  // A shortcut that also has a key without a character stays available while characters are off.
  return isCharacter(key) && !areShortcutsOn()
    ? undefined
    : availableShortcuts().find(({ keys }) => keys.includes(key));
}

function isCharacter(key: string): boolean {
  return key.length === 1 && key !== " ";
}

/** What a press of the mouse or a finger focused: Space belongs to the page then, as in any player. */
let pressed: Element | null = null;

/** Note what is focused by a press, also if a menu that was opened so gives the focus back. */
export function watchPresses(): void {
  document.addEventListener("pointerdown", ({ target }) => notePress(target), { capture: true });
  document.addEventListener(
    "keydown",
    ({ key }) => {
      if (key === "Tab") pressed = null;
    },
    { capture: true },
  );
}

function notePress(target: EventTarget | null): void {
  const button = target instanceof Element ? target.closest("button, a[href], summary") : null;
  // A choice in a menu was made with the mouse: its opener, which gets the focus, was pressed before.
  if (!button?.closest("[role=menu], .menu__panel")) pressed = button;
}

/** Whether the focused element uses the key itself, or a dialog is open. */
export function isKeyInUse(target: EventTarget | null, key: string): boolean {
  if (document.querySelector("dialog[open]")) return true;
  if (!(target instanceof HTMLElement)) return false;
  const letterless = ["checkbox", "radio", "range", "button", "submit", "reset"];
  const input = target.closest("input");
  if (input && !letterless.includes(input.type)) return true;
  if (target.isContentEditable || target.closest("textarea, select, [role=textbox]")) return true;
  if (target.closest("[role=menu], details.menu[open]")) return true;
  if (key === " ") {
    const control = target.closest("button, a[href], summary, input:not([type=range])");
    return control !== null && control !== pressed;
  }
  if (key.length > 1 && target.closest("[role=tablist]")) return true;
  // Arrow keys scroll areas and move sliders.
  if (key.length > 1) return target.closest("[role=slider], [data-scroll], input") !== null;
  // In a question, letters choose its answers.
  return /^[a-z]$/i.test(key) && target.closest(".answers") !== null;
}

type Key = Pick<
  KeyboardEvent,
  "key" | "altKey" | "ctrlKey" | "metaKey" | "defaultPrevented" | "target"
>;

/** The shortcut of a key event; undefined if the key is meant for something else. */
export function shortcutOf(event: Key): Shortcut | undefined {
  if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return undefined;
  return isKeyInUse(event.target, event.key) ? undefined : find(event.key);
}

/** Listen for keys on the whole page. */
export function startShortcuts(): void {
  watchPresses();
  document.addEventListener("keydown", (event) => {
    const shortcut = shortcutOf(event);
    if (!shortcut) return;
    event.preventDefault();
    shortcut.run(event.key);
  });
}

/** Run shortcuts whose keys the script in the head has recorded (site/islandStart.ts), once and in order. */
function runEarlyKeys(list: readonly Shortcut[]): void {
  const root = document.documentElement;
  const early = root.dataset.earlyKeys?.split(" ") ?? [];
  const mine = new Set(list.flatMap(({ keys }) => keys));
  const rest = early.filter((key) => !mine.has(key.toLowerCase()));
  if (rest.length === early.length) return;
  if (rest.length > 0) root.dataset.earlyKeys = rest.join(" ");
  else delete root.dataset.earlyKeys;
  for (const key of early) if (mine.has(key.toLowerCase())) find(key)?.run(key);
}
