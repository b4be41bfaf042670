// How two libraries are taken in, so that a page pays for what it uses and no more.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";

const require = createRequire(import.meta.url);

/** hls.js has been minified by its makers, and better: it is passed on as they publish it. */
export function asPublished() {
  return {
    name: "as-published",
    setup(build) {
      build.onLoad({ filter: /hls\.light\.min\.mjs$/ }, async ({ path: file }) => {
        const contents = await readFile(file, "utf8");
        return {
          contents: contents.replace(/\n\/\/# sourceMappingURL=.*\s*$/, ""),
          loader: "copy",
        };
      });
    },
  };
}

const exported = /export \{([^}]+)\} from ["']\.\/icons\/([\w-]+)\.mjs["']/g;
const alias = /default as (\w+)/g;

/** Every name of the icon library → the file that draws it. */
async function iconFiles() {
  const folder = path.dirname(require.resolve("lucide-react/package.json"));
  const index = await readFile(path.join(folder, "dist/esm/lucide-react.mjs"), "utf8");
  const files = new Map();
  for (const [, names, file] of index.matchAll(exported))
    for (const [, name] of names.matchAll(alias)) files.set(name, file);
  return files;
}

/**
 * Import each icon from its own file. Through the library's index, every page with an island would
 * get the icons of all islands, because the index is one file that they share.
 */
export function singleIcons() {
  const imports = /import \{([^}]+)\} from "lucide-react";/g;
  return {
    name: "single-icons",
    async setup(build) {
      const files = await iconFiles();
      build.onLoad({ filter: /[\\/]assets[\\/].+\.tsx?$/ }, async ({ path: file }) => {
        const contents = (await readFile(file, "utf8")).replace(imports, (_, list) =>
          list
            .split(",")
            .map((name) => name.trim())
            .filter((name) => name !== "" && !name.startsWith("type "))
            .map((name) => {
              const [icon, local = icon] = name.split(/\s+as\s+/);
              if (!files.has(icon)) throw new Error(`lucide-react has no icon called “${icon}”`);
              return `import ${local} from "lucide-react/icons/${files.get(icon)}";`;
            })
            .join(""),
        );
        return { contents, loader: file.endsWith("x") ? "tsx" : "ts" };
      });
    },
  };
}
