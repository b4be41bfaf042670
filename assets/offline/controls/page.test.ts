import { screen, waitFor, within } from "@testing-library/dom";
import { userEvent } from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";

import { makeError } from "../../shared/api/errors";
import {
  account,
  createStore,
  type FakeStore,
  MB,
  storableCourse,
  storableLesson,
  storedLesson,
} from "../testing/controls";
import type { StorableLesson } from "../types";
import { createOfflinePage } from "./page";

const api = vi.hoisted(() => ({ fetchCourse: vi.fn() }));
vi.mock("./api", () => api);
// The store of a browser is that of the tests.
vi.mock("./browserStore", () => ({ openStore: vi.fn() }));

const user = userEvent.setup({ delay: null });
const icon = '<svg class="i"><use href="/sprite.svg#cloud-download"/></svg>';

function draw(html: string): HTMLButtonElement {
  document.body.innerHTML = html;
  return document.querySelector<HTMLButtonElement>("[data-offline-get]")!;
}

const drawLesson = (): HTMLButtonElement =>
  draw(
    `<button data-offline-get data-offline-lesson="l4" data-offline-course="algebra">${icon}<span>Download</span></button>`,
  );

function offerCourse(...lessons: StorableLesson[]): void {
  api.fetchCourse.mockResolvedValue(storableCourse(lessons));
}

/** Press a button of the page and wait for its dialog, which stays open. */
async function openSheet(store: FakeStore, button: HTMLButtonElement) {
  const pressed = createOfflinePage("amara", store).press(button);
  const sheet = await screen.findByRole("dialog");
  return { pressed, sheet: within(sheet) };
}

const toasts = (): string[] =>
  [...document.querySelectorAll(".toast p")].map(({ textContent }) => textContent);

beforeEach(() => localStorage.setItem("study.offline.asked", "1"));

it("offers a lesson in its qualities, and downloads what is chosen", async () => {
  offerCourse(storableLesson());
  const store = createStore([], { readAccount: () => Promise.resolve(null) });
  const { pressed, sheet } = await openSheet(store, drawLesson());

  expect(sheet.getByRole("heading").textContent).toBe("Keep this lesson for 30 days");
  const radios = sheet.getAllByRole<HTMLInputElement>("radio");
  expect(radios.map(({ value, checked }) => `${value} ${String(checked)}`)).toEqual([
    "1080p false",
    "720p true",
    "audio false",
  ]);
  expect(sheet.getByText("3.6 of 4 GB free")).toBeTruthy();
  expect(sheet.getByText("Captions and transcript included")).toBeTruthy();
  await user.click(sheet.getByRole("radio", { name: /Audio only/ }));
  await user.click(sheet.getByRole("button", { name: "Download 10 MB" }));
  await pressed;

  expect(store.startAccount).toHaveBeenCalledWith("amara"); // only now
  const [owner, course, lessons, quality] = vi.mocked(store.queueLessons).mock.calls[0] ?? [];
  expect([owner, course?.slug, lessons?.length, quality]).toEqual([account, "algebra", 1, "audio"]);
  expect(screen.queryByRole("dialog")).toBeNull();
});

it("adds the next lessons with a tick, and counts them", async () => {
  const text = { kind: "text", sizes: [{ quality: "", size: 2 * MB }] } as const;
  offerCourse(
    storableLesson({ ...text, sizes: [...text.sizes] }),
    storableLesson({ uid: "l5" }),
    storableLesson({ uid: "l6" }),
  );
  const store = createStore();
  const { pressed, sheet } = await openSheet(store, drawLesson());

  expect(sheet.queryAllByRole("radio")).toEqual([]); // a text has no quality
  await user.click(sheet.getByLabelText("The next 2 lessons too, 200 MB"));
  expect(sheet.getAllByRole("radio")).toHaveLength(3);
  await user.click(sheet.getByRole("button", { name: "Download 202 MB" }));
  await pressed;

  expect(vi.mocked(store.queueLessons).mock.calls[0]?.[2].map(({ uid }) => uid)).toEqual(["l4", "l5", "l6"]); // prettier-ignore
  expect(toasts()).toEqual(["Downloading 3 lessons"]);
});

