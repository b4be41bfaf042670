// The icon sprite: one SVG file with a symbol for each icon that the site names, and no others.
import { readFile, readdir } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";

const require = createRequire(import.meta.url);

// icon("bell") in a template; icon="bell" in Python (notification kinds, settings sections); "icon": "lock" in
// the error catalogue. tests/assets_build.py finds the same names, so that a test run with an old sprite says so.
const mentions = [
  /\bicon\(\s*["']([a-z0-9-]+)["']/g,
  /\bicon\s*=\s*"([a-z0-9-]+)"/g,
  /["']?icon["']?:\s*["']([a-z0-9-]+)["']/g,
];
// {# icons: play lock #} in a template: icons whose names reach the template as data.
const announced = /\bicons:([a-z0-9\s-]+)#\}/g;
const literals = /"([a-z0-9-]+)"/g;

/** The files below a folder of the project whose names have this ending. */
async function below(folder, ending) {
  return (await readdir(folder, { withFileTypes: true, recursive: true }))
    .filter((file) => file.isFile() && file.name.endsWith(ending))
    .map((file) => path.join(file.parentPath, file.name));
}

/** The templates, the Python code and the error catalogue. */
async function sources(root) {
  const found = await Promise.all([
    below(path.join(root, "templates"), ".html"),
    below(path.join(root, "apps"), ".py"),
    below(path.join(root, "studyplatform"), ".py"),
  ]);
  return [...found.flat(), path.join(root, "assets", "shared", "api", "errors.gen.ts")];
}

/** Names found by `patterns` in the texts of `files`. */
async function namesIn(files, patterns) {
  const texts = await Promise.all(files.map((file) => readFile(file, "utf8")));
  const lists = texts.flatMap((text) =>
    patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, names]) => names)),
  );
  return lists.flatMap((names) => names.trim().split(/\s+/));
}

/**
 * @param root the repository
 * @returns the icons in the order of their names, and the files that name them
 */
async function collect(root) {
  const naming = await sources(root);
  const list = path.join(root, "assets", "shared", "iconNames.ts");
  const listed = /\[[^\]]*\] as const/.exec(await readFile(list, "utf8"))?.[0] ?? "";
  const names = new Set([
    ...(await namesIn(naming, [...mentions, announced])),
    ...[...listed.matchAll(literals)].map(([, name]) => name),
  ]);
  return { names: [...names].sort(), files: [...naming, list] };
}

/**
 * The sprite as SVG text.
 * @throws Error where the icon library has no drawing of that name
 */
async function draw(names) {
  const folder = path.join(path.dirname(require.resolve("lucide-static/package.json")), "icons");
  const symbols = names.map(async (name) => {
    const source = await readFile(path.join(folder, `${name}.svg`), "utf8").catch(() => {
      throw new Error(`No icon is called “${name}”`);
    });
    const drawing = source.slice(source.indexOf(">", source.indexOf("<svg")) + 1);
    const body = drawing.slice(0, drawing.lastIndexOf("</svg>")).replace(/\s*\n\s*/g, "");
    return `<symbol id="${name}" viewBox="0 0 24 24">${body.replaceAll(" />", "/>")}</symbol>`;
  });
  const all = (await Promise.all(symbols)).join("");
  return `<svg xmlns="http://www.w3.org/2000/svg">${all}</svg>`;
}

/** An esbuild plugin that builds the entry "icons:sprite", again when a file that names icons changes. */
export function iconSprite(root) {
  return {
    name: "icons",
    setup(build) {
      build.onResolve({ filter: /^icons:sprite$/ }, () => ({
        path: "sprite.svg",
        namespace: "icons",
      }));
      build.onLoad({ filter: /.*/, namespace: "icons" }, async () => {
        const { names, files: watchFiles } = await collect(root);
        return { contents: await draw(names), loader: "copy", watchFiles };
      });
    },
  };
}
