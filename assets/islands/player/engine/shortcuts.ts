/** The keys of the player: which key means what, and when a key is meant for something else. */
export type Command =
  | "toggle"
  | "mute"
  | "fullscreen"
  | "back"
  | "forward"
  | "faster"
  | "slower"
  | "next"
  | "previous"
  | "bookmark"
  | "help"
  | "home"
  | "captions";

const keys: Record<string, Command> = {
  " ": "toggle",
  m: "mute",
  f: "fullscreen",
  arrowleft: "back",
  arrowright: "forward",
  "+": "faster",
  "=": "faster", // the same key without Shift
  "-": "slower",
  n: "next",
  p: "previous",
  b: "bookmark",
  c: "captions",
  "?": "help",
  h: "home",
};

/** Elements that use the key themselves. */
function isTaken(target: Element, key: string): boolean {
  const field = "input:not([type=checkbox]):not([type=radio]), textarea, select, [role=textbox]";
  if (target.closest(field) ?? (target as HTMLElement).isContentEditable) return true;
  if (target.closest("[role=menu], [role=tablist], dialog")) return true;
  if (key === " ") return target.closest("button, a[href], summary, input, [role=slider]") !== null;
  // Arrows scroll what can be scrolled and move what can be moved.
  if (key.startsWith("arrow"))
    return target.closest("[role=slider], [data-scroll], input") !== null;
  return false;
}

type Key = Pick<KeyboardEvent, "key" | "altKey" | "ctrlKey" | "metaKey" | "defaultPrevented"> & {
  target: EventTarget | null;
};

/** What a key asks of the player; null if it is meant for something else. */
export function commandOf(event: Key): Command | null {
  if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return null;
  if (document.querySelector("dialog[open]")) return null;
  const key = event.key.toLowerCase();
  const command = Object.hasOwn(keys, key) ? keys[key] : undefined;
  if (!command) return null;
  return event.target instanceof Element && isTaken(event.target, key) ? null : command;
}
