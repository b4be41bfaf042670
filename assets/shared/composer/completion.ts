/** What is being completed before the caret: "@am" a person, "#eig" a topic, "/tab" a block. */
export type TriggerKind = "person" | "topic" | "block";
export type Trigger = { kind: TriggerKind; query: string; from: number };

const MAX_QUERY = 30;
const kinds = new Map<string, TriggerKind>([
  ["@", "person"],
  ["#", "topic"],
  ["/", "block"],
]);
/** A block begins at the start of a line, or of an item. */
const LINE_START = /(?:^|\n)[ \t]*(?:>[ \t]?)*(?:[-*+][ \t]+|\d{1,9}[.)][ \t]+)?$/;

/** The trigger that ends at the caret; null if there is none, or the caret is within code. */
export function triggerAt(text: string, caret: number): Trigger | null {
  const before = text.slice(0, caret);
  const found = /(?:^|[\s([{"'*_~])([@#/])([\p{L}\p{N}_.-]*)$/u.exec(before);
  if (!found) return null;
  const [, sign = "", query = ""] = found;
  const kind = kinds.get(sign);
  if (kind === undefined) return null;
  const from = caret - query.length - 1;
  if (query.length > MAX_QUERY || (kind === "topic" && query.length < 2) || isInCode(before))
    return null;
  if (kind === "block" && !LINE_START.test(before.slice(0, from))) return null;
  return { kind, query, from };
}

/** Whether a text ends within a block of code, or after an odd number of backticks in its last paragraph. */
function isInCode(before: string): boolean {
  const fences = before.match(/^ {0,3}```/gm)?.length ?? 0;
  if (fences % 2 === 1) return true;
  const paragraph = before.slice(before.lastIndexOf("\n\n") + 1).replace(/^ {0,3}```.*$/gm, "");
  return (paragraph.match(/`/g)?.length ?? 0) % 2 === 1;
}
