import { t } from "../i18n";
import { newTable } from "./newTable";

/** What the buttons of the toolbar do to a text, as one replacement, so that the browser can undo it. */
export type Selection = { text: string; start: number; end: number };

export type Edit = {
  /** The part that is replaced. */
  from: number;
  to: number;
  insert: string;
  /** What is selected afterwards. */
  start: number;
  end: number;
};

export const tools = [
  "bold",
  "italic",
  "heading",
  "list",
  "numbers",
  "quote",
  "callout",
  "code",
  "formula",
  "link",
  "table",
] as const;
export type Tool = (typeof tools)[number];

/** Put marks around the selection, or take them away if they are there. */
function wrap({ text, start, end }: Selection, mark: string): Edit {
  const length = mark.length;
  const [before, after] = [text.slice(start - length, start), text.slice(end, end + length)];
  // "*" within "**" is no mark of its own.
  const isPart = mark === "*" && (text[start - 2] === "*") !== (text[start - 3] === "*");
  const selected = text.slice(start, end);
  if (start >= length && before === mark && after === mark && !isPart)
    return {
      from: start - length,
      to: end + length,
      insert: selected,
      start: start - length,
      end: end - length,
    };
  return {
    from: start,
    to: end,
    insert: mark + selected + mark,
    start: start + length,
    end: end + length,
  };
}

