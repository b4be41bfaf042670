/** One tab sends an upload at a time: the one that holds its lock (Web Locks, on secure origins only). */

const held = new Map<string, () => void>();

const nameOf = (url: string): string => `study.upload ${new URL(url, location.href).pathname}`;

/**
 * Hold the lock of an upload until `releaseUpload`, or the tab closes.
 * @returns false if another tab sends it. True where the browser has no locks: the server refuses the second sender.
 */
export function holdUpload(url: string): Promise<boolean> {
  const name = nameOf(url);
  if (held.has(name) || !("locks" in navigator)) return Promise.resolve(true);
  return new Promise((resolve) => {
    navigator.locks
      .request(name, { ifAvailable: true }, (lock) => {
        if (lock === null) {
          resolve(false);
          return undefined;
        }
        const ending = new Promise<void>((end) => held.set(name, end));
        resolve(true);
        return ending;
      })
      .catch(() => resolve(true));
  });
}

export function releaseUpload(url: string): void {
  const name = nameOf(url);
  held.get(name)?.();
  held.delete(name);
}
