/** The keys of the editor. They work while one types, so all have Alt. */
import { t } from "../../shared/i18n";

export type KeyAction =
  | "toggle" | "replay" | "begin" | "end" | "split" | "merge" | "add" | "delete"
  | "warning" | "next" | "previous" | "check" | "back" | "forth" | "shift"; // prettier-ignore

/** By the place of the key on the keyboard, as Alt changes what some keys write. */
const CODES: Readonly<Record<string, KeyAction>> = {
  KeyK: "toggle",
  KeyR: "replay",
  BracketLeft: "begin",
  BracketRight: "end",
  Enter: "split",
  NumpadEnter: "split",
  KeyM: "merge",
  KeyA: "add",
  Delete: "delete",
  KeyN: "warning",
  ArrowDown: "next",
  ArrowUp: "previous",
  KeyC: "check",
  KeyJ: "back",
  KeyL: "forth",
  KeyS: "shift",
};

type Press = Pick<KeyboardEvent, "code" | "altKey" | "ctrlKey" | "metaKey" | "shiftKey">;

export function actionOf({
  code,
  altKey,
  ctrlKey,
  metaKey,
  shiftKey,
}: Press): KeyAction | undefined {
  if (!altKey || ctrlKey || metaKey || shiftKey) return undefined; // AltGr is Ctrl and Alt
  return CODES[code];
}

/** Undo and redo, also while one types: a text field would only know of itself. */
export function historyOf({
  code,
  key,
  ctrlKey,
  metaKey,
  altKey,
  shiftKey,
}: Press & { key: string }): "undo" | "redo" | undefined {
  if (altKey || !(ctrlKey || metaKey)) return undefined;
  const isZ = key.toLowerCase() === "z" || (key.length !== 1 && code === "KeyZ");
  if (isZ) return shiftKey ? "redo" : "undo";
  return key.toLowerCase() === "y" && ctrlKey ? "redo" : undefined;
}

/** Ctrl+F, as the browser would only find what is drawn of the list. */
export const isFind = ({ key, ctrlKey, metaKey, altKey, shiftKey }: Press & { key: string }) =>
  (ctrlKey || metaKey) && !altKey && !shiftKey && key.toLowerCase() === "f";

/** What the keys do, for the list beside the video: Alt and a key. */
export const keyHelp = (): readonly [string, readonly string[]][] => [
  [t("Play, pause"), ["K"]],
  [t("Play this caption"), ["R"]],
  [t("Back, forth 1 s"), ["J", "L"]],
  [t("Begin, end here"), ["[", "]"]],
  [t("Split at the cursor"), ["Enter"]],
  [t("Merge with next"), ["M"]],
  [t("Add a caption"), ["A"]],
  [t("Delete it"), ["Delete"]],
  [t("Next, previous"), ["↓", "↑"]],
  [t("Next warning"), ["N"]],
  [t("Mark as checked"), ["C"]],
  [t("Shift captions"), ["S"]],
];
