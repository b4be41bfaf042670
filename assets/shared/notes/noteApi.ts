/** API calls of notes. They use `reach`, without the message about slow responses, as nobody waits for them. */
import { authenticatedApi, reach, unwrap } from "../api/client";
import { ApiError, makeError } from "../api/errors";
import type { components } from "../api/schema.gen";
import { session } from "../auth/browser";
import { StoredNotes, type StoredNote } from "./stored";

export type SavedNote = components["schemas"]["NoteOut"];

/** The user for whom the page was rendered. */
export const userId =
  document.querySelector<HTMLMetaElement>('meta[name="study-user"]')?.content ?? "";

export const storedNotes = new StoredNotes(() => localStorage, userId);

/** All notes of a lesson. */
export async function fetchNotes(lesson: string): Promise<SavedNote[]> {
  const found: SavedNote[] = [];
  for (let page = 1; ; page += 1) {
    const part = await unwrap(
      authenticatedApi.GET("/api/v1/lessons/{uid}/notes/", {
        params: { path: { uid: lesson }, query: { page, page_size: 100 } },
        fetch: reach,
      }),
    );
    found.push(...part.results);
    if (!part.next) return found;
  }
}

/** Save a note as the user of this page; throws if another user has signed in in another tab in the meantime. */
export async function saveNote(note: StoredNote, isLeaving = false): Promise<SavedNote> {
  if (!isLeaving) await session.requireBearer();
  const { user } = session.state;
  if (user?.id !== undefined && user.id !== userId) throw makeError("NOT_AUTHENTICATED");
  const { uid, lesson, kind, second, content } = note;
  return unwrap(
    authenticatedApi.PUT("/api/v1/lessons/{uid}/notes/{note}/", {
      params: { path: { uid: lesson, note: uid } },
      body: { kind, second, ...content },
      keepalive: isLeaving,
      fetch: reach,
    }),
  );
}

/** Whether a failed call may succeed later: no response, a server error, or a status that asks to try again. */
export function isTemporary(reason: unknown): boolean {
  if (!(reason instanceof ApiError)) return true;
  return reason.status === 0 || reason.status >= 500 || [401, 408, 429].includes(reason.status);
}
