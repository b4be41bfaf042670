import { beforeEach, expect, it, vi } from "vitest";

import { makeError } from "../shared/api/errors";
import { session } from "../shared/auth/browser";
import { tokenFor } from "../shared/testing/tokens";
import { FakeTransport } from "../shared/uploads/testing";
import { openFilesDialog } from "./lessonsFromFiles";
import { createLessonUploads, type LessonUploads } from "./lessonUploads";
import type { Changed, OutlineCalls } from "./outlineCalls";

const limits = {
  videoEndings: [".mp4"],
  formats: ["MP4"],
  videoBytes: 10_000,
  fileBytes: 1_000,
  textLength: 40,
};
let outline: HTMLElement;
let transport: FakeTransport;
let uploads: LessonUploads;
let attached: unknown[];
let answer: () => Response;

vi.mock("./lessonUploads", { spy: true });

beforeEach(async () => {
  document.body.innerHTML = `<div data-outline><ol><li data-lesson="one"><a data-title>Slides</a><div class="unit__end"></div></li></ol></div>`;
  outline = document.querySelector<HTMLElement>("[data-outline]")!;
  outline.dataset.fileLimits = JSON.stringify(limits);
  transport = new FakeTransport();
  uploads = createLessonUploads(outline, transport);
  const module = await import("./lessonUploads");
  vi.mocked(module.startLessonUploads).mockReturnValue(uploads);
  attached = [];
  answer = () => Response.json({ uid: "one", file: null });
  session.login(
    { id: "ada", username: "ada", email: "ada@example.com", role: "instructor" },
    tokenFor(900),
  );
  vi.stubGlobal("fetch", async (request: Request | string) => {
    if (!(request instanceof Request) || request.method !== "PUT") return new Response("");
    attached.push(await request.json());
    return answer();
  });
});

const region = (): HTMLElement | null => document.querySelector(".fromfiles__region");
const refusals = (): string =>
  [...document.querySelectorAll(".fromfiles__uploads > .is-refused")]
    .map((one) => one.textContent)
    .join();
const button = (name: RegExp): HTMLButtonElement =>
  [...document.querySelectorAll<HTMLButtonElement>("button")].find((one) =>
    name.test(one.getAttribute("aria-label") ?? one.textContent),
  )!;

it("shows an upload until its lesson has the file", async () => {
  uploads.add(new File(["x"], "slides.pdf"), "file", "one");
  expect(region()!.textContent).toContain("Slides");
  const { events, target } = transport.of("slides.pdf");
  expect(target).toBe("one");

  events.onCreated("http://site/api/v1/uploads/7/", null);
  events.onDone();
  await vi.waitFor(() => expect(region()).toBeNull());
  expect(attached).toEqual([{ upload: "7" }]);
  expect(transport.removed).toEqual([]);
});

it("frees the storage of a file that its lesson cannot use, and says why", async () => {
  answer = () =>
    Response.json(
      { code: "FILE_UNSUITABLE", title: "x", status: 415, detail: "It is a program." },
      { status: 415 },
    );
  uploads.add(new File(["x"], "slides.pdf"), "file", "one");
  const { events } = transport.of("slides.pdf");
  events.onCreated("http://site/api/v1/uploads/7/", null);
  events.onDone();

  await vi.waitFor(() => expect(transport.removed).toEqual(["http://site/api/v1/uploads/7/"]));
  expect(refusals()).toContain("It is a program.");
});

it("attaches a file when the connection is back, however long that takes, without sending it again", async () => {
  vi.useFakeTimers();
  try {
    answer = () => {
      throw new TypeError("Failed to fetch");
    };
    uploads.add(new File(["x"], "slides.pdf"), "file", "one");
    const { events } = transport.of("slides.pdf");
    events.onCreated("/api/v1/uploads/7/", null);
    events.onDone();
    await vi.advanceTimersByTimeAsync(10 * 60_000);
    expect(attached.length).toBeGreaterThan(10);
    expect(transport.removed).toEqual([]);
    expect(refusals()).not.toContain("slides.pdf");

    answer = () => Response.json({ uid: "one", file: null });
    const before = attached.length;
    dispatchEvent(new Event("online"));
    await vi.waitFor(() => expect(region()).toBeNull());
    expect(attached).toHaveLength(before + 1);
    expect(transport.removed).toEqual([]);
    expect(transport.uploads).toHaveLength(1);
  } finally {
    vi.useRealTimers();
  }
});

