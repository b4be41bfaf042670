/** How lessons that are stored, their sizes and their dates are written. */
import { clock, formatOf, number } from "../../shared/format";
import type { IconName } from "../../shared/iconNames";
import { t, tn } from "../../shared/i18n";
import type { OfflineLesson, Quality } from "../types";
import { isMetered } from "../network";
import { percentOf } from "./picking";

const MB = 1024 ** 2;
const GB = 1024 ** 3;

/** A size as it helps to choose: 96 MB, 2.4 GB, 0 MB. */
export function roughSize(count: number): string {
  if (count >= GB) return t("{count} GB", { count: number(Math.round((count / GB) * 10) / 10) });
  const mb = count / MB;
  const shown = mb >= 10 || mb === 0 ? Math.round(mb) : Math.max(0.1, Math.round(mb * 10) / 10);
  return t("{count} MB", { count: number(shown) });
}

/** Part and whole with one unit where it is the same: 331 of 500 MB, 900 MB of 2.1 GB. */
export function sizeOf(part: number, whole: number): string {
  const [first, second] = [roughSize(part), roughSize(whole)];
  const unit = second.slice(second.lastIndexOf(" "));
  const short = first.endsWith(unit) ? first.slice(0, -unit.length) : first;
  return t("{part} of {whole}", { part: short, whole: second });
}

/** 9 April, with the year where it is not this one. */
export function dayOf(moment: number, now: number = Date.now()): string {
  const isThisYear = new Date(moment).getFullYear() === new Date(now).getFullYear();
  const day = { day: "numeric", month: "long" } as const;
  return formatOf(isThisYear ? day : { ...day, year: "numeric" }).format(moment);
}

export function qualityName(quality: Quality): string {
  return quality === "audio" ? t("Audio only") : quality;
}

export function qualityHint(quality: Quality): string {
  const hints = {
    "1080p": t("Sharp on a large screen"),
    "720p": t("Good on a tablet"),
    "480p": t("Good on a phone"),
    audio: t("With the transcript"),
  };
  return hints[quality];
}

/** Of most lessons; slides take less, and moving pictures more. */
const MB_PER_MINUTE: Record<Quality, number> = { "1080p": 15, "720p": 8, "480p": 4, audio: 1 };

export function qualityChoice(quality: Quality): string {
  return t("{quality}, about {count} MB a minute", {
    quality: qualityName(quality),
    count: MB_PER_MINUTE[quality],
  });
}

/** "2.4 Eigenvectors, seen before named" */
export function nameOf({ number: position, title }: { number: string; title: string }): string {
  return `${position} ${title}`.trim();
}

/** What is stored: "720p", or what kind of lesson it is. */
function contentOf({ kind, quality }: OfflineLesson): string {
  if (quality) return qualityName(quality as Quality);
  return { video: t("Video"), text: t("Text"), quiz: t("Quiz"), file: t("File") }[kind];
}

const join = (...parts: readonly string[]): string => parts.filter(Boolean).join(", ");

function placeOf({ kind, isCompleted, position }: OfflineLesson): string {
  if (isCompleted) return kind === "video" ? t("watched") : t("completed");
  return position > 0 ? t("from {time}", { time: clock(position) }) : "";
}

function progressOf(lesson: OfflineLesson): string {
  if (lesson.size === 0) return "";
  return t("{percent}% of {size}", { percent: percentOf(lesson), size: roughSize(lesson.size) });
}

/** Why a lesson is held, and until when. With a connection the server asked to wait, unless it is one by the byte. */
function reasonToHold(isOnline: boolean): string {
  if (!isOnline) return t("resumes when you're back online");
  return isMetered() ? t("resumes on Wi-Fi") : t("resumes in a few minutes");
}

