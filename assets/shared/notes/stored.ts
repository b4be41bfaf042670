/** Notes that the server does not have yet, on this device: one entry for each, by user. */
import { type Content, isContained, merge } from "./content";

export type Kind = "note" | "moment";
export type StoredNote = {
  uid: string;
  lesson: string;
  kind: Kind;
  second: number | null;
  content: Content;
  /** The server refused it for good: it is not sent again by itself. */
  isRefused?: boolean;
};
type Place = Pick<Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">;

export const PREFIX = "study.notes.";

/** The unsent notes of one user. `place` is a function, as access to storage throws in some browsers. */
export class StoredNotes {
  constructor(
    private readonly place: () => Place,
    private readonly userId: string,
  ) {}

  all(): StoredNote[] {
    try {
      const place = this.place();
      const keys = Array.from({ length: place.length }, (_, index) => place.key(index) ?? "");
      const mine = keys.filter((key) => key.startsWith(this.#keyOf("")));
      return mine.map((key) => this.#read(key)).filter((note) => note !== null);
    } catch {
      return [];
    }
  }

  /** Merge a note into the entry, as another tab may have changed it. Returns false if storage is full or blocked. */
  add(note: StoredNote): boolean {
    if (this.userId === "") return false;
    try {
      const key = this.#keyOf(note.uid);
      const before = this.#read(key);
      const content = before ? merge(before.content, note.content) : note.content;
      this.place().setItem(key, JSON.stringify({ ...note, content }));
      return true;
    } catch {
      return false;
    }
  }

  /** Remove the entry if the server has all of it. */
  settle(uid: string, saved: Content): void {
    const before = this.#read(this.#keyOf(uid));
    if (before && isContained(before.content, saved)) this.remove(uid);
  }

  remove(uid: string): void {
    try {
      this.place().removeItem(this.#keyOf(uid));
    } catch {
      // Blocked: there is nothing to remove.
    }
  }

  #keyOf(uid: string): string {
    return `${PREFIX}${this.userId}.${uid}`;
  }

  #read(key: string): StoredNote | null {
    try {
      const value = JSON.parse(this.place().getItem(key) ?? "null") as StoredNote | null;
      return value && Array.isArray(value.content.edits) && Array.isArray(value.content.replaced)
        ? value
        : null;
    } catch {
      return null;
    }
  }
}
