/** Completes a text lesson when its end was read, and a file lesson when its file was downloaded. */
import type { components } from "../shared/api/schema.gen";
import { toApiError } from "../shared/api/errors";
import { announce } from "../shared/announce";
import { clock } from "../shared/format";
import { t } from "../shared/i18n";
import { iconAddress } from "../shared/icons";
import { celebrate, milestoneMessage } from "../shared/milestones";
import { toast } from "../shared/toasts";
import { unlockNextLesson } from "../shared/unlockNextLesson";
import { type Delivery, hasNoResponse } from "./outbox";

type Progress = components["schemas"]["ProgressOut"];
type Complete = (uid: string) => Promise<Progress>;
/** Store a completion on this device until it can be sent; false if that is not possible. */
type Store = (uid: string, title: string) => boolean;

/** The text lesson of this page, for completions that are sent later. */
export type Reading = {
  lesson: string;
  /** Show that the completion is stored and will be sent. */
  showStored: () => void;
  /** Show the outcome of sending it; false if it is about another lesson. */
  deliver: (delivery: Delivery) => boolean;
};

/** The end must be visible for this long, after the time it takes to read the text. */
export const END_MS = 1500;
/** How often, and how many times, the server is asked whether the file was downloaded. */
export const DOWNLOAD_POLL_MS = 1500;
const DOWNLOAD_POLLS = 4;

/**
 * Watches `[data-reading-end]`, whose value is the uid of the lesson; empty if there is nothing to complete. The
 * button counts down the seconds in its `data-wait`, the least time it takes to read the text. While offline, the
 * completion is stored. Returns null if there is nothing to complete.
 */
export function startReading(
  root: Document,
  complete: Complete,
  store: Store = () => false,
): Reading | null {
  const end = root.querySelector<HTMLElement>("[data-reading-end]");
  const lesson = end?.dataset.readingEnd;
  if (!end || !lesson) return null;
  let opensAt = performance.now() + Number(end.dataset.wait ?? 0) * 1000;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isSeen = false;
  const countDown = startCountdown(end, () => opensAt - performance.now());

  const storeCompletion = (): boolean => {
    const isStored = store(lesson, root.querySelector("h1")?.textContent.trim() ?? "");
    if (isStored) showStored();
    return isStored;
  };
  const showStored = (): void => {
    clearTimeout(timer);
    watcher.disconnect();
    const form = end.querySelector("form");
    const hadFocus = form?.contains(document.activeElement) ?? false;
    if (form) form.hidden = true;
    const line = end.querySelector<HTMLElement>("[data-stored]") ?? root.createElement("p");
    line.dataset.stored = "";
    line.textContent = t("Saved on this device. It will be sent when you're back online.");
    end.append(line);
    announce(line.textContent);
    if (!hadFocus) return;
    line.tabIndex = -1;
    line.focus();
  };
  end.addEventListener("submit", (event) => {
    // Runs before site/forms.ts, which would say that nothing was sent.
    if (!navigator.onLine && storeCompletion()) event.preventDefault();
  });

  // The page of an offline lesson, which has no form: what completes it is on this device (assets/offline/shell).
  end.querySelector("[data-complete]")?.addEventListener("click", (event) => {
    if (event.defaultPrevented) return;
    complete(lesson).then(
      (progress) => {
        clearTimeout(timer);
        watcher.disconnect();
        show(root, end, progress);
        const next = root.querySelector<HTMLAnchorElement>(".ways a[rel=next]");
        if (next) location.assign(next.href);
      },
      (reason: unknown) => announce(toApiError(reason).message, "assertive"),
    );
  });

  const completeSoon = (): void => {
    clearTimeout(timer);
    if (!isSeen) return;
    timer = setTimeout(
      () => {
        complete(lesson).then(
          (progress) => {
            watcher.disconnect();
            show(root, end, progress);
          },
          (reason: unknown) => {
            // Too early, e.g. as other lessons were read meanwhile. The button shows any other error.
            const wait = secondsToWait(reason);
            if (wait === null) {
              if (hasNoResponse(reason)) storeCompletion();
              return;
            }
            opensAt = performance.now() + wait * 1000;
            countDown();
            completeSoon();
          },
        );
      },
      Math.max(END_MS, opensAt - performance.now()),
    );
  };
  const watcher = new IntersectionObserver((entries) => {
    isSeen = entries.at(-1)?.isIntersecting ?? false;
    completeSoon();
  });
  watcher.observe(end);
  return {
    lesson,
    showStored,
    deliver({ lesson: about, title, outcome }) {
      if (about !== lesson) return false;
      if ("progress" in outcome) {
        show(root, end, outcome.progress);
        toast(t("Synced: {title} is complete.", { title }));
      } else {
        // Show the button again, with the error above it.
        const line = end.querySelector("[data-stored]");
        if (line) line.textContent = outcome.error.message;
        const form = end.querySelector("form");
        if (form) form.hidden = false;
        announce(outcome.error.message);
      }
      return true;
    },
  };
}

