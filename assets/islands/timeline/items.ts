/** What the timeline shows: one list of transcript, notes, moments, chapters and questions, in the order of the video. */
import type { components } from "../../shared/api/schema.gen";
import type { Note } from "../../shared/notes/lessonNotes";
import { textOf } from "../../shared/notes/content";

type Chapter = components["schemas"]["PlayerOut"]["chapters"][number];
export type Question = [second: number, title: string, url: string, replies: number];
export type Kind = "transcript" | "note" | "moment" | "chapter" | "question";
export type Item = { key: string; second: number | null; text: string } & (
  | { kind: "transcript"; end: number }
  | { kind: "note" | "moment"; note: Note }
  | { kind: "chapter" }
  | { kind: "question"; url: string; replies: number }
);

/** The paragraphs of the transcript that the server wrote on the page. */
export function readTranscript(root: ParentNode): Item[] {
  return [...root.querySelectorAll("[data-transcript] > li")].flatMap((paragraph, index) => {
    const spans = [...paragraph.querySelectorAll<HTMLElement>("[data-from]")];
    const first = spans[0];
    if (!first) return [];
    return {
      key: `transcript ${index}`,
      kind: "transcript" as const,
      second: Number(first.dataset.from),
      end: Number(spans.at(-1)?.dataset.to),
      text: spans.map((span) => span.textContent).join(" "),
    };
  });
}

/** The chapters among the props of the player on this page. */
export function readChapters(root: ParentNode): Item[] {
  const script = root.querySelector("[data-island=player]")?.nextElementSibling;
  if (!(script instanceof HTMLScriptElement)) return [];
  const props = JSON.parse(script.textContent) as { chapters?: Chapter[] };
  return (props.chapters ?? []).map(({ start, title }) => ({
    key: `chapter ${start}`,
    kind: "chapter",
    second: start,
    text: title,
  }));
}

export function questionItems(questions: readonly Question[]): Item[] {
  return questions.map(([second, text, url, replies]) => ({
    key: `question ${url}`,
    kind: "question",
    second,
    text,
    url,
    replies,
  }));
}

/** The questions, with those of the discussion below that were fetched since the page was opened. */
export function withFetched(questions: readonly Question[], root: ParentNode): Question[] {
  const list = root.querySelector<HTMLElement>("#discussion [data-questions]");
  const fetched = JSON.parse(list?.dataset.questions ?? "[]") as Question[];
  return [...new Map([...questions, ...fetched].map((one) => [one[2], one])).values()];
}

export function noteItems(notes: readonly Note[]): Item[] {
  return notes.map((note) => ({
    key: note.uid,
    kind: note.kind,
    second: note.second,
    text: textOf(note.content),
    note,
  }));
}

const order: Record<Kind, number> = { chapter: 0, transcript: 1, moment: 2, note: 3, question: 4 };

/** All items in the order of the video; what is about the whole lesson comes first. */
export function inOrder(items: readonly Item[]): Item[] {
  return [...items].sort(
    (a, b) => (a.second ?? -1) - (b.second ?? -1) || order[a.kind] - order[b.kind],
  );
}

/** Those of a kind ("all": every kind) in whose text each word of a query occurs. */
export function filtered(items: readonly Item[], kind: Kind | "all", query: string): Item[] {
  const words = query.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  return items.filter((item) => {
    const text = item.text.toLocaleLowerCase();
    return (kind === "all" || item.kind === kind) && words.every((word) => text.includes(word));
  });
}

/** The key of the item at this second of the video: the last that has begun. */
export function currentKey(items: readonly Item[], second: number): string | null {
  return items.findLast((item) => item.second !== null && item.second <= second)?.key ?? null;
}