/** The line below the title of a lesson. */
export function describeLesson(lesson: OfflineLesson, isOnline: boolean): string {
  const content = contentOf(lesson);
  switch (lesson.state) {
    case "waiting":
      return join(content, t("waiting for its turn"));
    case "downloading":
      return join(content, progressOf(lesson) || t("starting"));
    case "paused":
      return join(content, t("paused at {percent}%", { percent: percentOf(lesson) }));
    case "held":
      return join(content, progressOf(lesson), reasonToHold(isOnline));
    case "failed":
      return [
        lesson.received > 0
          ? t("Stopped at {percent}%.", { percent: percentOf(lesson) })
          : t("Couldn't be downloaded."),
        lesson.refusal?.message ?? "",
        lesson.received > 0 ? t("The downloaded part is kept.") : "",
      ]
        .filter(Boolean)
        .join(" ");
    case "expired":
      return [
        t("Expired {day}.", { day: dayOf(lesson.expiresAt) }),
        lesson.position > 0 && !lesson.isCompleted
          ? t("You were at {time}.", { time: clock(lesson.position) })
          : t("Your progress and notes are kept."),
      ].join(" ");
    case "ended":
      return lesson.refusal?.message ?? t("You no longer have access to this lesson.");
    case "downloaded": {
      const kept = join(
        content,
        placeOf(lesson),
        t("kept until {day}", { day: dayOf(lesson.expiresAt) }),
      );
      return lesson.kind === "quiz" && !lesson.isCompleted
        ? [kept, t("Your answers are kept here and sent later.")].join(". ")
        : kept;
    }
  }
}

export type Look = { icon: IconName; tone: "" | "is-ok" | "is-warn" | "is-error"; spoken: string };

/** The icon of a state with its color, and what is said instead of it. */
export function lookOf(lesson: OfflineLesson): Look {
  switch (lesson.state) {
    case "downloaded":
      return lesson.isCompleted || lesson.position === 0
        ? { icon: "circle-check", tone: "is-ok", spoken: t("On this device") }
        : { icon: "circle-play", tone: "is-ok", spoken: t("On this device, started") };
    case "downloading":
      return { icon: "cloud-download", tone: "", spoken: t("Downloading") };
    case "paused":
      return { icon: "pause", tone: "", spoken: t("Paused") };
    case "waiting":
    case "held":
      return { icon: "hourglass", tone: "", spoken: t("Waiting") };
    case "failed":
      return { icon: "circle-alert", tone: "is-error", spoken: t("Stopped") };
    case "expired":
      return { icon: "cloud-off", tone: "is-warn", spoken: t("Expired") };
    case "ended":
      return { icon: "lock", tone: "is-warn", spoken: t("Ended") };
  }
}

/** What a press of the button on a lesson's page does, where its label doesn't say that. */
export function actionOf(lesson: OfflineLesson | null): string {
  switch (lesson?.state) {
    case "waiting":
    case "downloading":
      return t("Pause");
    case "held":
    case "paused":
      return t("Resume");
    case "failed":
      return t("Try again");
    case "downloaded":
      return t("Manage");
    default:
      return "";
  }
}

/** What the button on a lesson's page says; without a lesson it is not stored. */
export function buttonOf(lesson: OfflineLesson | null): { icon: IconName; label: string } {
  const percent = lesson ? percentOf(lesson) : 0;
  switch (lesson?.state) {
    case undefined:
    case "ended":
      return { icon: "cloud-download", label: t("Download") };
    case "waiting":
      return { icon: "hourglass", label: t("Waiting to download") };
    case "downloading":
      return { icon: "pause", label: t("Downloading {percent}%", { percent }) };
    case "held":
    case "paused":
      return { icon: "play", label: t("Paused at {percent}%", { percent }) };
    case "failed":
      return { icon: "circle-alert", label: t("Download stopped") };
    case "downloaded":
      return { icon: "circle-check", label: t("On this device") };
    case "expired":
      return { icon: "cloud-off", label: t("Expired, renew") };
  }
}

export function countLessons(count: number): string {
  return tn("{count} lesson", "{count} lessons", count);
}