function secondsToWait(reason: unknown): number | null {
  const error = toApiError(reason);
  const { wait } = error.problem.params;
  return error.is("READING_TOO_SHORT") && typeof wait === "number" ? wait : null;
}

/** Disables the button until the time is over. Returns a function that starts the countdown again. */
function startCountdown(end: HTMLElement, left: () => number): () => void {
  const button = end.querySelector("button");
  const text = end.querySelector<HTMLElement>("[data-wait-words]");
  let timer: ReturnType<typeof setInterval> | undefined;
  button?.addEventListener("click", (event) => {
    if (left() > 0) event.preventDefault();
  });

  const tick = (): void => {
    const seconds = Math.ceil(left() / 1000);
    if (seconds > 0) button?.setAttribute("aria-disabled", "true");
    else button?.removeAttribute("aria-disabled");
    if (text)
      text.textContent =
        seconds > 0
          ? t("You can mark this lesson as complete in {time}.", { time: clock(seconds) })
          : "";
    if (seconds > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
  const start = (): void => {
    tick();
    if (left() > 0) timer ??= setInterval(tick, 1000);
  };
  start();
  return start;
}

/** Complete the lesson after a click on the download link (`[data-fetch]`). */
export function startDownload(root: Document, complete: Complete): void {
  const link = root.querySelector<HTMLAnchorElement>("[data-fetch]");
  const lesson = link?.dataset.fetch;
  if (!link || !lesson) return;
  link.addEventListener(
    "click",
    () => {
      const end = root.querySelector<HTMLElement>(".reading__end");
      if (end) void poll(end, DOWNLOAD_POLLS);
    },
    { once: true },
  );

  /** The browser downloads the file itself, so ask the server until it has sent it. */
  async function poll(end: HTMLElement, times: number): Promise<void> {
    await new Promise((later) => setTimeout(later, DOWNLOAD_POLL_MS));
    try {
      show(root, end, await complete(lesson ?? ""));
    } catch (reason) {
      const isNotYet = toApiError(reason).is("LESSON_FILE_NOT_DOWNLOADED");
      if (isNotYet && times > 1) await poll(end, times - 1);
    }
  }
}

function show(root: Document, end: HTMLElement, progress: Progress): void {
  if (!progress.completed) return;
  const line = root.createElement("p");
  line.className = "strong";
  line.textContent = t("You've completed this lesson.");
  end.replaceChildren(line);
  showCourse(root, progress);
  unlockNextLesson(root);
  const spoken = t("Lesson complete, {percent} percent of the course", {
    percent: progress.course_percent,
  });
  const milestone = milestoneMessage(progress.milestone);
  announce(`${spoken}. ${milestone}`.trim());
  celebrate(progress, true);
}

function showCourse(root: Document, progress: Progress): void {
  for (const count of root.querySelectorAll("[data-course-count]"))
    // The first number of the text is the number of completed lessons.
    count.textContent = count.textContent.replace(/\d+/, String(progress.completed_lessons));
  for (const percent of root.querySelectorAll("[data-course-percent]"))
    percent.textContent = `${String(progress.course_percent)}%`;
  for (const bar of root.querySelectorAll<HTMLProgressElement>("progress[data-course-bar]"))
    bar.value = progress.course_percent;
  const row = root.querySelector(".lesson--now");
  const section = row?.closest("details")?.querySelector("[data-section-count]");
  if (section && progress.newly_completed)
    section.textContent = section.textContent.replace(/\d+/, (done) => String(Number(done) + 1));
  row?.classList.add("lesson--done");
  const picture = row?.querySelector(".lesson__state svg");
  picture?.setAttribute("aria-label", t("Completed"));
  picture?.querySelector("use")?.setAttribute("href", iconAddress("circle-check"));
}