it("lets the server attach a video, and keeps the others when one is refused", async () => {
  uploads.add(new File(["x"], "a.mp4"), "video", "one");
  uploads.add(new File(["x"], "b.mp4"), "video", "two");
  transport.of("b.mp4").events.onFail(makeError("UPLOAD_QUOTA_EXCEEDED"));
  transport.of("a.mp4").events.onCreated("/api/v1/uploads/8/", "film");
  transport.of("a.mp4").events.onDone();

  await vi.waitFor(() => expect(region()!.querySelectorAll("li")).toHaveLength(1));
  expect(region()!.querySelector("[role=alert]")).not.toBeNull();
  expect(attached).toEqual([]);
  button(/^Cancel upload of b/).click();
  await vi.waitFor(() => expect(region()).toBeNull());
});

it("asks before the page is left while a file is sent, and not afterwards", async () => {
  const leave = (): boolean => !dispatchEvent(new Event("beforeunload", { cancelable: true }));
  uploads.add(new File(["x"], "a.mp4"), "video", "one");
  expect(leave()).toBe(true);
  transport.of("a.mp4").events.onFail(makeError("UPLOAD_NETWORK_ERROR"));
  expect(leave()).toBe(true);
  button(/^Pause upload of a|^Resume upload of a/).click();
  button(/^Pause upload of a|^Resume upload of a/).click();
  expect(leave()).toBe(true);
  transport.of("a.mp4").events.onDone();
  await vi.waitFor(() => expect(region()).toBeNull());
  expect(leave()).toBe(false);
});

function changed(lesson: string, text = ""): Changed {
  return { added: [lesson], change: { uid: "change", text }, outline: {} } as unknown as Changed;
}

type Hooks = Parameters<typeof openFilesDialog>[2];
const ignore = (): void => undefined;

it("takes lessons back together, with the uploads that are running or waiting", async () => {
  const batches = new Set<string>();
  let count = 0;
  const calls = {
    addLesson: (...[, , , , batch]: Parameters<OutlineCalls["addLesson"]>) => {
      batches.add(batch);
      return Promise.resolve(changed(`uid-${++count}`, `${count} items were added.`));
    },
  } as unknown as OutlineCalls;
  let done: Parameters<Hooks["onDone"]> | undefined;
  const onDone: Hooks["onDone"] = (...given) => (done = given);
  const names = ["1 a.pdf", "2 b.pdf", "3 c.mp4", "4 d.mp4"];
  openFilesDialog(
    { uid: "s", title: "Counting" },
    outline,
    { calls, onAdded: () => Promise.resolve(), onDone },
    { files: names.map((name) => new File([name], name)), unreadable: [] },
  );
  uploads.add(new File(["x"], "other.pdf"), "file", "other");
  button(/^Add 4 lessons$/).click();
  await vi.waitFor(() => expect(done?.[0].text).toBe("4 items were added."));
  expect(batches.size).toBe(1);
  const [, withUploads] = done!;
  transport.of("1 a.pdf").events.onCreated("/api/v1/uploads/1/", null);

  // Refused, they continue where they were.
  const refusal = makeError("SERVER_ERROR");
  await expect(withUploads(() => Promise.reject(refusal))).rejects.toBe(refusal);
  expect(transport.of("1 a.pdf")).toMatchObject({ isStopped: false, url: "/api/v1/uploads/1/" });

  let answer: (text: string) => void = ignore;
  const undone = withUploads(() => new Promise<string>((resolve) => (answer = resolve)));
  expect(transport.of("1 a.pdf").isStopped).toBe(true); // nothing is sent while the server takes them back
  expect(transport.of("other.pdf").isStopped).toBe(false);
  answer("undone");
  await expect(undone).resolves.toBe("undone");
  expect(transport.removed).toEqual(["/api/v1/uploads/1/"]);
  expect(region()!.querySelectorAll("li")).toHaveLength(1);
  expect(transport.uploads.some(({ file }) => file.name === "4 d.mp4")).toBe(false);
});

it("says nothing of a file that arrives while its lesson is taken back, and frees its storage", async () => {
  answer = () => new Response("{}", { status: 404 });
  uploads.add(new File(["x"], "slides.pdf"), "file", "one");
  const { events } = transport.of("slides.pdf");
  events.onCreated("/api/v1/uploads/7/", null);
  events.onDone();
  await uploads.endWith(new Set(["one"]), () => Promise.resolve());
  await vi.waitFor(() => expect(transport.removed).toEqual(["/api/v1/uploads/7/"]));
  expect(refusals()).not.toContain("slides.pdf");
});

