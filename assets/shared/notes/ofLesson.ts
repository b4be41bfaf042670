/** The one `LessonNotes` of each lesson on this page: the timeline and the moments share it. */
import { fetchNotes, isTemporary, saveNote, storedNotes } from "./noteApi";
import { LessonNotes } from "./lessonNotes";

const known = new Map<string, LessonNotes>();

/** The notes of a lesson; the first call begins to fetch and to send them. */
export function notesOf(lesson: string): LessonNotes {
  const found = known.get(lesson);
  if (found) return found;
  const made = new LessonNotes({ lesson, stored: storedNotes, fetchNotes, saveNote, isTemporary });
  known.set(lesson, made);
  made.start();
  made.subscribe(() => showOnPage(made));
  return made;
}

/** Show the notes outside of the timeline: marks on the scrubber, and the number on the button. */
function showOnPage({ state }: LessonNotes): void {
  if (!state.isLoaded) return; // else it would hide what the server wrote
  const place = document.querySelector<HTMLElement>("[data-timeline]");
  if (!place) return;
  const marks = state.notes
    .filter(({ second }) => second !== null)
    .map(({ second, kind, content }) => [second, openingOf(content.edits), kind]);
  const written = JSON.stringify(marks);
  if (place.dataset.marks === written) return;
  place.dataset.marks = written;
  document.dispatchEvent(new Event("study:marks"));
  const count = state.notes.filter(({ kind }) => kind === "note").length;
  for (const number of document.querySelectorAll<HTMLElement>("[data-note-count]")) {
    number.textContent = String(count);
    number.hidden = count === 0;
  }
}

function openingOf(edits: readonly { text: string }[]): string {
  return edits.find(({ text }) => text)?.text.slice(0, 80) ?? "";
}
