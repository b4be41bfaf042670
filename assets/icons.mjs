// One sprite of the icons that templates and the error catalogue name, and of no others.
import { readFile, readdir } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";

const require = createRequire(import.meta.url);

// icon("bell") in a template; {# … icons: play lock #} for names that reach a template as data;
// icon="bell" in Python (notification kinds, settings sections); "icon": "lock" in the error catalog.
// tests/built.py finds the same names, so that a test run with an old sprite says so.
const mentions = [
  /\bicon\(\s*["']([a-z0-9-]+)["']/g,
  /\bicon\s*=\s*"([a-z0-9-]+)"/g,
  /["']?icon["']?:\s*["']([a-z0-9-]+)["']/g,
];
const announced = /\bicons:([a-z0-9\s-]+)#\}/g;

/** The files below a folder of the project whose names have this ending. */
async function below(folder, ending) {
  return (await readdir(folder, { withFileTypes: true, recursive: true }))
    .filter((file) => file.isFile() && file.name.endsWith(ending))
    .map((file) => path.join(file.parentPath, file.name));
}

async function sources(root) {
  const [templates, apps, frame] = await Promise.all([
    below(path.join(root, "templates"), ".html"),
    below(path.join(root, "apps"), ".py"),
    below(path.join(root, "studyplatform"), ".py"),
  ]);
  const errors = path.join(root, "assets", "shared", "api", "errors.gen.ts");
  return [...templates, ...apps, ...frame, errors];
}

async function names(files) {
  const found = new Set();
  for (const text of await Promise.all(files.map((file) => readFile(file, "utf8")))) {
    for (const pattern of mentions) for (const [, name] of text.matchAll(pattern)) found.add(name);
    for (const [, list] of text.matchAll(announced))
      for (const name of list.trim().split(/\s+/)) found.add(name);
  }
  return [...found].sort();
}

/** The named icons as symbols of one file. */
async function draw(files) {
  const folder = path.join(path.dirname(require.resolve("lucide-static/package.json")), "icons");
  const symbols = (await names(files)).map(async (name) => {
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

/** Answers for the entry "icons:sprite", and draws it anew when a template changes. */
export function iconSprite(root) {
  return {
    name: "icons",
    setup(build) {
      build.onResolve({ filter: /^icons:sprite$/ }, () => ({
        path: "sprite.svg",
        namespace: "icons",
      }));
      build.onLoad({ filter: /.*/, namespace: "icons" }, async () => {
        const watchFiles = await sources(root);
        return { contents: await draw(watchFiles), loader: "copy", watchFiles };
      });
    },
  };
}