it("adds the lessons in order, texts with their text, and leaves out what is too long", async () => {
  const added: string[] = [];
  const texts: string[] = [];
  const calls = {
    addLesson: (_section: string, kind: string, title: string, body: string) => {
      added.push(`${kind} ${title}`);
      texts.push(body);
      return Promise.resolve(changed(`uid-${added.length}`));
    },
  } as unknown as OutlineCalls;
  const shown: Changed[] = [];
  openFilesDialog(
    { uid: "s", title: "Counting" },
    outline,
    { calls, onAdded: (now) => Promise.resolve(void shown.push(now)), onDone: ignore },
    {
      files: [
        new File(["x"], "10 film.mp4"),
        new File(["# Coins\n\nText"], "2 a.md"),
        new File(["y".repeat(41)], "3 long.txt"),
        new File([""], "4 empty.pdf"),
        new File(["z"], "5 slides.pdf"),
      ],
      unreadable: [],
    },
  );
  const title = document.querySelector<HTMLInputElement>(".fromfiles__list input")!;
  await vi.waitFor(() => expect(title.value).toBe("Coins"));
  button(/^Leave out 5 slides/).click();
  expect(document.querySelectorAll(".fromfiles__list input")).toHaveLength(3);
  button(/^Add 3 lessons$/).click();

  await vi.waitFor(() => expect(transport.uploads).toHaveLength(1));
  expect(added).toEqual(["text Coins", "video Film"]);
  expect(texts).toEqual(["Text", ""]);
  expect(refusals()).toContain("3 long.txt");
  expect(shown).toHaveLength(2);
});

it("lists every refusal until it is dismissed, and says what is not in the list", async () => {
  const names = ["1 a.txt", "2 b.txt", "3 c.txt", "4 d.txt"];
  openFilesDialog(
    { uid: "s", title: "Counting" },
    outline,
    { calls: {} as OutlineCalls, onAdded: () => Promise.resolve(), onDone: ignore },
    {
      files: [
        ...names.map((name) => new File(["y".repeat(41)], name)),
        new File(["x"], ".DS_Store"),
      ],
      unreadable: ["Walks/locked"],
    },
  );
  const said = document.querySelector(".fromfiles")!.textContent;
  expect(said).toContain("“Walks/locked” can't be read.");
  expect(said).toContain("1 file of the system was left out.");
  button(/^Add 4 lessons$/).click();

  await vi.waitFor(() => expect(refusals()).toContain("4 d.txt"));
  for (const name of names) expect(refusals()).toContain(name);
  for (const one of region()!.querySelectorAll("button")) one.click();
  expect(region()).toBeNull();
});

it("says of each lesson what failed, keeps its suggested title, and adds the others", async () => {
  const added: string[] = [];
  const shown: Changed[] = [];
  const calls = {
    addLesson: (_section: string, kind: string, title: string) => {
      if (title === "Away") return Promise.reject(makeError("NETWORK_FAILED"));
      added.push(`${kind} ${title}`);
      return Promise.resolve(changed(`uid-${added.length}`));
    },
  } as unknown as OutlineCalls;
  const unreadable = new File(["x"], "1 gone.md");
  unreadable.arrayBuffer = () => Promise.reject(new DOMException("gone", "NotReadableError"));
  openFilesDialog(
    { uid: "s", title: "Counting" },
    outline,
    { calls, onAdded: (now) => Promise.resolve(void shown.push(now)), onDone: ignore },
    {
      files: [
        unreadable,
        new File(["x"], "2 film.mp4"),
        new File(["text"], "3 notes.txt"),
        new File(["z"], "4 away.pdf"),
        new File(["z"], "5 slides.pdf"),
        new File(["z"], "6 table.pdf"),
      ],
      unreadable: [],
    },
  );
  const titles = document.querySelectorAll<HTMLInputElement>(".fromfiles__list input");
  titles[1]!.value = " ";
  button(/^Add 6 lessons$/).click();

  await vi.waitFor(() => expect(refusals()).toContain("4 away.pdf"));
  expect(added).toEqual(["video Film", "text Notes"]);
  expect(shown).toHaveLength(2);
  expect(refusals()).toContain("1 gone.md");
  expect(refusals()).toContain("2 files after it were not added");
});
