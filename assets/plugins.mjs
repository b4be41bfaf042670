// How two libraries are taken in, so that a page pays for what it uses and no more.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";

const require = createRequire(import.meta.url);

// What hls.js brings for streams that are not ours. The platform makes fragmented MP4, on demand, from one place:
// no MPEG transport streams to take apart and write anew, no ID3 in them, no dropped-frame or content steering.
const unused = [
  [
    /^const muxConfig = \[[\s\S]*?^\}\];$/m,
    "const muxConfig = [{ demux: MP4Demuxer, remux: PassThroughRemuxer }];",
  ],
  [/TSDemuxer\.probe\(initSegmentData, this\.logger\)/, "false"],
  [/^MP4\.FTYP = [^;]*;$/m, ""],
  [/^MP4\.DINF = [^;]*;$/m, ""],
  [/fpsController: FPSController,/, "fpsController: undefined,"],
  [/id3TrackController: ID3TrackController,/, "id3TrackController: undefined,"],
  [
    /contentSteeringController: ContentSteeringController ,/,
    "contentSteeringController: undefined,",
  ],
  [/^export \{[^}]*\};$/m, "export { Hls as default };"],
];
// Whole statements that only write to the console, which stays silent here.
const log =
  /^\s*(?:this|self|hls|logger|[\w.]+\.logger)\.(?:log|warn|debug|info|trace)\(`[^`]*`\);$/gm;

/** hls.js without what fragmented MP4 never needs: a fifth less to fetch before the first picture. */
export function leanHls() {
  return {
    name: "lean-hls",
    setup(build) {
      build.onLoad({ filter: /hls\.light\.mjs$/ }, async ({ path: file }) => {
        let contents = await readFile(file, "utf8");
        for (const [pattern, kept] of unused) {
          // A new version may be written differently; then somebody has to look, not a learner.
          if (!pattern.test(contents)) throw new Error(`hls.js no longer has ${pattern}`);
          contents = contents.replace(pattern, kept);
        }
        return { contents: contents.replace(log, ";"), loader: "js" };
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
