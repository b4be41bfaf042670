// Files of earlier builds stay for some days: servers that started before this build and open pages still request them.
import { readFile, readdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";

export const KEEP_DAYS = 14;
const LEDGER = "replaced.json";
const DAY = 24 * 60 * 60 * 1000;
const named = /[-.][0-9A-Za-z]{8}\.\w/; // the name contains a hash of the content

async function filesIn(folder) {
  const found = await readdir(folder, { withFileTypes: true, recursive: true });
  return found
    .filter((file) => file.isFile())
    .map((file) => path.relative(folder, path.join(file.parentPath, file.name)));
}

async function readLedger(file) {
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch {
    return {}; // the first build, or a broken file: count from now
  }
}

/**
 * Remove files from `folder` that no build wrote, and those that were replaced more than `keepDays` ago.
 * @param folder the folder of the build
 * @param current names in it that belong to this build, relative to the folder
 * @param keepDays 0 removes everything that is not current
 * @param now milliseconds since 1970
 */
export async function pruneBuild(folder, current, { keepDays = KEEP_DAYS, now = Date.now() } = {}) {
  const ledger = path.join(folder, LEDGER);
  const before = await readLedger(ledger);
  const replaced = {};
  for (const name of await filesIn(folder)) {
    if (current.has(name) || name === LEDGER) continue;
    const since = before[name] ?? now;
    if (named.test(path.basename(name)) && now - since < keepDays * DAY) replaced[name] = since;
    else await rm(path.join(folder, name), { force: true });
  }
  await writeFile(`${ledger}.part-${process.pid}`, JSON.stringify(replaced, null, 2));
  await rename(`${ledger}.part-${process.pid}`, ledger);
}
