import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

import { scriptIcons } from "./shared/iconNames";

type Page = {
  scripts: string[];
  islands?: string[];
  later?: string[];
  onDemand?: string[];
  budget: number;
};
type Outputs = Record<
  string,
  {
    entryPoint?: string;
    imports: { path: string; kind: string; external?: boolean }[];
    inputs?: Record<string, unknown>;
  }
>;
type Budgets = {
  pages: Record<string, Page>;
  filesOf: (outputs: Outputs, page: Omit<Page, "budget">) => Set<string>;
  checkBudgets: (outputs: Outputs, sizeOf: (output: string) => number) => { broken: string[] };
};

const root = `${import.meta.dirname}/..`;
const { pages, filesOf, checkBudgets } = (await import(`${root}/assets/budgets.mjs`)) as Budgets;

function textsIn(folder: string, ...endings: string[]): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => endings.some((ending) => file.endsWith(ending)))
    .map((file) => readFileSync(`${folder}/${file}`, "utf8"));
}

function namesIn(texts: string[], pattern: RegExp): string[] {
  const found = texts.flatMap((text) => [...text.matchAll(pattern)].map(([, name]) => name!));
  return [...new Set(found)].sort();
}

const templates = textsIn(`${root}/templates`, ".html");
const unique = (names: string[]): string[] => [...new Set(names)].sort();

it("has a budget for a page with each island that templates mount", () => {
  const mounted = namesIn(templates, /\bisland\("([\w-]+)"/g);
  expect(unique(Object.values(pages).flatMap(({ islands = [] }) => islands))).toEqual(mounted);
});

it("has a budget for a page with each script that templates load", () => {
  // "offline" is the only script of its page; "mock" is for development.
  const loaded = namesIn(templates, /\bbundle\("([\w-]+)"\)/g);
  const budgeted = Object.values(pages).flatMap(({ scripts }) => scripts);
  expect(unique([...budgeted, "mock", "offline"])).toEqual(loaded);
});

it("counts an island's code on the pages that have the island, with what it fetches later", () => {
  const file = (entryPoint: string, ...imports: [kind: string, path: string][]) => ({
    entryPoint,
    imports: imports.map(([kind, path]) => ({ kind, path })),
  });
  const outputs: Outputs = {
    "site.js": file("assets/site.ts", ["import-statement", "chunk.js"]),
    "mount.js": file("assets/shared/mount.tsx", ["dynamic-import", "b.js"]),
    "a.js": file(
      "assets/islands/a/index.tsx",
      ["dynamic-import", "hls.js"],
      ["dynamic-import", "panel.js"],
    ),
    "b.js": file("assets/islands/b/index.tsx"),
    "hls.js": file("assets/hls.ts", ["import-statement", "part.js"]),
    "panel.js": file("assets/panel.ts"),
    "chunk.js": file(""),
    "part.js": file(""),
  };
  const all = ["site.js", "chunk.js", "mount.js", "a.js", "hls.js", "part.js"];
  const page = { scripts: ["site"], islands: ["a"] };
  expect(filesOf(outputs, page)).toEqual(new Set([...all, "panel.js"]));
  expect(filesOf(outputs, { ...page, onDemand: ["panel.ts"] })).toEqual(new Set(all));
  expect(filesOf(outputs, { scripts: ["site"] })).toEqual(new Set(["site.js", "chunk.js"]));
});

it("lists no icon that no script draws", () => {
  const sources = textsIn(import.meta.dirname, ".ts", ".tsx").filter(
    (text) => !text.includes("scriptIcons"),
  );
  const unused = scriptIcons.filter((name) => !sources.some((text) => text.includes(`"${name}"`)));
  expect(unused).toEqual([]);
});

/** An output for each source that a page names. */
function outputsOfAllPages(): Outputs {
  const file = (entryPoint: string) => ({ entryPoint, imports: [] });
  const all: Outputs = {};
  for (const { scripts, islands = [], later = [], onDemand = [] } of Object.values(pages)) {
    for (const name of [...scripts, ...later]) all[`${name}.js`] = file(`assets/${name}.ts`);
    for (const name of islands)
      all[`islands/${name}.js`] = file(`assets/islands/${name}/index.tsx`);
    for (const name of onDemand) all[`${name}.js`] = file(`assets/${name}`);
  }
  all["mount.js"] = file("assets/shared/mount.tsx");
  return all;
}

it("lets no page load the editor that only shows texts", () => {
  const all = outputsOfAllPages();
  all["lesson.js"]!.inputs = { "assets/shared/editor/surface.ts": {} };
  expect(checkBudgets(all, () => 0).broken).toEqual([
    "Who reads loads no editor: text or file lesson loads lesson.js.",
  ]);
});

it("lets no page load offline lessons that a browser without them does not need", () => {
  const all = outputsOfAllPages();
  all["site.js"]!.inputs = { "assets/shared/offlineMarker.ts": {} };
  expect(checkBudgets(all, () => 0).broken).toEqual([]);
  all["site.js"]!.inputs = { "assets/offline/start.ts": {} };
  expect(checkBudgets(all, () => 0).broken).toEqual([
    "Who stores no lessons loads nothing of it: page without islands does.",
  ]);
});

it("lets a page weigh one percent more, because versions of zlib differ", () => {
  const all = outputsOfAllPages();
  const weighing = (bytes: number) => (output: string) => (output === "site.js" ? bytes : 0);
  const name = "page without islands";
  const limit = pages[name]!.budget;

  expect(checkBudgets(all, weighing(limit * 1.009)).broken).toEqual([]);
  expect(checkBudgets(all, weighing(limit * 1.011)).broken[0]).toContain(`${name} weighs 15.2 kB`);
});
