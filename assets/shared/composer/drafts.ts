/** Drafts on this device: one for each user and place of writing. */
export type Draft = {
  source: string;
  /** Other fields of the form, by name: the title of a topic. */
  fields: Record<string, string>;
  /** Milliseconds since 1970. */
  at: number;
};

const PREFIX = "study.draft:";
const MOST = 30;

function isDraft(value: unknown): value is Draft {
  if (typeof value !== "object" || value === null) return false;
  const { source, fields, at } = value as Partial<Record<keyof Draft, unknown>>;
  return (
    typeof source === "string" &&
    typeof at === "number" &&
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

/** Keep a draft; of too many, the oldest go. Without storage, only the server keeps it. */
export function keepDraft(name: string, draft: Draft): void {
  try {
    localStorage.setItem(name, JSON.stringify(draft));
    const names = Object.keys(localStorage).filter((one) => one.startsWith(PREFIX));
    const age = (one: string): number => readDraft(one)?.at ?? 0;
    for (const old of names.sort((a, b) => age(b) - age(a)).slice(MOST))
      localStorage.removeItem(old);
  } catch {
    // Storage is blocked or full.
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

/** The newest of several drafts. */
export function newest(...drafts: (Draft | null)[]): Draft | null {
  return drafts.reduce((best, one) => (one && (!best || one.at > best.at) ? one : best), null);
}
