/** The text of an answer as it arrives, as pure functions. Offsets count UTF-16 units, as JavaScript does. */

/**
 * Add a piece that begins at `offset`. What is shown already is not added twice.
 * @returns the longer text, or null if something before the piece is missing
 */
export function addPiece(shown: string, offset: number, piece: string): string | null {
  if (offset > shown.length) return null;
  const isNew = offset + piece.length > shown.length;
  return isNew ? shown + piece.slice(shown.length - offset) : shown;
}

/** A text without Markdown, for what is shown and said while it arrives. */
export function plainText(markdown: string): string {
  return markdown
    .replace(/^```.*$/gm, "")
    .replace(/^ {0,3}(?:#{1,6} |> ?)/gm, "")
    .replace(/ ?\[\d{1,2}\]/g, "")
    .replace(/\*\*|__|`/g, "")
    .replace(/\\([\\`*_[\]<>#|~$])/g, "$1");
}

const END = /[.!?…:](?=[\s)\]"”’])|\n\n/g;

/**
 * The sentences that have been completed after `from`, and until where they go.
 * @param isOver whether the last words are a sentence too
 */
export function sentencesAfter(
  text: string,
  from: number,
  isOver: boolean,
): { sentences: string[]; until: number } {
  const sentences: string[] = [];
  let until = from;
  const add = (end: number): void => {
    const sentence = plainText(text.slice(until, end)).replace(/\s+/g, " ").trim();
    if (/[\p{L}\p{N}]/u.test(sentence)) sentences.push(sentence);
    until = end;
  };
  END.lastIndex = from;
  for (let found = END.exec(text); found; found = END.exec(text))
    add(found.index + found[0].length);
  if (isOver && until < text.length) add(text.length);
  return { sentences, until };
}
