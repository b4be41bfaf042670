/** Run something while no other tab runs it. Without the Web Locks API, while this tab does not run it. */
const running = new Map<string, Promise<unknown>>();

export async function runExclusively<T>(name: string, work: () => Promise<T>): Promise<T> {
  const locks = (navigator as { locks?: LockManager }).locks;
  if (locks) return locks.request(name, work) as Promise<T>;
  const mine = (running.get(name) ?? Promise.resolve()).catch(() => undefined).then(work);
  running.set(name, mine);
  return mine;
}
