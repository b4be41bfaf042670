// How much each page may weigh, in bytes of gzip. Breaking one fails the build.

const kB = 1000;
export const budgets = {
  page: 15 * kB, // site + loader: all a page without islands gets
  shared: 90 * kB, // React, queries, client: what the first island of a visit brings
  island: 60 * kB, // one island's own code
  lesson: 245 * kB, // the lesson page with everything it fetches while playing
};

const format = (bytes) => `${(bytes / kB).toFixed(1)} kB`.padStart(9);

/**
 * Compare the built files with the budgets.
 * @param manifest what `build.mjs` wrote: entry name → {js, imports}
 * @param lazy entry name → files it may fetch later
 * @param sizeOf file name → bytes of gzip
 */
export function checkBudgets(manifest, lazy, sizeOf) {
  const lines = [];
  const broken = [];
  const files = (...names) =>
    new Set(names.flatMap((name) => [manifest[name].js, ...manifest[name].imports]));
  const weigh = (set) => [...set].reduce((sum, file) => sum + sizeOf(file), 0);
  const judge = (what, bytes, budget) => {
    lines.push(`${format(bytes)} of ${format(budget).trim()}  ${what}`);
    if (bytes > budget) broken.push(`Over budget: ${what} weighs ${format(bytes).trim()} gzip.`);
  };

  judge("page without islands (site, loader)", weigh(files("site", "islands")), budgets.page);
  const page = files("site", "islands");
  const shared = files("site", "islands", "mount");
  const brought = [...shared].filter((file) => !page.has(file));
  judge("shared by all islands", weigh(brought), budgets.shared);
  for (const name of Object.keys(manifest).filter((key) => key.startsWith("islands/"))) {
    const own = [...files(name)].filter((file) => !shared.has(file));
    judge(name, weigh(own), budgets.island);
    if (name !== "islands/player") continue;
    const all = new Set([...shared, ...own, ...lazy[name]]);
    judge("lesson page in all", weigh(all), budgets.lesson);
  }
  return { lines, broken };
}
