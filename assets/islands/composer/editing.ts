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
  "list",
  "numbers",
  "quote",
  "code",
  "formula",
  "link",
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
    isOn ? line.replace(known, "") : prefixOf(at) + line.replace(/^(?:[-*] |\d+\. |> )/, ""),
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
export function apply(field: HTMLTextAreaElement, { from, to, insert, start, end }: Edit): void {
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

export function selectionOf(field: HTMLTextAreaElement): Selection {
  return { text: field.value, start: field.selectionStart, end: field.selectionEnd };
}
