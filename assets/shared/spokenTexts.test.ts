import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

import { fromThePage, spokenTexts } from "./spokenTexts";

const root = `${import.meta.dirname}/..`;
const sources = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((file) => /\.tsx?$/.test(file) && !/\.test\.|\.gen\.|spokenTexts/.test(file))
  .map((file) => ({ file, text: readFileSync(`${root}/${file}`, "utf8") }));

/** The arguments of each call of `announce` in a source. */
function callsIn(text: string): string[] {
  return [...text.matchAll(/(?<!function )\bannounce\(/g)].map(({ index }) => {
    let depth = 0;
    const start = index + "announce".length;
    for (let end = start; end < text.length; end += 1) {
      if (text[end] === "(") depth += 1;
      if (text[end] === ")") depth -= 1;
      if (depth === 0) return text.slice(start + 1, end);
    }
    throw new Error("A call that does not end");
  });
}

/** The texts of `t("…")` and `tn("…", "…")`; of the latter, that for several. */
function textsIn(source: string): string[] {
  const one = [...source.matchAll(/\bt\(\s*"((?:[^"\\]|\\.)+)"/g)].map(([, text]) => text);
  const many = [...source.matchAll(/\btn\(\s*"[^"]+",\s*"([^"]+)"/g)].map(([, text]) => text);
  return [...one, ...many].filter((text) => text !== undefined);
}

const listed: string[] = Object.values(spokenTexts).flat();

it("lists every text that is announced", () => {
  const announced = sources.flatMap(({ text }) => callsIn(text).flatMap(textsIn));
  expect(announced.length).toBeGreaterThan(30);
  expect(announced.filter((text) => !listed.includes(text))).toEqual([]);
});

it("lists no text twice, and none that is never announced", () => {
  const speaking = sources.filter(({ text }) => callsIn(text).length > 0);
  const said = new Set(speaking.flatMap(({ text }) => textsIn(text)));
  expect(listed.filter((text) => !said.has(text))).toEqual([]);
  expect(new Set(listed).size).toBe(listed.length);
});

it("names the places that announce what the page or the server says", () => {
  const others = sources.filter(({ text }) =>
    callsIn(text).some((call) => textsIn(call).length === 0),
  );
  expect(others.map(({ file }) => file).sort()).toEqual(Object.keys(fromThePage).sort());
});

// An answer of the tutor is a log: it arrives over many seconds, and each sentence is read once.
it("has no live region beside that of announce.ts and the log of the tutor's answers", () => {
  const own = sources.filter(({ text }) => /aria-live(?!="off")|ariaLive/.test(text));
  expect(own.map(({ file }) => file).sort()).toEqual([
    "islands/tutor/Thread.tsx",
    "shared/announce.ts",
  ]);
});
