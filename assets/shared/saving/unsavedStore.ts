/** What was written and not saved yet, on this device: it survives a reload, a crash and a lost connection. */

/** A field as it was left: its value, and the version with which its author began. */
export type Unsaved = {
  value: unknown;
  base: string;
  baseValue: unknown;
  /** Milliseconds since 1970. */
  at: number;
};

const PREFIX = "study.unsaved:";
/** Courses and lessons kept per browser; of more, the oldest go. */
const MAX_TARGETS = 200;

export type UnsavedStore = {
  read: () => Record<string, Unsaved>;
  /** @returns whether the device keeps it: storage may be blocked or full */
  write: (fields: Record<string, Unsaved>) => boolean;
};

function isUnsaved(value: unknown): value is Unsaved {
  if (typeof value !== "object" || value === null) return false;
  const { base, at } = value as Partial<Unsaved>;
  return (
    typeof base === "string" && typeof at === "number" && "value" in value && "baseValue" in value
  );
}

/** The store of one course or lesson, for one user of this browser. */
export function createUnsavedStore(user: string, target: string): UnsavedStore {
  const name = `${PREFIX}${user}:${target}`;
  const read = (key: string): Record<string, Unsaved> => {
    try {
      const stored: unknown = JSON.parse(localStorage.getItem(key) ?? "{}");
      if (typeof stored !== "object" || stored === null) return {};
      return Object.fromEntries(
        Object.entries(stored).filter((entry): entry is [string, Unsaved] => isUnsaved(entry[1])),
      );
    } catch {
      return {}; // storage is blocked, or another program wrote it
    }
  };
  const newest = (key: string): number =>
    Math.max(0, ...Object.values(read(key)).map(({ at }) => at));
  return {
    read: () => read(name),
    write: (fields) => {
      try {
        if (Object.keys(fields).length === 0) {
          localStorage.removeItem(name);
          return true;
        }
        const isNew = localStorage.getItem(name) === null;
        localStorage.setItem(name, JSON.stringify(fields));
        if (!isNew) return true;
        const names = Object.keys(localStorage).filter((one) => one.startsWith(PREFIX));
        if (names.length > MAX_TARGETS)
          for (const old of names.sort((a, b) => newest(b) - newest(a)).slice(MAX_TARGETS))
            localStorage.removeItem(old);
        return true;
      } catch {
        return false;
      }
    },
  };
}
