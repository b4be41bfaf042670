// Builds scripts, islands, styles and icons into static/dist, with hashed names, compressed copies and a manifest for
// the templates. Pages over their budget are listed in over-budget.json. `--watch` rebuilds on change, unminified.
import { createHash } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { mkdir, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

import * as esbuild from "esbuild";

import { checkBudgets } from "./budgets.mjs";
import { iconSprite } from "./icons.mjs";
import { loadedInAll, loadedWith } from "./outputs.mjs";
import { KEEP_DAYS, pruneBuild } from "./pruneBuild.mjs";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const assets = path.join(root, "assets");
const dist = path.join(root, "static", "dist");
const overBudget = path.join(dist, "over-budget.json");
const watching = process.argv.includes("--watch");

/** The entry points of the build: { in: source, out: key in the manifest }. */
function entryPoints() {
  const entries = {
    islands: "islands.ts",
    site: "site.ts",
    lesson: "lesson.ts",
    timeline: "timeline.ts",
    heatMap: "heatMap.ts",
    messages: "messages.ts",
    moderation: "moderation.ts",
    newTopic: "newTopic.ts",
    outline: "outline.ts",
    passkeys: "passkeys.ts",
    pathOrder: "pathOrder.ts",
    topic: "topic.ts",
    offline: "offline.ts",
    mock: "mock.ts",
    mount: "shared/mount.tsx",
  };
  for (const folder of readdirSync(path.join(assets, "islands"), { withFileTypes: true })) {
    if (!folder.isDirectory()) continue;
    entries[`islands/${folder.name}`] = `islands/${folder.name}/index.tsx`;
  }
  const list = Object.entries(entries).map(([out, file]) => ({ in: path.join(assets, file), out }));
  list.push({ in: "icons:sprite", out: "icons" });
  const styles = path.join(assets, "styles");
  for (const name of existsSync(styles) ? readdirSync(styles) : []) {
    if (!name.endsWith(".css")) continue;
    list.push({ in: path.join(styles, name), out: name.slice(0, -".css".length) });
  }
  return list;
}

const common = {
  absWorkingDir: root,
  bundle: true,
  write: false,
  metafile: true,
  minify: !watching,
  sourcemap: watching ? "linked" : false,
  target: ["es2022", "chrome111", "firefox114", "safari16.4"],
  define: { "process.env.NODE_ENV": watching ? '"development"' : '"production"' },
  logLevel: "warning",
};

const bundles = () => ({
  ...common,
  entryPoints: entryPoints(),
  outdir: dist,
  format: "esm",
  splitting: true,
  jsx: "automatic",
  entryNames: "[dir]/[name]-[hash]",
  chunkNames: "chunks/[name]-[hash]",
  assetNames: "files/[name]-[hash]",
  loader: { ".woff2": "file", ".svg": "file", ".png": "file", ".webp": "file" },
  external: ["/static/*"],
  inject: [path.join(assets, "shared", "base.ts")],
  plugins: [iconSprite(root)],
  legalComments: "external",
});

// Inlined in <head> and run before the first paint: one file without hash and imports.
const beforePaintScript = () => ({
  ...common,
  sourcemap: false,
  entryPoints: [path.join(assets, "beforePaint.ts")],
  outfile: path.join(dist, "beforePaint.js"),
  format: "iife",
});

// Served as /sw.js after a line that the server adds: one file without hash and imports.
const serviceWorker = () => ({
  ...common,
  sourcemap: false,
  entryPoints: [path.join(assets, "sw.ts")],
  outfile: path.join(dist, "sw.js"),
  format: "iife",
});

const relative = (output) => path.relative(dist, path.resolve(root, output)).replaceAll("\\", "/");

/** The manifest for `bundle("site")` in templates: the files of each entry, those to preload, those fetched later. */
function manifestOf(metafile) {
  const manifest = { beforePaint: { js: "beforePaint.js" } };
  const names = new Map(entryPoints().map((entry) => [path.relative(root, entry.in), entry.out]));
  for (const [output, facts] of Object.entries(metafile.outputs)) {
    if (output.endsWith(".svg") && facts.inputs["icons:sprite.svg"])
      manifest.icons = { svg: relative(output) };
    const name = facts.entryPoint && names.get(facts.entryPoint);
    if (!name) continue;
    const entry = (manifest[name] ??= {});
    if (output.endsWith(".css")) {
      entry.css = relative(output);
      entry.files = {};
      for (const { path: file, kind } of facts.imports) {
        const source =
          kind !== "import-rule" && Object.keys(metafile.outputs[file]?.inputs ?? {})[0];
        if (source) entry.files[path.basename(source)] = relative(file);
      }
    } else if (output.endsWith(".js")) {
      entry.js = relative(output);
      const loaded = loadedWith(metafile.outputs, output);
      entry.imports = [...loaded].slice(1).map(relative);
      entry.later = [...loadedInAll(metafile.outputs, output)]
        .filter((file) => !loaded.has(file))
        .map(relative);
      if (facts.cssBundle) entry.css = relative(facts.cssBundle);
    }
  }
  return Object.fromEntries(Object.entries(manifest).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Write a file atomically, so that a server never reads half of it. */
async function writeAtomically(file, contents) {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(`${file}.part-${process.pid}`, contents);
  await rename(`${file}.part-${process.pid}`, file);
}

const compress = { br: promisify(brotliCompress), gz: promisify(gzip) };
const quality = {
  br: { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } },
  gz: { level: 9 },
};

/** A file with its compressed copies, which the server sends as they are. */
async function withCompressed(file, contents) {
  const written = [[file, contents]];
  const isSent = /[-.]\w{8}\.(m?js|css|svg)$/.test(file); // beforePaint.js and sw.js are read by the server, not sent
  if (watching || !isSent) return written;
  for (const kind of ["br", "gz"])
    written.push([`${file}.${kind}`, await compress[kind](contents, quality[kind])]);
  return written;
}

/** Write the build, remove old files, and return the sizes. */
async function publish(results) {
  const outputs = results.flatMap((result) => result.outputFiles);
  const metafile = results[0].metafile;
  const files = (
    await Promise.all(outputs.map((file) => withCompressed(file.path, file.contents)))
  ).flat();
  const manifest = path.join(dist, "manifest.json");
  await Promise.all(files.map(([file, contents]) => writeAtomically(file, contents)));
  await writeAtomically(manifest, `${JSON.stringify(manifestOf(metafile), null, 2)}\n`);
  const current = new Set([manifest, overBudget, ...files.map(([file]) => file)].map(relative));
  // In watch mode old builds would pile up, and the development server always reads the newest manifest.
  await pruneBuild(dist, current, { keepDays: watching ? 0 : KEEP_DAYS });
  return {
    metafile,
    sizes: new Map(files.map(([file, contents]) => [relative(file), contents.length])),
  };
}

async function build() {
  const started = performance.now();
  const results = await Promise.all(
    [bundles(), beforePaintScript(), serviceWorker()].map((options) => esbuild.build(options)),
  );
  const { metafile, sizes } = await publish(results);
  const sizeOf = (output) => sizes.get(`${relative(output)}.gz`);
  const { lines, broken } = checkBudgets(metafile.outputs, sizeOf);
  console.log(lines.join("\n"));
  console.log(`Built in ${((performance.now() - started) / 1000).toFixed(1)} s.`);
  // A page that grew is no reason not to serve it: studyplatform/launch warns, or fails if it checks.
  await writeAtomically(overBudget, JSON.stringify(broken));
  if (broken.length > 0) console.error(broken.join("\n"));
}

async function watch() {
  let latest = [null, null, null];
  let last = "";
  const report = (index) => ({
    name: "publish",
    setup(build) {
      build.onEnd(async (result) => {
        if (result.errors.length > 0) return;
        latest = latest.with(index, result);
        if (latest.includes(null)) return;
        const hash = createHash("sha1");
        for (const file of latest.flatMap((one) => one.outputFiles)) hash.update(file.contents);
        const digest = hash.digest("hex");
        if (digest === last) return;
        last = digest;
        await publish(latest);
        console.log(`Assets rebuilt at ${new Date().toLocaleTimeString("en-GB")}`);
      });
    },
  });
  const options = [bundles(), beforePaintScript(), serviceWorker()];
  for (const [index, one] of options.entries()) {
    const plugins = [...(one.plugins ?? []), report(index)];
    const context = await esbuild.context({ ...one, plugins });
    await context.watch();
  }
}

await (watching ? watch() : build());
