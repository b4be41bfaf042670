/** A text is complete when its end has been read, a file when it has been fetched. */
import type { components } from "../shared/api/schema.gen";
import { announce } from "../shared/announce";
import { t } from "../shared/i18n";
import { toast } from "../shared/toasts";
import { openWayOn } from "../shared/wayOn";

type Progress = components["schemas"]["ProgressOut"];
type Complete = (uid: string) => Promise<Progress>;

/** The end counts once it has stayed on the screen for this long … */
export const END_MS = 1500;
/** … and not before somebody can have skimmed the text: a part of the time that reading takes. */
export const SKIM = 0.15;

/** Watches `[data-reading-end]`, whose value is the lesson, empty when there is nothing to keep. */
export function startReading(root: Document, complete: Complete): void {
  const end = root.querySelector<HTMLElement>("[data-reading-end]");
  const lesson = end?.dataset.readingEnd;
  if (!end || !lesson) return;
  const begun = performance.now();
  const least = Number(end.dataset.seconds ?? 0) * 1000 * SKIM;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const watcher = new IntersectionObserver((entries) => {
    const isSeen = entries.at(-1)?.isIntersecting ?? false;
    clearTimeout(timer);
    if (!isSeen) return;
    const wait = Math.max(END_MS, least - (performance.now() - begun));
    timer = setTimeout(() => {
      watcher.disconnect();
      void complete(lesson).then(
        (progress) => show(root, end, progress),
        // The button beneath the text still works, and says why if it does not.
        () => undefined,
      );
    }, wait);
  });
  watcher.observe(end);
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
      if (!end) return;
      void complete(lesson).then(
        (progress) => show(root, end, progress),
        () => undefined,
      );
    },
    { once: true },
  );
}

function show(root: Document, end: HTMLElement, progress: Progress): void {
  if (!progress.completed) return;
  const line = root.createElement("p");
  line.className = "strong";
  line.textContent = t("You have completed this lesson.");
  end.replaceChildren(line);
  showCourse(root, progress);
  openWayOn(root);
  announce(
    t("Lesson complete, {percent} percent of the course", { percent: progress.course_percent }),
  );
  const certificate = progress.certificate_url;
  if (certificate)
    toast(t("You completed the course."), {
      stays: true,
      action: { label: t("See the certificate"), onPress: () => location.assign(certificate) },
    });
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
  const use = picture?.querySelector("use");
  use?.setAttribute("href", `${use.getAttribute("href")?.split("#")[0] ?? ""}#circle-check`);
}
