import { afterEach, expect, it, vi } from "vitest";

import { forgetDraft, keepDraft, newest, readDraft, setAside, takeBack } from "./drafts";

const name = "study.draft:ada:topic-1";
const draft = (at: number, source = "Hello") => ({ source, fields: { title: "T" }, at });

afterEach(() => vi.restoreAllMocks());

it("keeps and forgets", () => {
  keepDraft(name, draft(1));
  expect(readDraft(name)).toEqual(draft(1));

  forgetDraft(name);
  expect(readDraft(name)).toBeNull();
});

it.each([
  "{",
  "7",
  '{"source": 1, "fields": {}, "at": 1}',
  '{"source": "", "fields": {"a": 1}, "at": 1}',
])("ignores what another program wrote: %s", (text) => {
  localStorage.setItem(name, text);
  expect(readDraft(name)).toBeNull();
});

it("keeps the thirty newest of all places", () => {
  for (let place = 1; place <= 32; place += 1)
    keepDraft(`study.draft:ada:topic-${place}`, draft(place));
  localStorage.setItem("study.other", "x");

  expect(readDraft("study.draft:ada:topic-2")).toBeNull();
  expect(readDraft("study.draft:ada:topic-3")).not.toBeNull();
  expect(localStorage.getItem("study.other")).toBe("x");
});

it("does without storage", () => {
  vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
    throw new DOMException("full", "QuotaExceededError");
  });
  expect(() => keepDraft(name, draft(1))).not.toThrow();
});

function comeBack(type: string): void {
  vi.spyOn(performance, "getEntriesByType").mockReturnValue([{ type } as never]);
}

it("takes back what was being sent, only by the browser's button", () => {
  keepDraft(name, draft(1));
  setAside(name, draft(2));
  expect(readDraft(name)).toBeNull();
  comeBack("back_forward");
  expect(takeBack(name)).toEqual(draft(2));
  expect(takeBack(name)).toBeNull();

  setAside(name, draft(3));
  comeBack("navigate");
  expect(takeBack(name)).toBeNull();
  comeBack("back_forward");
  expect(takeBack(name)).toBeNull();
});

it("finds the newest", () => {
  expect(newest(null, draft(1), draft(3), draft(2))?.at).toBe(3);
  expect(newest(null, null)).toBeNull();
});

it("makes room for the newest draft", () => {
  keepDraft("study.draft:ada:old", draft(1));
  keepDraft("study.draft:ada:newer", draft(2));
  const store = Storage.prototype.setItem;
  vi.spyOn(Storage.prototype, "setItem").mockImplementation(function (this: Storage, ...entry) {
    if (readDraft("study.draft:ada:old")) throw new DOMException("full", "QuotaExceededError");
    store.apply(this, entry);
  });
  expect(keepDraft(name, draft(3))).toBe(true);
  expect(readDraft("study.draft:ada:newer")).not.toBeNull();
});
