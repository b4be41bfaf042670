/** Notes without a connection: those of the package, merged with what is written here. */
import type { components } from "../../../shared/api/schema.gen";
import { isDeleted, merge, textOf } from "../../../shared/notes/content";
import type { LocalLesson } from "../localLesson";
import type { Call, Routes } from "./routes";
import { respond } from "./responses";

type Note = components["schemas"]["NoteOut"];
type SaveNote = components["schemas"]["SaveNoteInRequest"];

export const noteRoutes: Routes = {
  "GET /api/v1/lessons/{uid}/notes/": listNotes,
  "PUT /api/v1/lessons/{uid}/notes/{note}/": saveNote,
};

/** What is known of the notes of a lesson, deleted ones too. */
export function notesHere(stored: readonly Note[], local: LocalLesson): Map<string, Note> {
  const notes = new Map(stored.map((note) => [note.uid, note]));
  for (const note of Object.values(local.notes)) {
    const known = notes.get(note.uid);
    notes.set(note.uid, known ? joined(known, note) : note);
  }
  return notes;
}

async function listNotes({ store, uid }: Call): Promise<Response | null> {
  const pack = await store.readPackage(uid);
  if (!pack) return null;
  const notes = notesHere(pack.notes, await store.readLocal(uid));
  const results = [...notes.values()].filter((note) => !isDeleted(note));
  return respond({ count: results.length, next: null, previous: null, results });
}

async function saveNote({ store, uid, other, body }: Call): Promise<Response | null> {
  const pack = await store.readPackage(uid);
  if (!pack) return null;
  const sent = body as SaveNote;
  const now = new Date(store.now()).toISOString();
  const content = { edits: sent.edits, replaced: sent.replaced };
  const written: Note = {
    uid: other,
    kind: sent.kind,
    second: sent.second,
    edits: content.edits.map((edit) => ({ ...edit })),
    replaced: content.replaced,
    is_deleted: isDeleted(content),
    text: textOf(content),
    html: "", // only the server renders Markdown: islands show the text as it was typed
    created_at: now,
    updated_at: now,
  };
  const local = await store.changeLocal(uid, (known) => {
    const before = notesHere(pack.notes, known).get(other);
    const note = before ? joined(before, written) : written;
    return {
      ...known,
      notes: { ...known.notes, [other]: note },
      unsentNotes: [...new Set([...known.unsentNotes, other])],
    };
  });
  return respond(local.notes[other]);
}

/** A note as both copies make it, with the HTML of the server only while its text is the same. */
function joined(known: Note, written: Note): Note {
  const content = merge(known, written);
  const text = textOf(content);
  return {
    ...known,
    ...content,
    text,
    html: text === known.text ? known.html : "",
    is_deleted: isDeleted(content),
    updated_at: written.updated_at,
  };
}
