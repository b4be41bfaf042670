import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";

import ts from "typescript";
import { expect, it } from "vitest";

const root = import.meta.dirname;
const files = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((file) => /\.tsx?$/.test(file) && !/\.(d|gen|config)\.ts$/.test(file))
  .map((file) => file.replaceAll("\\", "/"));
const isTest = (file: string): boolean => /\.test\.tsx?$|(^|\/)testing(\/|\.ts)/.test(file);

/** The module that a relative import names; null for packages, data and generated files. */
function resolve(from: string, specifier: string): string | null {
  if (!specifier.startsWith(".")) return null;
  const base = path.posix.join(path.posix.dirname(from), specifier);
  const endings = [".ts", ".tsx", "/index.ts", "/index.tsx"];
  return endings.map((ending) => base + ending).find((file) => files.includes(file)) ?? null;
}

/** Module → the modules it imports, types and `import()` included. */
const graph = new Map(
  files.map((file) => {
    const { importedFiles } = ts.preProcessFile(readFileSync(`${root}/${file}`, "utf8"), true);
    const found = importedFiles.map(({ fileName }) => resolve(file, fileName));
    return [file, found.filter((imported) => imported !== null)] as const;
  }),
);

/** One cycle of imports as a list of modules that begins and ends with the same one; empty if there is none. */
function findCycle(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const visit = (module: string, trail: string[]): string[] => {
    if (trail.includes(module)) return [...trail.slice(trail.indexOf(module)), module];
    if (done.has(module)) return [];
    for (const imported of imports.get(module) ?? []) {
      const cycle = visit(imported, [...trail, module]);
      if (cycle.length > 0) return cycle;
    }
    done.add(module);
    return [];
  };
  for (const module of imports.keys()) {
    const cycle = visit(module, []);
    if (cycle.length > 0) return cycle;
  }
  return [];
}

/** Imports that break a rule, as "a.ts imports b.ts". */
function breaking(isForbidden: (from: string, to: string) => boolean): string[] {
  return [...graph].flatMap(([from, imported]) =>
    imported.filter((to) => isForbidden(from, to)).map((to) => `${from} imports ${to}`),
  );
}

const islandOf = (file: string): string | undefined => /^islands\/([^/]+)\//.exec(file)?.[1];

it("finds the modules and their imports", () => {
  expect(graph.get("site/confirm.ts")).toContain("shared/dialog.ts");
  expect(graph.get("islands/registry.ts")).toContain("islands/player/index.tsx");
  expect(existsSync(`${root}/islands/registry.ts`)).toBe(true);
});

it("recognizes a cycle", () => {
  const cycle = findCycle(new Map([["a", ["b"]], ["b", ["c"]], ["c", ["b"]]])); // prettier-ignore
  expect(cycle).toEqual(["b", "c", "b"]);
});

it("has no import cycle", () => {
  expect(findCycle(graph)).toEqual([]);
});

it("keeps islands apart", () => {
  const found = breaking((from, to) => {
    const [island, other] = [islandOf(from), islandOf(to)];
    return island !== undefined && other !== undefined && island !== other;
  });
  expect(found).toEqual([]);
});

it("imports an island nowhere but in the registry", () => {
  const found = breaking(
    (from, to) => islandOf(from) === undefined && islandOf(to) !== undefined,
  ).filter((line) => !line.startsWith("islands/registry.ts "));
  expect(found).toEqual([]);
});

it("imports from shared/ nothing but shared/, the registry and the recorded answers", () => {
  const allowed = ["islands/registry.ts", "mock.ts"];
  const found = breaking(
    (from, to) =>
      from.startsWith("shared/") &&
      !isTest(from) &&
      !to.startsWith("shared/") &&
      !allowed.includes(to),
  );
  expect(found).toEqual([]);
});

it("names components in PascalCase and all other files in camelCase", () => {
  const wrong = files.filter((file) => {
    const name = path.posix.basename(file).replace(/(\.test)?\.tsx?$/, "");
    const isComponent = /^[A-Z]/.test(name);
    return !/^[A-Za-z0-9]+$/.test(name) || (isComponent && file.endsWith(".ts"));
  });
  const lowercase = files.filter(
    (file) => file.endsWith(".tsx") && !isTest(file) && /^[a-z]/.test(path.posix.basename(file)),
  );
  expect(wrong).toEqual([]);
  expect(lowercase.filter((file) => !/(^|\/)(index|mount|views)\.tsx$/.test(file))).toEqual([]);
});