it("refuses what does not fit, and says how much is missing", async () => {
  offerCourse(storableLesson());
  const use = { own: 4046 * MB, others: 0, granted: 9000 * MB, isPersistent: true };
  const store = createStore([], { readStorageUse: () => Promise.resolve(use) });
  const { sheet } = await openSheet(store, drawLesson());

  expect(sheet.getByRole("alert").textContent).toContain("Not enough space: 50 MB more needed");
  expect(sheet.getByRole<HTMLButtonElement>("button", { name: "Download 100 MB" }).disabled).toBe(true); // prettier-ignore
  await user.click(sheet.getByRole("radio", { name: /Audio only/ }));
  expect(sheet.getByRole("alert").textContent).toBe("");
  expect(sheet.getByRole<HTMLButtonElement>("button", { name: "Download 10 MB" }).disabled).toBe(false); // prettier-ignore
});

it("keeps the dialog open with the reason where the download can't begin", async () => {
  offerCourse(storableLesson());
  const store = createStore([], {
    queueLessons: () => Promise.reject(makeError("NETWORK_OFFLINE")),
  });
  const { sheet } = await openSheet(store, drawLesson());

  const download = sheet.getByRole("button", { name: /^Download/ });
  await user.click(download);
  await waitFor(() => expect(sheet.getByRole("alert").textContent).toContain("will sync"));
  expect(download.hasAttribute("aria-busy")).toBe(false);
});

it("asks the browser to keep files with the first download, and never again", async () => {
  localStorage.removeItem("study.offline.asked");
  offerCourse(storableLesson());
  const use = { own: 0, others: 0, granted: 0, isPersistent: false };
  const store = createStore([], { readStorageUse: () => Promise.resolve(use) });
  const button = drawLesson();

  for (const isAsked of [true, false]) {
    const { pressed, sheet } = await openSheet(store, button);
    expect(sheet.queryByText(/Your browser may ask/) !== null).toBe(isAsked);
    await user.click(sheet.getByRole("button", { name: /^Download/ }));
    await pressed;
  }
  expect(store.askForPersistence).toHaveBeenCalledTimes(1);
});

it("follows the state of a lesson on its button, and does what the button says", async () => {
  const button = drawLesson();
  const store = createStore();
  const page = createOfflinePage("amara", store);
  const steps = [
    ["downloading", "Downloading 64%", store.pauseLesson],
    ["paused", "Paused at 64%", store.resumeLesson],
    ["failed", "Download stopped", store.retryLesson],
  ] as const;

  for (const [state, label, act] of steps) {
    store.lessons = [storedLesson({ state, size: 100, received: 64 })];
    await page.update();
    expect(button.textContent).toBe(label);
    await page.press(button);
    expect(act).toHaveBeenCalledWith(account, "l4");
  }
  store.lessons = [storedLesson({ state: "expired" })];
  await page.update();
  expect(button.textContent).toBe("Expired, renew");
  await page.press(button);
  expect(store.renewLessons).toHaveBeenCalledWith(account, ["l4"]);
  store.lessons = [storedLesson()];
  store.change();
  await waitFor(() => expect(button.textContent).toBe("On this device"));
});

it("says why a download that it followed has stopped, once", async () => {
  drawLesson();
  const store = createStore();
  const page = createOfflinePage("amara", store);
  const said = (): string => document.querySelector("[data-toasts]")?.textContent ?? "";
  const refusal = { code: "FULL", title: "Full", message: "This device is full." };
  const failed = storedLesson({ state: "failed", refusal });
  store.lessons = [failed];
  await page.update();
  expect(said()).toBe(""); // it had stopped before

  for (const lesson of [storedLesson({ state: "downloading" }), failed, failed]) {
    store.lessons = [lesson];
    await page.update();
  }
  expect(said()).toBe("This device is full.");
});

it("says why a lesson or a browser can't store anything", async () => {
  const refusal = { code: "X", title: "", message: "Its video is on another site." };
  offerCourse(storableLesson({ refusal, sizes: [] }));
  const button = drawLesson();
  await createOfflinePage("amara", createStore()).press(button);
  const unfit = createStore([], {
    whyNotPossible: () => Promise.resolve({ ...refusal, message: "This window has no place." }),
  });
  await createOfflinePage("amara", unfit).press(button);
  api.fetchCourse.mockRejectedValue(makeError("NETWORK_OFFLINE"));
  await createOfflinePage("amara", createStore()).press(button);

  expect(toasts()).toEqual([
    "Its video is on another site.",
    "This window has no place.",
    "You can keep using what's open; your progress will sync when you're back.",
  ]);
  expect(button.hasAttribute("aria-busy")).toBe(false);
});