/** Begin each line of the selection with a prefix, or take the prefixes away if all lines have one. */
function prefix(selection: Selection, prefixOf: (line: number) => string, known: RegExp): Edit {
  const { text, start, end } = selection;
  const from = text.lastIndexOf("\n", start - 1) + 1;
  const next = text.indexOf("\n", Math.max(start, end - (text[end - 1] === "\n" ? 1 : 0)));
  const to = next === -1 ? text.length : next;
  const lines = text.slice(from, to).split("\n");
  const isOn = lines.every((line) => known.test(line));
  const changed = lines.map((line, at) =>
    isOn
      ? line.replace(known, "")
      : prefixOf(at) + line.replace(/^(?:[-*] |\d+\. |> |#{1,6} )/, ""),
  );
  const body = changed.join("\n");
  // A list or a quotation begins after an empty line.
  const isWithin = from > 0 && text[from - 2] !== "\n" && !isOn;
  const insert = (isWithin ? "\n" : "") + body;
  const last = from + insert.length;
  return lines.length > 1
    ? { from, to, insert, start: last - body.length, end: last }
    : { from, to, insert, start: last, end: last };
}

function block({ text, start, end }: Selection, fence: string): Edit {
  const selected = text.slice(start, end);
  const before = start === 0 || text[start - 1] === "\n" ? "" : "\n";
  const after = end === text.length || text[end] === "\n" ? "" : "\n";
  const insert = `${before}${fence}\n${selected}\n${fence}${after}`;
  const first = start + before.length + fence.length + 1;
  return { from: start, to: end, insert, start: first, end: first + selected.length };
}

function link({ text, start, end }: Selection): Edit {
  const selected = text.slice(start, end);
  const isAddress = /^https?:\/\/\S+$/.test(selected);
  const insert = isAddress ? `[](${selected})` : `[${selected}](https://)`;
  // What is missing is selected: the words of an address, or the address of the words.
  const place = isAddress ? start + 1 : start + selected.length + 3;
  return { from: start, to: end, insert, start: place, end: isAddress ? place : place + 8 };
}

/** A heading, then a smaller one, then a paragraph again. */
function heading(selection: Selection): Edit {
  const { text, start } = selection;
  const from = text.lastIndexOf("\n", start - 1) + 1;
  const level = /^(#{1,6}) /.exec(text.slice(from))?.[1]?.length ?? 0;
  const next = { 0: "## ", 2: "### " }[level] ?? "";
  const end = from + (level > 0 ? level + 1 : 0);
  const moved = (place: number): number => Math.max(place, end) + next.length - (end - from);
  return { from, to: end, insert: next, start: moved(start), end: moved(selection.end) };
}

/** Insert lines of their own, with an empty line before and after. `place` is selected within them. */
export function insertBlock(
  { text, start, end }: Selection,
  block: string,
  place: { from: number; to: number } = { from: block.length, to: block.length },
): Edit {
  const before = text.slice(0, start);
  const after = text.slice(end);
  const gap = before === "" || before.endsWith("\n\n") ? "" : before.endsWith("\n") ? "\n" : "\n\n";
  // At the end a line is left to write on.
  const tail = after.startsWith("\n\n")
    ? ""
    : after === "" || after.startsWith("\n")
      ? "\n"
      : "\n\n";
  const at = start + gap.length;
  return {
    from: start,
    to: end,
    insert: gap + block + tail,
    start: at + place.from,
    end: at + place.to,
  };
}

export const calloutKinds = ["NOTE", "TIP", "IMPORTANT", "WARNING", "CAUTION"] as const;

/** A callout around the selected lines. */
export function callout(selection: Selection, kind: (typeof calloutKinds)[number]): Edit {
  const { text, start, end } = selection;
  const from = text.lastIndexOf("\n", start - 1) + 1;
  const next = text.indexOf("\n", end);
  const to = next === -1 ? text.length : next;
  const lines = text.slice(from, to).split("\n");
  const block = [`> [!${kind}]`, ...lines.map((line) => `> ${line.replace(/^> ?/, "")}`)].join(
    "\n",
  );
  return insertBlock({ text, start: from, end: to }, block);
}

const hasLines = ({ text, start, end }: Selection): boolean =>
  text.slice(start, end).includes("\n");

/** The edit of a button. */
export function editOf(tool: Tool, selection: Selection): Edit {
  switch (tool) {
    case "bold":
      return wrap(selection, "**");
    case "italic":
      return wrap(selection, "*");
    case "list":
      return prefix(selection, () => "- ", /^[-*] /);
    case "numbers":
      return prefix(selection, (line) => `${line + 1}. `, /^\d+\. /);
    case "quote":
      return prefix(selection, () => "> ", /^> /);
    case "code":
      return hasLines(selection) ? block(selection, "```") : wrap(selection, "`");
    case "formula":
      return hasLines(selection) ? block(selection, "$$") : wrap(selection, "$");
    case "link":
      return link(selection);
    case "heading":
      return heading(selection);
    case "callout":
      return callout(selection, "NOTE");
    case "table": {
      const table = newTable(3, 2, (column) => t("Column {number}", { number: column }));
      const first = t("Column {number}", { number: 1 });
      return insertBlock(selection, table, { from: 2, to: 2 + first.length });
    }
  }
}

/** A file's name as the text of a link or image. */
export function labelOf(name: string): string {
  return name.replace(/[[\]\\\s]+/g, " ").trim() || "file";
}

const images = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** The Markdown that shows an uploaded file: an image, or a link to any other file. */
export function markdownOf({ name, type }: Pick<File, "name" | "type">, uid: string): string {
  const label = labelOf(name);
  return images.has(type) ? `![${label}](/forum/images/${uid})` : `[${label}](/forum/files/${uid})`;
}

/** Replace a part of the field. What the browser inserts itself, its undo takes back. */
export function applyToField(
  field: HTMLTextAreaElement,
  { from, to, insert, start, end }: Edit,
): void {
  field.focus();
  field.setSelectionRange(from, to);
  const expected = field.value.slice(0, from) + insert + field.value.slice(to);
  const command = insert === "" ? "delete" : "insertText";
  const isDone =
    typeof document.execCommand === "function" &&
    (from < to || insert !== "") &&
    document.execCommand(command, false, insert);
  if (!isDone || field.value !== expected) {
    field.value = expected;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
  field.setSelectionRange(start, end);
}
