/** Drafts on this device: one for each user and place of writing. */
export type Draft = {
  source: string;
  /** Other fields of the form, by name: the title of a topic. */
  fields: Record<string, string>;
  /** Milliseconds since 1970. */
  at: number;
  /** The print of the text that was changed; undefined for texts that begin empty. */
  base?: string;
};

const PREFIX = "study.draft:";
const MOST = 30;

function isDraft(value: unknown): value is Draft {
  if (typeof value !== "object" || value === null) return false;
  const { source, fields, at, base } = value as Partial<Record<keyof Draft, unknown>>;
  return (
    typeof source === "string" &&
    typeof at === "number" &&
    (base === undefined || typeof base === "string") &&
    typeof fields === "object" &&
    fields !== null &&
    Object.values(fields).every((one) => typeof one === "string")
  );
}

function read(storage: Storage, name: string): Draft | null {
  try {
    const value: unknown = JSON.parse(storage.getItem(name) ?? "null");
    return isDraft(value) ? value : null;
  } catch {
    return null; // storage is blocked, or another program wrote it
  }
}

/** The draft with this name in the storage of the browser, "study.draft:<user>:<key>". */
export function readDraft(name: string): Draft | null {
  return read(localStorage, name);
}

/** A short print by which a text is recognized (FNV-1a with its length). */
export function printOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    hash ^= text.charCodeAt(at);
    hash = Math.imul(hash, 0x01000193);
  }
  return `${text.length}-${(hash >>> 0).toString(36)}`;
}

/**
 * Keep a draft; of too many, the oldest go, and also while there is no room for it.
 * @returns whether this device keeps it
 */
export function keepDraft(name: string, draft: Draft): boolean {
  try {
    const names = Object.keys(localStorage).filter((one) => one.startsWith(PREFIX) && one !== name);
    const age = (one: string): number => readDraft(one)?.at ?? 0;
    const others = names.sort((a, b) => age(b) - age(a));
    for (const old of others.splice(MOST - 1)) localStorage.removeItem(old);
    const text = JSON.stringify(draft);
    while (!isStored(name, text)) {
      const oldest = others.pop();
      if (oldest === undefined) return false;
      localStorage.removeItem(oldest);
    }
    return true;
  } catch {
    return false; // storage is blocked
  }
}

function isStored(name: string, text: string): boolean {
  try {
    localStorage.setItem(name, text);
    return true;
  } catch {
    return false; // full
  }
}

export function forgetDraft(name: string): void {
  try {
    localStorage.removeItem(name);
    sessionStorage.removeItem(name);
  } catch {
    // Storage is blocked: there is no draft.
  }
}

/** Set a draft aside while its form is sent: if the user comes back to this page, it was not posted. */
export function setAside(name: string, draft: Draft): void {
  try {
    localStorage.removeItem(name);
    sessionStorage.setItem(name, JSON.stringify(draft));
  } catch {
    // Storage is blocked: the browser itself may restore the fields.
  }
}

/** The draft that was set aside, if the user came back by the browser's button; it is set aside no longer. */
export function takeBack(name: string): Draft | null {
  try {
    const [navigation] = performance.getEntriesByType("navigation");
    const isBack = (navigation as PerformanceNavigationTiming | undefined)?.type === "back_forward";
    const draft = isBack ? read(sessionStorage, name) : null;
    sessionStorage.removeItem(name);
    return draft;
  } catch {
    return null;
  }
}

/** The draft that was set aside, left where it is. */
export function readAside(name: string): Draft | null {
  try {
    return read(sessionStorage, name);
  } catch {
    return null;
  }
}

/** The newest of several drafts. */
export function newest(...drafts: (Draft | null)[]): Draft | null {
  return drafts.reduce((best, one) => (one && (!best || one.at > best.at) ? one : best), null);
}
