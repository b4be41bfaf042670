/** A text is complete when its end has been read, a file when it has been fetched. */
import type { components } from "../shared/api/schema.gen";
import { toApiError } from "../shared/api/errors";
import { announce } from "../shared/announce";
import { clock } from "../shared/format";
import { t } from "../shared/i18n";
import { iconAddress } from "../shared/icons";
import { celebrate, milestoneWords } from "../shared/milestones";
import { toast } from "../shared/toasts";
import { unlockNextLesson } from "../shared/unlockNextLesson";
import { type Delivery, isUnanswered } from "./outbox";

type Progress = components["schemas"]["ProgressOut"];
type Complete = (uid: string) => Promise<Progress>;
/** Keep a completion on this device until it can be sent; false where that is not possible. */
type Keep = (uid: string, title: string) => boolean;

/** The end of this page's text, for completions that were kept and are sent later. */
export type Reading = {
  lesson: string;
  /** Say that it is complete here and will be sent. */
  showKept: () => void;
  /** What came of it; false if it is about another lesson. */
  deliver: (delivery: Delivery) => boolean;
};

/** The end counts once it has stayed on the screen for this long, and there was time to read the text. */
export const END_MS = 1500;
/** How often, and how many times, the server is asked whether it has handed out the file. */
export const FETCH_MS = 1500;
const FETCH_LOOKS = 4;

/**
 * Watches `[data-reading-end]`, whose value is the lesson, empty when there is nothing to keep. Its
 * `data-wait` says how many seconds it takes until the text can have been read: so long the button counts down.
 * Without a connection the completion is kept. Returns null where there is nothing to complete.
 */
export function startReading(
  root: Document,
  complete: Complete,
  keep: Keep = () => false,
): Reading | null {
  const end = root.querySelector<HTMLElement>("[data-reading-end]");
  const lesson = end?.dataset.readingEnd;
  if (!end || !lesson) return null;
  let opensAt = performance.now() + Number(end.dataset.wait ?? 0) * 1000;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isSeen = false;
  const countDown = startCountdown(end, () => opensAt - performance.now());

  const keepIt = (): boolean => {
    const isKept = keep(lesson, root.querySelector("h1")?.textContent.trim() ?? "");
    if (isKept) showKept();
    return isKept;
  };
  const showKept = (): void => {
    clearTimeout(timer);
    watcher.disconnect();
    const form = end.querySelector("form");
    const hadFocus = form?.contains(document.activeElement) ?? false;
    if (form) form.hidden = true;
    const line = end.querySelector<HTMLElement>("[data-kept]") ?? root.createElement("p");
    line.dataset.kept = "";
    line.textContent = t("Saved on this device. It will be sent when you're back online.");
    end.append(line);
    announce(line.textContent);
    if (!hadFocus) return;
    line.tabIndex = -1;
    line.focus();
  };
  end.addEventListener("submit", (event) => {
    // Before site/forms.ts says that nothing was sent.
    if (!navigator.onLine && keepIt()) event.preventDefault();
  });

  const wantToComplete = (): void => {
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
            // Other lessons were read meanwhile. The button beneath the text says what else may be wrong.
            const wait = secondsToWait(reason);
            if (wait === null) {
              if (isUnanswered(reason)) keepIt();
              return;
            }
            opensAt = performance.now() + wait * 1000;
            countDown();
            wantToComplete();
          },
        );
      },
      Math.max(END_MS, opensAt - performance.now()),
    );
  };
  const watcher = new IntersectionObserver((entries) => {
    isSeen = entries.at(-1)?.isIntersecting ?? false;
    wantToComplete();
  });
  watcher.observe(end);
  return {
    lesson,
    showKept,
    deliver({ lesson: about, title, outcome }) {
      if (about !== lesson) return false;
      if ("progress" in outcome) {
        show(root, end, outcome.progress);
        toast(t("Sent: {title} is complete.", { title }));
      } else {
        // The button is there again, and the reason above it.
        const line = end.querySelector("[data-kept]");
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

/** The button says how long it does not work yet, and why. Returns what starts the count again. */
function startCountdown(end: HTMLElement, left: () => number): () => void {
  const button = end.querySelector("button");
  const words = end.querySelector<HTMLElement>("[data-wait-words]");
  let timer: ReturnType<typeof setInterval> | undefined;
  button?.addEventListener("click", (event) => {
    if (left() > 0) event.preventDefault();
  });

  const tick = (): void => {
    const seconds = Math.ceil(left() / 1000);
    if (seconds > 0) button?.setAttribute("aria-disabled", "true");
    else button?.removeAttribute("aria-disabled");
    if (words)
      words.textContent =
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

/** A pressed `[data-fetch]` link has the server complete the lesson; the page then says so. */
export function startFetching(root: Document, complete: Complete): void {
  const link = root.querySelector<HTMLAnchorElement>("[data-fetch]");
  const lesson = link?.dataset.fetch;
  if (!link || !lesson) return;
  link.addEventListener(
    "click",
    () => {
      const end = root.querySelector<HTMLElement>(".reading__end");
      if (end) void look(end, FETCH_LOOKS);
    },
    { once: true },
  );

  /** The browser fetches the file by itself: the lesson is complete once the server has handed it out. */
  async function look(end: HTMLElement, times: number): Promise<void> {
    await new Promise((later) => setTimeout(later, FETCH_MS));
    try {
      show(root, end, await complete(lesson ?? ""));
    } catch (reason) {
      const isNotYet = toApiError(reason).is("LESSON_FILE_NOT_DOWNLOADED");
      if (isNotYet && times > 1) await look(end, times - 1);
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
  const milestone = milestoneWords(progress.milestone);
  announce(`${spoken}. ${milestone}`.trim());
  celebrate(progress);
}

function showCourse(root: Document, progress: Progress): void {
  for (const count of root.querySelectorAll("[data-course-count]"))
    // The first number of the sentence is how many are done.
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
