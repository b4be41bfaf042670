import { expect, it } from "vitest";

import {
  type Content,
  edited,
  emptyContent,
  isContained,
  isDeleted,
  isSame,
  merge,
  textOf,
} from "./content";

const at = 1_700_000_000_000;
const write = (base: Content, key: string, text: string, revision = 1): Content =>
  merge(base, edited(base, key, { text, is_deleted: false, at: at + revision, revision }));

/** Copies of one note, as devices that see some of each other's edits leave them. The same ones in each run. */
function copies(count: number): Content[] {
  let seed = 7;
  const pick = (below: number): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  const made: Content[] = [emptyContent];
  const revisions = new Map<string, number>();
  for (let step = 0; step < count; step += 1) {
    const base = made[pick(made.length)] ?? emptyContent;
    const key = `editor-${pick(5)}`;
    const revision = (revisions.get(key) ?? 0) + 1;
    revisions.set(key, revision);
    const change = { text: `text ${step}`, is_deleted: pick(5) === 0, at: at + pick(50), revision };
    made.push(merge(base, edited(base, key, change)));
  }
  return made;
}

it("merges to the same in any order and repetition", () => {
  const all = copies(40);
  const whole = all.reduce(merge, emptyContent);
  const backwards = [...all].reverse().reduce(merge, emptyContent);
  const twice = [...all, ...all].reduce(merge, emptyContent);
  const paired = all.reduce(
    (sum, one, index) => merge(merge(one, all[(index * 7) % all.length]!), sum),
    emptyContent,
  );

  expect(isSame(whole, backwards)).toBe(true);
  expect(isSame(whole, twice)).toBe(true);
  expect(isSame(whole, paired)).toBe(true);
  expect(all.every((one) => isContained(one, whole))).toBe(true);
});

it("keeps what two devices wrote at the same time, and replaces what an editor has seen", () => {
  const first = write(emptyContent, "phone", "Floor fixed.");
  const onPhone = write(first, "phone", "Floor fixed. Ceiling slides.", 2);
  const onLaptop = write(first, "laptop", "Floor fixed! Area stays.");
  const both = merge(onPhone, onLaptop);

  expect(textOf(both)).toContain("Ceiling slides.");
  expect(textOf(both)).toContain("Area stays.");
  const tidied = write(both, "tablet", "One text.");
  expect(textOf(tidied)).toBe("One text.");
  expect(textOf(merge(tidied, onPhone))).toBe("One text.");
});

it("keeps a note that one device deleted while another wrote in it", () => {
  const first = write(emptyContent, "phone", "Kept?");
  const gone = edited(first, "laptop", { text: "", is_deleted: true, at, revision: 1 });
  const written = write(first, "phone", "Kept!", 2);

  expect(isDeleted(merge(first, gone))).toBe(true);
  expect(isDeleted(merge(written, gone))).toBe(false);
  expect(textOf(merge(gone, written))).toBe("Kept!");
});
