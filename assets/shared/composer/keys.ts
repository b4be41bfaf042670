/** The keys of the composer. */
import type { Tool } from "../editor/editing";
import { t } from "../i18n";
import type { Shortcut } from "../shortcuts";

type Key = { key: string; shift?: boolean };

/** Tools without keys are in the toolbar and in the menu behind "/". */
const keys: Partial<Record<Tool, Key>> = {
  bold: { key: "b" },
  italic: { key: "i" },
  link: { key: "k" },
  code: { key: "e" },
  formula: { key: "f", shift: true },
  quote: { key: "period", shift: true },
  numbers: { key: "digit7", shift: true },
  list: { key: "digit8", shift: true },
  heading: { key: "digit2", shift: true },
};
const symbols: Record<string, string> = { period: ".", digit7: "7", digit8: "8", digit2: "2" };

export function isMac(): boolean {
  return /mac|iphone|ipad/i.test(navigator.userAgent);
}

const control = (): string => (isMac() ? "⌘" : t("Ctrl"));

/** The labels of the keys of a tool. */
export function capsOf(tool: Tool): string[] {
  const found = keys[tool];
  if (!found) return [];
  const { key, shift } = found;
  const cap = symbols[key] ?? key.toUpperCase();
  return [control(), ...(shift ? [isMac() ? "⇧" : t("Shift")] : []), cap];
}

type Pressed = Pick<KeyboardEvent, "key" | "code" | "ctrlKey" | "metaKey" | "shiftKey" | "altKey">;

/** What a key event asks for: a tool, or that the text is posted. */
export function commandOf(event: Pressed): Tool | "post" | null {
  const isControl = isMac() ? event.metaKey : event.ctrlKey;
  if (!isControl || event.altKey) return null;
  if (event.key === "Enter") return event.shiftKey ? null : "post";
  // Digits and signs by their place: with Shift they are other characters.
  const names = [event.key.toLowerCase(), event.code.toLowerCase()];
  const found = (Object.entries(keys) as [Tool, Key][]).find(
    ([, { key, shift = false }]) => names.includes(key) && shift === event.shiftKey,
  );
  return found?.[0] ?? null;
}

/** For the help of the keyboard shortcuts; the textarea itself listens for these keys. */
export function shortcutsOf(): Shortcut[] {
  const labels: Partial<Record<Tool, string>> = {
    bold: t("Bold"),
    italic: t("Italic"),
    link: t("Link"),
    code: t("Code"),
    formula: t("Formula"),
    quote: t("Quote"),
    numbers: t("Numbered list"),
    list: t("List"),
    heading: t("Heading"),
  };
  const one = (label: string, caps: string[]): Shortcut => ({
    keys: [],
    caps,
    label,
    group: "writing",
    run: () => undefined,
  });
  return [
    ...(Object.entries(labels) as [Tool, string][]).map(([tool, label]) =>
      one(label, capsOf(tool)),
    ),
    one(t("Post"), [control(), t("Enter")]),
    one(t("Mention a person"), ["@"]),
    one(t("Link to a topic"), ["#"]),
    one(t("Insert a block"), ["/"]),
  ];
}
