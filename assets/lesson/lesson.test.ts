import { beforeEach, expect, it, vi } from "vitest";

import { ApiError, type ErrorCode, problemOf } from "../shared/api/errors";
import { showDelivery } from "./completions";
import { type Delivery, Outbox, RETRY_MS } from "./outbox";
import { END_MS, DOWNLOAD_POLL_MS, startDownload, startReading } from "./reading";

let show: (isSeen: boolean) => void;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal(
    "IntersectionObserver",
    class {
      constructor(heard: (entries: { isIntersecting: boolean }[]) => void) {
        show = (isIntersecting) => heard([{ isIntersecting }]);
      }
      observe = (): void => undefined;
      disconnect = (): void => undefined;
    },
  );
});

const done = {
  position: 0,
  watched_seconds: 0,
  completed: true,
  newly_completed: true,
  course_percent: 44,
  completed_lessons: 16,
  certificate_url: null,
  milestone: null,
};

function page(end: string): void {
  document.body.innerHTML = `
    <span data-course-count>15 of 36 lessons</span><span data-course-percent>42%</span>
    <progress data-course-bar max="100" value="42"></progress>
    <details><summary><b>2 Grids</b><span data-section-count="2">3 of 10</span></summary>
    <div class="lesson lesson--now"><span class="lesson__state"><svg aria-label="In progress"><use href="/i.svg#circle-play"></use></svg></span></div></details>
    <a data-fetch="lesson-1" href="#file">Download</a>
    ${end}<span data-next="/learn/c/next">Next lesson<svg></svg></span>`;
}

const text = (lesson = "lesson-1", wait = 0): string =>
  `<div class="reading__end" data-reading-end="${lesson}" data-wait="${wait}"><button>Mark</button><p data-wait-words></p></div>`;
const refusal = (code: ErrorCode, params = {}): ApiError =>
  new ApiError(409, problemOf(code, 409, params));

it("completes a text when its end has stayed on the screen", async () => {
  page(text());
  const complete = vi.fn(() => Promise.resolve(done));
  startReading(document, complete);

  show(true);
  await vi.advanceTimersByTimeAsync(END_MS - 100);
  show(false);
  await vi.advanceTimersByTimeAsync(END_MS);
  expect(complete).not.toHaveBeenCalled();

  show(true);
  await vi.advanceTimersByTimeAsync(END_MS);
  expect(complete).toHaveBeenCalledExactlyOnceWith("lesson-1");
  expect(document.querySelector("[data-reading-end]")?.textContent).toBe(
    "You've completed this lesson.",
  );
  expect(document.querySelector("[data-course-count]")?.textContent).toBe("16 of 36 lessons");
  expect(document.querySelector("[data-section-count]")?.textContent).toBe("4 of 10");
  expect(document.querySelector("[data-course-percent]")?.textContent).toBe("44%");
  expect(document.querySelector("progress")?.value).toBe(44);
  expect(document.querySelector("use")?.getAttribute("href")).toBe("/i.svg#circle-check");
  expect(document.querySelector<HTMLAnchorElement>("a[rel=next]")?.getAttribute("href")).toBe(
    "/learn/c/next",
  );
});

it("completes a text no sooner than it can be read, with a countdown", async () => {
  page(text("lesson-1", 90));
  const complete = vi.fn(() => Promise.resolve(done));
  startReading(document, complete);
  const button = document.querySelector("[data-reading-end] button")!;
  const press = (): boolean => button.dispatchEvent(new MouseEvent("click", { cancelable: true }));

  expect(document.querySelector("[data-wait-words]")?.textContent).toBe(
    "You can mark this lesson as complete in 1:30.",
  );
  expect([button.getAttribute("aria-disabled"), press()]).toEqual(["true", false]);
  show(true);
  await vi.advanceTimersByTimeAsync(89_000);
  expect(complete).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1000);
  expect([button.getAttribute("aria-disabled"), press()]).toEqual([null, true]);
  await vi.advanceTimersByTimeAsync(END_MS);
  expect(complete).toHaveBeenCalledOnce();
});