it("downloads what is missing of a section, and shows how much of it is here", async () => {
  const lessons = [
    storableLesson(),
    storableLesson({ uid: "l5" }),
    storableLesson({ uid: "x", section: 3 }),
  ];
  offerCourse(...lessons);
  const button = draw(`<section><h2>2</h2>
    <button data-offline-get data-offline-course="algebra" data-offline-section="2" data-offline-name="2 Directions">${icon}<span>Download</span></button>
    <ul><li data-lesson="l4"></li><li data-lesson="l5"></li></ul></section>`);
  const store = createStore([storedLesson()]);
  const page = createOfflinePage("amara", store);
  await page.update();
  expect(button.textContent).toBe("1 of 2 on this device");
  expect(button.getAttribute("aria-label")).toBe("1 of 2 on this device, 2 Directions");

  const pressed = page.press(button);
  const sheet = within(await screen.findByRole("dialog", { name: "Keep section 2 for 30 days" }));
  await user.click(sheet.getByRole("button", { name: "Download 100 MB" }));
  await pressed;
  expect(vi.mocked(store.queueLessons).mock.calls[0]?.[2].map(({ uid }) => uid)).toEqual(["l5"]);

  store.lessons = [storedLesson(), storedLesson({ uid: "l5" })];
  await page.update();
  expect(button.textContent).toBe("On this device");
  await page.press(button);
  expect(toasts()).toContain("Everything you can download here is already on this device.");
});

it("says beside a course how much of it is here, and adds the next lessons", async () => {
  offerCourse(...["l4", "l5"].map((uid) => storableLesson({ uid })));
  const button =
    draw(`<section data-offline-panel="algebra">${icon}<b data-offline-title></b><p data-offline-note></p>
    <button data-offline-get data-offline-course="algebra" data-offline-next>Add next 5</button></section>`);
  const store = createStore([
    storedLesson(),
    storedLesson({ uid: "e", state: "expired" }),
    storedLesson({ uid: "w", state: "waiting" }),
  ]);
  const page = createOfflinePage("amara", store);
  await page.update();

  expect(document.querySelector("[data-offline-title]")?.textContent).toBe("1 lesson on this device"); // prettier-ignore
  expect(document.querySelector("[data-offline-note]")?.textContent).toMatch(/^Kept until .*, 1 downloading, 1 expired$/); // prettier-ignore
  const pressed = page.press(button);
  const sheet = within(await screen.findByRole("dialog", { name: "Keep the next lesson" }));
  await user.click(sheet.getByRole("button", { name: /^Download/ }));
  await pressed;
  expect(store.queueLessons).toHaveBeenCalled();
});

it("lists on My Learning what is here, and marks the rows of courses", async () => {
  document.body.innerHTML = `<div data-offline-aside><div data-offline-stored>Nothing</div></div>
    <div data-offline-badges="algebra"><span class="badge">Bookmarked</span></div><div data-offline-badges="other"></div>`;
  const store = createStore([
    storedLesson(),
    storedLesson({ uid: "l5", number: "2.5", title: "By hand", state: "downloading", received: 48 * MB }), // prettier-ignore
    storedLesson({ uid: "e", state: "expired" }),
  ]);
  const page = createOfflinePage("amara", store);
  await page.update();
  await page.update(); // nothing is shown twice

  const aside = within(document.querySelector<HTMLElement>("[data-offline-aside]")!);
  expect(aside.getByText("400 MB of 4 GB")).toBeTruthy();
  expect(aside.getByText("Linear Algebra, 3 lessons")).toBeTruthy();
  await user.click(aside.getByRole("button", { name: "Pause the download of 2.5 By hand" }));
  expect(store.pauseLesson).toHaveBeenCalledWith(account, "l5");
  const badges = [...document.querySelectorAll('[data-offline-badges="algebra"] > *')];
  expect(badges.map(({ textContent }) => textContent)).toEqual([
    "1 lesson offline",
    "Downloading 2.5, 50%",
    "1 download expired",
    "Renew them",
    "Bookmarked",
  ]);
});
