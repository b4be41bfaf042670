/**
 * What was written and not saved yet, on this device: it survives a reload, a crash and a lost connection. Each tab keeps
 * its own, so that two of them don't write over each other; what a closed tab left is taken up by the next one.
 */
import { newUid } from "../newUid";

/** A field as it was left: its value, and the version with which its author began. */
export type Unsaved = {
  value: unknown;
  base: string;
  baseValue: unknown;
  /** Milliseconds since 1970. */
  at: number;
  /** The tab, as the server knows it, if what it saved of the field is what the field showed. */
  client?: string;
};

const PREFIX = "study.unsaved:";
/** Courses and lessons kept per browser; of more, the oldest go. */
const MAX_TARGETS = 200;

export type UnsavedStore = {
  /** @returns whether the device keeps it: storage may be blocked or full */
  write: (fields: Record<string, Unsaved>) => boolean;
};

type Kept = Record<string, Unsaved>;

function isUnsaved(value: unknown): value is Unsaved {
  if (typeof value !== "object" || value === null) return false;
  const { base, at } = value as Partial<Unsaved>;
  return (
    typeof base === "string" && typeof at === "number" && "value" in value && "baseValue" in value
  );
}

function read(key: string): Kept {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? "{}");
    if (typeof stored !== "object" || stored === null) return {};
    return Object.fromEntries(
      Object.entries(stored).filter((entry): entry is [string, Unsaved] => isUnsaved(entry[1])),
    );
  } catch {
    return {}; // storage is blocked, or another program wrote it
  }
}

function keysWith(prefix: string): string[] {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(prefix));
  } catch {
    return [];
  }
}

const newest = (key: string): number =>
  Math.max(0, ...Object.values(read(key)).map(({ at }) => at));

function remove(keys: readonly string[]): void {
  try {
    for (const key of keys) localStorage.removeItem(key);
  } catch {
    // Storage is blocked: nothing was there.
  }
}

/** The store of this tab for one course or lesson and one user. `adopted`: keys of closed tabs that it replaces. */
export function createUnsavedStore(
  user: string,
  target: string,
  { tab = newUid(), adopted = [] as readonly string[] } = {},
): UnsavedStore {
  const name = `${PREFIX}${user}:${target}:${tab}`;
  let isFirst = true;
  return {
    write: (fields) => {
      try {
        if (Object.keys(fields).length === 0) localStorage.removeItem(name);
        else localStorage.setItem(name, JSON.stringify(fields));
        if (!isFirst) return true;
        isFirst = false;
        // Only now: at no time is there no copy.
        remove(adopted);
        const all = keysWith(PREFIX);
        if (all.length > MAX_TARGETS)
          remove(all.sort((a, b) => newest(b) - newest(a)).slice(MAX_TARGETS));
        return true;
      } catch {
        return false;
      }
    },
  };
}

/** The tabs that are open; empty where the browser has no locks (they exist on secure origins only). */
async function openTabs(): Promise<ReadonlySet<string>> {
  const locks = (navigator as { locks?: LockManager }).locks;
  const { held = [] } = (await locks?.query()) ?? {};
  return new Set(held.map(({ name = "" }) => name));
}

/** A lock that the browser gives back when the tab is closed or crashes. */
function holdWhileOpen(name: string): void {
  const locks = (navigator as { locks?: LockManager }).locks;
  void locks?.request(name, () => new Promise<void>(() => undefined)).catch(() => undefined);
}

/**
 * Open the store of a course or lesson, with what tabs that are closed by now have left of it, the oldest first.
 * Only what this user wrote: another one of this device has a store of their own.
 */
export async function openUnsavedStore(
  user: string,
  target: string,
): Promise<{ store: UnsavedStore; kept: Kept[] }> {
  const tab = newUid();
  const prefix = `${PREFIX}${user}:${target}:`;
  const open = await openTabs().catch(() => new Set<string>());
  holdWhileOpen(prefix + tab);
  const left = keysWith(prefix)
    .filter((key) => !open.has(key))
    .sort((a, b) => newest(a) - newest(b));
  const kept = left.map(read);
  return { store: createUnsavedStore(user, target, { tab, adopted: left }), kept };
}
