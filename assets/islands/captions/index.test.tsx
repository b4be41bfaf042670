import { act, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { ApiError, type ErrorCode, problemOf } from "../../shared/api/errors";
import { AuthProvider } from "../../shared/auth/AuthProvider";
import * as confirming from "../../shared/confirming";
import * as toasts from "../../shared/toasts";
import * as api from "./api";
import type { Chapter, Changes, Saved, SheetData } from "./api";
import { type Cue, newCue } from "./cues";
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
  lock_reason: "",
  chapters_lock_reason: "",
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

const sheetOf = (language: string, cues: Cue[] = []): SheetData => ({
  language,
  name: language === "und" ? "Unknown language" : language,
  cues,
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

const cueOf = (id: string, begin: number, text: string): Cue => ({
  ...newCue(begin, begin + 1, text),
  id,
});
const refusal = (status: number, code: ErrorCode, more: object): ApiError =>
  new ApiError(status, { ...problemOf(code, status), ...more });
/** Sheets with these cues, and a server that answers a save. */
function serve(
  cues: Record<string, Cue[]>,
  answer: (language: string, changes: Changes) => Partial<Saved> = () => ({}),
): void {
  vi.spyOn(api, "fetchSheet").mockImplementation((_, language) =>
    Promise.resolve({
      ...sheetOf(language, cues[language]),
      published: "uploaded",
      is_changed: true,
    }),
  );
  vi.spyOn(api, "saveCues").mockImplementation(async (_, language, changes) => {
    await Promise.resolve();
    const saved = { revision: changes.since + 1, cues: [], conflicts: [], edited_by: "Ana" };
    return { ...saved, ...answer(language, changes) };
  });
}
const field = (label: string): HTMLTextAreaElement => screen.getByLabelText(label);
const type = async (label: string, value: string): Promise<void> => {
  fireEvent.change(field(label), { target: { value } });
  await pass(5_000);
};
const press = async (name: string): Promise<void> => {
  fireEvent.click(screen.getByRole("button", { name }));
  await pass();
};

it("offers both versions of chapters that another author has changed", async () => {
  const theirs = [
    { start: 0, title: "Begin" },
    { start: 9, title: "Of another" },
  ];
  const before: (readonly Chapter[])[] = [];
  let refusals = 2;
  vi.spyOn(api, "saveChapters").mockImplementation((_, chapters, began) => {
    before.push(began);
    refusals -= 1;
    return refusals < 0
      ? Promise.resolve([...chapters])
      : Promise.reject(refusal(409, "CHAPTERS_CHANGED", { params: { chapters: theirs } }));
  });
  await opened();
  typeTitle("Mine");
  await press("Save chapters");
  expect(screen.getByText("Of another")).toBeTruthy();
  await press("Put both together");
  expect(titles()).toEqual(["Mine", "Of another"]);
  await press("Save chapters");
  await press("Save mine");
  expect([titles(), screen.queryByText("Save mine")]).toEqual([["Mine", "Of another"], null]);
  expect(before).toEqual([props.chapters, theirs, theirs]);
});

it("says why captions and chapters can only be read", async () => {
  const lock = { lock_reason: "The course is under review.", chapters_lock_reason: "A version." };
  const close = await opened({ ...lock, is_locked: true, are_chapters_locked: true });
  expect(screen.getByText("The course is under review.")).toBeTruthy();
  expect(screen.queryByText("A version.")).toBeNull();
  close();
  await opened({ ...lock, lock_reason: "", are_chapters_locked: true });
  expect(screen.getByText("A version.")).toBeTruthy();
});

it("says why changes were not discarded, and keeps them", async () => {
  serve({ en: [cueOf("a", 0, "One")] });
  vi.spyOn(confirming, "confirmFirst").mockResolvedValue(true);
  const said = vi.spyOn(toasts, "toast").mockReturnValue(undefined as never);
  vi.spyOn(api, "discardSheet").mockRejectedValue(
    refusal(409, "COURSE_UNDER_REVIEW", { detail: "Under review." }),
  );
  await opened();
  await type("Caption 1, en", "Mine");
  await press("Discard changes");
  expect(said.mock.calls.map(([text]) => text)).toEqual(["Under review."]);
  expect(field("Caption 1, en").value).toBe("Mine");
});

it("says in the row, above the list and in the head what the server does not accept", async () => {
  serve({ en: [cueOf("a", 0, "One"), cueOf("b", 2, "Two")] }, (_, { cues }) => {
    const at = cues.findIndex(({ text }) => text === "Long");
    if (at === -1) return {};
    const fields = { [`cues.${at}.text`]: [{ code: "max_length", message: "Too long" }] };
    throw refusal(400, "VALIDATION_FAILED", { fields });
  });
  await opened();
  await type("Caption 2, en", "Long");
  expect(screen.getByText("en, not saved: Too long")).toBeTruthy();
  expect(screen.getByText("Not saved: caption 2: Too long")).toBeTruthy();
  expect(field("Caption 2, en").getAttribute("aria-invalid")).toBe("true");
  expect(screen.getByText(/^1 caption waits for your decision/)).toBeTruthy();
  await type("Caption 2, en", "Short");
  expect(screen.queryByText(/not saved|waits/i)).toBeNull();
});

it("asks about a translation that another author has changed, too", async () => {
  serve({ en: [cueOf("a", 0, "One")], de: [cueOf("x", 0, "Eins")] }, (_, { cues, since }) => {
    const met = since > 0 ? [] : cues.filter(({ id }) => id === "x");
    return {
      cues: met.map((cue) => ({ ...cue, text: "Theirs" })),
      conflicts: met.map(({ id }) => id),
    };
  });
  await opened();
  fireEvent.change(screen.getByLabelText("Second language"), { target: { value: "de" } });
  await pass();
  await type("Caption 1, de", "Mein");
  expect(screen.getByText(/^Ana has changed this caption, too: “Theirs”/)).toBeTruthy();
  expect(screen.getByText("Not saved: changed elsewhere, too")).toBeTruthy();
  await press("Take the other");
  expect(field("Caption 1, de").value).toBe("Theirs");
});
