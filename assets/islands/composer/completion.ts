/** What is being completed before the caret: "@am" a person, "#eig" a topic. */
export type Trigger = { kind: "person" | "topic"; query: string; from: number };

const MOST = 30;

/** The trigger that ends at the caret; null if there is none, or the caret is within code. */
export function triggerAt(text: string, caret: number): Trigger | null {
  const before = text.slice(0, caret);
  const found = /(?:^|[\s([{"'*_~])([@#])([\p{L}\p{N}_.-]*)$/u.exec(before);
  if (!found) return null;
  const [, sign, query = ""] = found;
  if (query.length > MOST || (sign === "#" && query.length < 2) || isInCode(before)) return null;
  return {
    kind: sign === "@" ? "person" : "topic",
    query,
    from: caret - query.length - 1,
  };
}

/** Whether a text ends within a block of code, or after an odd number of backticks in its last paragraph. */
function isInCode(before: string): boolean {
  const fences = before.match(/^ {0,3}```/gm)?.length ?? 0;
  if (fences % 2 === 1) return true;
  const paragraph = before.slice(before.lastIndexOf("\n\n") + 1).replace(/^ {0,3}```.*$/gm, "");
  return (paragraph.match(/`/g)?.length ?? 0) % 2 === 1;
}
