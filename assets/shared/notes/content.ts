/** How copies of a note merge: the rule of apps/learning/notes/merging.py, which explains it. */
import type { components } from "../api/schema.gen";

export type Edit = components["schemas"]["NoteEdit"];
export type Replaced = components["schemas"]["ReplacedEdit"];
/** A copy of a note, as it is stored and sent. */
export type Content = { edits: Edit[]; replaced: Replaced[] };

const SEPARATOR = "\n\n---\n\n";
export const emptyContent: Content = { edits: [], replaced: [] };

/** The order of Python's strings, by code points, so that both sides choose the same text. */
function compareTexts(a: string, b: string): number {
  for (let i = 0; i < Math.min(a.length, b.length); i += 1) {
    // At the first difference both are at the beginning of a character, or in the second half of a pair.
    if (a[i] !== b[i]) return (a.codePointAt(i) ?? 0) - (b.codePointAt(i) ?? 0);
  }
  return a.length - b.length;
}

function compareEdits(a: Edit, b: Edit): number {
  return (
    a.revision - b.revision ||
    a.at - b.at ||
    compareTexts(a.text, b.text) ||
    Number(a.is_deleted) - Number(b.is_deleted)
  );
}

const byKey = (a: { key: string }, b: { key: string }): number =>
  a.key < b.key ? -1 : a.key > b.key ? 1 : 0;

/** What both copies know. */
export function merge(a: Content, b: Content): Content {
  const replaced = new Map<string, number>();
  for (const { key, revision } of [...a.replaced, ...b.replaced])
    replaced.set(key, Math.max(revision, replaced.get(key) ?? 0));
  const edits = new Map<string, Edit>();
  for (const edit of [...a.edits, ...b.edits]) {
    if (edit.revision <= (replaced.get(edit.key) ?? 0)) continue;
    const known = edits.get(edit.key);
    if (!known || compareEdits(edit, known) > 0) edits.set(edit.key, edit);
  }
  return {
    edits: [...edits.values()].sort(byKey),
    replaced: [...replaced].map(([key, revision]) => ({ key, revision })).sort(byKey),
  };
}

export function isSame(a: Content, b: Content): boolean {
  const plain = ({ edits, replaced }: Content): string =>
    JSON.stringify([
      edits.map((edit) => [edit.key, edit.revision, edit.at, edit.text, edit.is_deleted]),
      replaced.map(({ key, revision }) => [key, revision]),
    ]);
  return plain(merge(a, emptyContent)) === plain(merge(b, emptyContent));
}

/** Whether `whole` knows all that `part` knows. */
export function isContained(part: Content, whole: Content): boolean {
  return isSame(merge(whole, part), whole);
}

/** The texts that stand, the oldest first; several if they were written at the same time. */
export function textsOf({ edits }: Content): string[] {
  const kept = edits
    .filter((edit) => !edit.is_deleted)
    .sort((a, b) => a.at - b.at || byKey(a, b))
    .map(({ text }) => text);
  return [...new Set(kept)];
}

export function textOf(content: Content): string {
  return textsOf(content).join(SEPARATOR);
}

/** Whether it was deleted and nothing else was written at the same time. */
export function isDeleted({ edits }: Content): boolean {
  return edits.length > 0 && edits.every((edit) => edit.is_deleted);
}

/** A key for an opened editor. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_");
}

/**
 * What an editor with this key makes of the note it began with.
 * @param base the copy that the editor began with, or showed since
 */
export function edited(
  base: Content,
  key: string,
  change: { text: string; is_deleted: boolean; at: number; revision: number },
): Content {
  const replaced = base.edits
    .filter((edit) => edit.key !== key)
    .map(({ key: other, revision }) => ({ key: other, revision }));
  const mine: Content = { edits: [{ key, ...change }], replaced };
  return merge({ edits: [], replaced: base.replaced }, mine);
}
