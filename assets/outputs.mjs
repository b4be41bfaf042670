// Which built files a built file loads, read from esbuild's metafile.

function imports(outputs, output, kind) {
  return outputs[output].imports
    .filter((imported) => imported.kind === kind && !imported.external)
    .map((imported) => imported.path);
}

/**
 * What the browser loads together with `output`: the file itself and everything it imports statically.
 * @param outputs `metafile.outputs`
 * @returns the names of the files, as the keys of `outputs`
 */
export function loadedWith(outputs, output, found = new Set()) {
  if (found.has(output)) return found;
  found.add(output);
  for (const imported of imports(outputs, output, "import-statement"))
    loadedWith(outputs, imported, found);
  return found;
}

/** The files that `output`, or a file loaded with it, fetches later with `import()`. */
export function fetchedLater(outputs, output) {
  const all = [...loadedWith(outputs, output)];
  return new Set(all.flatMap((file) => imports(outputs, file, "dynamic-import")));
}

/** Other islands, which a page loads only if it has them, and videos of other hosts, which nothing stores. */
const NEVER_OFFLINE = /^assets\/islands\/([^/]+\/index\.tsx|player\/ExternalVideo\.tsx)$/;

/**
 * Everything that the browser may load for `output` without a connection, also what is fetched with `import()`.
 * @returns the names of the files, as the keys of `outputs`, with `output` itself
 */
export function loadedInAll(outputs, output) {
  const found = new Set();
  const waiting = [output];
  for (const one of waiting) {
    if (found.has(one)) continue;
    for (const file of loadedWith(outputs, one)) found.add(file);
    for (const file of fetchedLater(outputs, one))
      if (!NEVER_OFFLINE.test(outputs[file].entryPoint ?? "")) waiting.push(file);
  }
  return found;
}

/**
 * The built JavaScript of a source file that is an entry point or the target of an `import()`.
 * @param source relative to the repository, such as "assets/site.ts"
 */
export function outputOf(outputs, source) {
  const found = Object.entries(outputs).find(
    ([output, { entryPoint }]) => entryPoint === source && output.endsWith(".js"),
  );
  if (!found) throw new Error(`The build has no file for ${source}`);
  return found[0];
}
