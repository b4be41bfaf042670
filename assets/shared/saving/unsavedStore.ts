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

const nameOf = (user: string, target: string): string => `${PREFIX}${user}:${target}:`;

const newest = (key: string): number =>
  Math.max(0, ...Object.values(read(key)).map(({ at }) => at));

function remove(keys: readonly string[]): void {
  try {
    for (const key of keys) localStorage.removeItem(key);
  } catch {
    // Storage is blocked: nothing was there.
  }
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

/** The store of this tab for one course or lesson and one user. */
export function createUnsavedStore(user: string, target: string, tab = newUid()): UnsavedStore {
  const name = nameOf(user, target) + tab;
  holdWhileOpen(name);
  let isFirst = true;
  return {
    write: (fields) => {
      try {
        if (Object.keys(fields).length === 0) localStorage.removeItem(name);
        else localStorage.setItem(name, JSON.stringify(fields));
        if (!isFirst) return true;
        isFirst = false;
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

/**
 * What tabs that are closed by now have left of a course or lesson, the oldest first: only what this user wrote.
 * @returns `kept`, and `forget`, to be called once a store of this tab has it: at no time is there no copy
 */
export async function findLeftUnsaved(
  user: string,
  target: string,
): Promise<{ kept: Kept[]; forget: () => void }> {
  const present = keysWith(nameOf(user, target)); // before this tab adds its own
  const open = await openTabs().catch(() => new Set<string>());
  const left = present.filter((key) => !open.has(key)).sort((a, b) => newest(a) - newest(b));
  return { kept: left.map(read), forget: () => remove(left) };
}

/** Open the store of a course or lesson, with what closed tabs have left of it. */
export async function openUnsavedStore(
  user: string,
  target: string,
): Promise<{ store: UnsavedStore; kept: Kept[] }> {
  const { kept, forget } = await findLeftUnsaved(user, target);
  const store = createUnsavedStore(user, target);
  return {
    kept,
    store: {
      write: (fields) => {
        const isKept = store.write(fields);
        if (isKept) forget();
        return isKept;
      },
    },
  };
}
