/** Do something with each item, a few at a time, in order. The first failure starts no more and is thrown. */
export async function runAtOnce<T>(
  items: readonly T[],
  most: number,
  run: (item: T) => Promise<void>,
): Promise<void> {
  const left = [...items];
  let failure: { reason: unknown } | null = null;
  const work = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined && !failure; item = left.shift())
      try {
        await run(item);
      } catch (reason) {
        failure ??= { reason };
      }
  };
  await Promise.all(Array.from({ length: most }, work));
  // TypeScript does not see that it was set by `work`.
  const failed = failure as { reason: unknown } | null;
  if (failed) throw failed.reason;
}
