/** How citations are named, and what they do in the lesson that is open. */
import { clock } from "../../shared/format";
import { t } from "../../shared/i18n";
import type { Answer, Citation } from "./types";

/** The lesson of a citation, otherwise its course: "2.4 Eigenvectors". */
export function titleOf({ lesson, course }: Citation): string {
  return lesson ? `${lesson.number} ${lesson.title}`.trim() : course.title;
}

export function placeOf({ second, heading }: Citation): string {
  return second === null ? heading : t("at {time}", { time: clock(second) });
}

/** The citation that a link of an answer's HTML stands for. */
export function citationOf(target: EventTarget | null, answer: Answer): Citation | null {
  const link = target instanceof Element ? target.closest<HTMLElement>("[data-citation]") : null;
  if (!link) return null;
  return answer.citations.find(({ number }) => number === Number(link.dataset.citation)) ?? null;
}

export function videoOfPage(): HTMLMediaElement | null {
  return document.querySelector<HTMLMediaElement>("[data-island=player] :is(video, audio)");
}

/** The second of the video at which the learner is: before it was started, the one at which it would resume. */
export function momentOfPage(): number {
  const now = Math.floor(videoOfPage()?.currentTime ?? 0);
  if (now > 0) return now;
  const start = document.querySelector<HTMLElement>("[data-island=player] [data-begin]");
  return Number(start?.dataset.begin ?? 0);
}

/** Play the video of this page from the second of the citation. Returns whether it could. */
export function playHere({ lesson, second }: Citation, here: string | undefined): boolean {
  const video = videoOfPage();
  if (!video || second === null || !lesson || lesson.slug !== here) return false;
  video.currentTime = second;
  video.scrollIntoView({ block: "center" });
  void video.play().catch(() => undefined); // blocked: it stays at the second
  return true;
}