it("waits longer when the server says that it is too early", async () => {
  page(text());
  const complete = vi.fn(() => Promise.resolve(done));
  complete.mockRejectedValueOnce(refusal("READING_TOO_SHORT", { wait: 20 }));
  startReading(document, complete);

  show(true);
  await vi.advanceTimersByTimeAsync(END_MS);
  expect(document.querySelector("[data-wait-words]")?.textContent).toContain("0:20");
  await vi.advanceTimersByTimeAsync(20_000);
  expect(complete).toHaveBeenCalledTimes(2);
  expect(document.querySelector("[data-reading-end]")?.textContent).toContain("completed");
});

it("leaves the button when it does not work", async () => {
  page(text());
  startReading(document, () => Promise.reject(new Error("offline")));

  show(true);
  await vi.advanceTimersByTimeAsync(END_MS);
  expect(document.querySelector("[data-reading-end] button")).not.toBeNull();
});

// --- Without a connection -----------------------------------------------------------------------

const SAVED = "Saved on this device. It will be sent when you're back online.";
const form = (): string =>
  `<h1>Grids</h1><div data-reading-end="lesson-1" data-wait="0"><form method="post"><button>Mark</button></form></div>`;
const words = (selector: string): string | undefined =>
  document.querySelector(selector)?.textContent.trim();

function outboxOf(
  complete: (lesson: string) => Promise<typeof done>,
  onDelivered = vi.fn<(delivery: Delivery) => void>(),
  person = "amara",
): Outbox {
  return new Outbox(() => localStorage, person, complete, onDelivered);
}
const press = (): boolean => {
  const event = new Event("submit", { bubbles: true, cancelable: true });
  return document.querySelector("form")!.dispatchEvent(event);
};

it("stores a completion made offline and says when it is sent", async () => {
  const online = vi.spyOn(navigator, "onLine", "get").mockReturnValue(false);
  page(form());
  const complete = vi.fn(() => Promise.resolve(done));
  const outbox = outboxOf(
    complete,
    vi.fn((one: Delivery) => void reading?.deliver(one)),
  );
  const reading = startReading(document, complete, (uid, title) => outbox.add(uid, title));
  outbox.start();

  document.querySelector("button")!.focus();
  expect(press()).toBe(false);
  expect(words("[data-stored]")).toBe(SAVED);
  expect(document.activeElement).toBe(document.querySelector("[data-stored]"));
  expect(words("[data-live=polite]")).toBe(SAVED);
  expect(document.querySelector("form")!.hidden).toBe(true);
  expect(outboxOf(complete).all()).toEqual({ "lesson-1": "Grids" }); // a reload finds it, too
  expect(complete).not.toHaveBeenCalled();

  online.mockReturnValue(true);
  dispatchEvent(new Event("online"));
  await vi.advanceTimersByTimeAsync(0);
  expect(complete).toHaveBeenCalledExactlyOnceWith("lesson-1");
  expect(words("[data-reading-end]")).toBe("You've completed this lesson.");
  expect(words(".toast p")).toBe("Synced: Grids is complete.");
  expect(words("[data-course-count]")).toBe("16 of 36 lessons");
  expect(outbox.all()).toEqual({});

  dispatchEvent(new Event("online"));
  await vi.advanceTimersByTimeAsync(RETRY_MS);
  expect(complete).toHaveBeenCalledOnce();
});

it("stores the completion of a read text without a response", async () => {
  page(form());
  const complete = vi.fn(() => Promise.resolve(done));
  complete.mockRejectedValueOnce(refusal("NETWORK_FAILED"));
  const keep = vi.fn(() => true);
  startReading(document, complete, keep);
  show(true);
  await vi.advanceTimersByTimeAsync(END_MS);

  expect(keep).toHaveBeenCalledExactlyOnceWith("lesson-1", "Grids");
  expect(words("[data-stored]")).toBe(SAVED);
});

it("leaves an offline press to the page if storage is blocked", () => {
  vi.spyOn(navigator, "onLine", "get").mockReturnValue(false);
  page(form());
  const complete = (): Promise<typeof done> => Promise.resolve(done);
  const visitor = outboxOf(complete, undefined, "");
  startReading(document, complete, (uid, title) => visitor.add(uid, title));

  expect(press()).toBe(true);
  expect(document.querySelector("[data-stored]")).toBeNull();

  vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
    throw new DOMException("No room", "QuotaExceededError");
  });
  expect(outboxOf(complete).add("lesson-1", "Grids")).toBe(false);
});

