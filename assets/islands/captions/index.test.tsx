import { act, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { AuthProvider } from "../../shared/auth/AuthProvider";
import * as api from "./api";
import type { Chapter, SheetData } from "./api";
import { Island } from "./index";
import type { CaptionsProps } from "./props";
import { mergeChapters } from "./useChapters";

const state = { user: null, isLoading: false };
const session = { state, isAuthenticated: true, subscribe: () => () => undefined } as never;

const props: CaptionsProps = {
  author: "ada",
  lesson: "lesson",
  video: "video",
  title: "Vectors",
  duration: 60,
  sources: null,
  poster: null,
  has_audio: false,
  can_transcribe: true,
  can_translate: false,
  is_locked: false,
  are_chapters_locked: false,
  language: "en",
  languages: [
    { tag: "en", name: "English", has_captions: true },
    { tag: "de", name: "German", has_captions: false },
  ],
  encodings: {},
  export: "/LANGUAGE",
  chapters: [{ start: 0, title: "Begin" }],
};

const sheetOf = (language: string): SheetData => ({
  language,
  name: language === "und" ? "Unknown language" : language,
  cues: [],
  revision: 0,
  base: "",
  published: "",
  is_changed: false,
  is_replaced: false,
  source_encoding: "",
  edited_by: "",
  edited_at: null,
});

const pass = (milliseconds = 1): Promise<unknown> =>
  act(() => vi.advanceTimersByTimeAsync(milliseconds));

async function opened(more: Partial<CaptionsProps> = {}): Promise<() => void> {
  const { unmount } = render(
    <AuthProvider session={session}>
      <Island {...props} {...more} />
    </AuthProvider>,
  );
  await pass();
  return unmount;
}

const titles = (): string[] =>
  screen
    .getAllByLabelText(/^Chapter \d+, title$/)
    .map((field) => (field as HTMLInputElement).value);
const typeTitle = (title: string): void =>
  void fireEvent.change(screen.getByLabelText("Chapter 1, title"), { target: { value: title } });
const choose = async (tag: string): Promise<void> => {
  fireEvent.change(screen.getByLabelText("Language"), { target: { value: tag } });
  await pass();
};

beforeEach(() => {
  vi.useFakeTimers();
  localStorage.clear();
  vi.spyOn(api, "fetchSheet").mockImplementation((_, language) =>
    Promise.resolve(sheetOf(language)),
  );
  vi.spyOn(api, "listAutomatic").mockResolvedValue([]);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it("keeps chapters over another language, a save and a reload", async () => {
  const before: (readonly Chapter[])[] = [];
  vi.spyOn(api, "saveChapters").mockImplementation((_, chapters, began) => {
    before.push(began);
    return Promise.resolve([...chapters]);
  });
  const close = await opened();
  typeTitle("First");
  await choose("de");
  expect(titles()).toEqual(["First"]);
  screen.getByText("Save chapters").click();
  await pass();
  await choose("en");
  typeTitle("Second");
  screen.getByText("Save chapters").click();
  await pass();
  expect(before).toEqual([[{ start: 0, title: "Begin" }], [{ start: 0, title: "First" }]]);

  typeTitle("Third");
  close();
  await opened({
    chapters: [
      { start: 0, title: "Second" },
      { start: 9, title: "Of another" },
    ],
  });
  expect(titles()).toEqual(["Third", "Of another"]);
});

it("merges chapters of two authors", () => {
  const row = (time: string, title: string) => ({ time, title });
  const [one, two, three] = [row("0:00", "One"), row("1:00", "Two"), row("2:00", "Three")];
  const merged = mergeChapters([one, two], [one, row("0:30", "Mine")], [one, two, three]);
  expect(merged.map(({ title }) => title)).toEqual(["One", "Mine", "Three"]);
});

it("shows automatic captions whose language was not recognized", async () => {
  vi.spyOn(api, "beginTranscription").mockResolvedValue({ uid: "job" } as never);
  vi.spyOn(api, "fetchAutomatic").mockResolvedValue({
    uid: "job",
    kind: "speech",
    state: "done",
    language: "",
    cues: [{ begin: 0, end: 1, text: "Hm" }],
  } as never);
  await opened();
  screen.getByText("Write them automatically").click();
  for (const wait of [1, 2_000, 1]) await pass(wait);
  expect(screen.getByLabelText<HTMLSelectElement>("Language").value).toBe("und");
  expect(screen.getByText("Unknown language", { selector: "option" })).toBeTruthy();
});