it.each([
  ["the server fails", new ApiError(500, problemOf("UNKNOWN_ERROR", 500)), RETRY_MS],
  ["no answer comes", refusal("NETWORK_TIMEOUT"), RETRY_MS],
  ["time must pass", refusal("READING_TOO_SHORT", { wait: 20 }), 20_000],
])("sends it later when %s", async (_, reason, delay) => {
  const complete = vi.fn(() => Promise.resolve(done));
  complete.mockRejectedValueOnce(reason);
  const onDelivered = vi.fn<(delivery: Delivery) => void>();
  const outbox = outboxOf(complete, onDelivered);
  outbox.add("lesson-1", "Grids");
  await outbox.send();
  expect(outbox.all()).toEqual({ "lesson-1": "Grids" });

  await vi.advanceTimersByTimeAsync(delay);
  expect(complete).toHaveBeenCalledTimes(2);
  expect(onDelivered).toHaveBeenCalledExactlyOnceWith({
    lesson: "lesson-1",
    title: "Grids",
    outcome: { progress: done },
  });
  expect(outbox.all()).toEqual({});
});

it("says why a completion was refused, and shows the button again", async () => {
  vi.spyOn(navigator, "onLine", "get").mockReturnValue(false);
  page(form());
  const error = new ApiError(403, problemOf("ENROLLMENT_REQUIRED", 403));
  const complete = vi.fn(() => Promise.reject<typeof done>(error));
  const outbox = outboxOf(
    complete,
    vi.fn((one: Delivery) => void reading?.deliver(one)),
  );
  const reading = startReading(document, complete, (uid, title) => outbox.add(uid, title));
  press();
  await outbox.send();

  expect(words("[data-stored]")).toBe(error.message);
  expect(document.querySelector("form")!.hidden).toBe(false);
  expect(outbox.all()).toEqual({});

  press();
  expect(words("[data-stored]")).toBe(SAVED);
});

it("shows the outcome on another page", () => {
  showDelivery({
    lesson: "lesson-1",
    title: "Grids",
    outcome: { progress: { ...done, milestone: 25 } },
  });
  const error = new ApiError(403, problemOf("ENROLLMENT_REQUIRED", 403));
  showDelivery({ lesson: "lesson-2", title: "Arrows", outcome: { error } });

  expect([...document.querySelectorAll(".toast p")].map((one) => one.textContent)).toEqual([
    "Synced: Grids is complete.",
    "A quarter of the course is complete.",
    `Arrows couldn't be marked as complete. ${error.message}`,
  ]);
});

it("stores nothing without a lesson to complete", () => {
  page(text(""));
  const complete = vi.fn(() => Promise.resolve(done));
  startReading(document, complete);
  startDownload(document, complete);

  expect(complete).not.toHaveBeenCalled();
});

it("completes a file lesson once the server has sent the file", async () => {
  page(`<div class="reading__end"><p>Fetch it</p></div>`);
  const complete = vi.fn(() => Promise.resolve(done));
  complete.mockRejectedValueOnce(refusal("LESSON_FILE_NOT_DOWNLOADED"));
  startDownload(document, complete);

  document.querySelector<HTMLElement>("[data-fetch]")?.click();
  await vi.advanceTimersByTimeAsync(DOWNLOAD_POLL_MS);
  expect(document.querySelector(".reading__end")?.textContent).toBe("Fetch it");
  await vi.advanceTimersByTimeAsync(DOWNLOAD_POLL_MS);
  expect(complete).toHaveBeenCalledTimes(2);
  expect(document.querySelector(".reading__end")?.textContent).toContain("completed");
});

it("says which milestone of the course was reached", async () => {
  page(text());
  startReading(document, () => Promise.resolve({ ...done, milestone: 50 }));
  show(true);
  await vi.advanceTimersByTimeAsync(END_MS);

  expect(document.querySelector(".toast p")?.textContent).toBe(
    "You're halfway through the course.",
  );
  expect(document.querySelector("[data-live=polite]")?.textContent).toBe(
    "Lesson complete, 44 percent of the course. You're halfway through the course.",
  );
});
