/** The ways to ask beside a plain question. */
import { t } from "../../shared/i18n";
import type { IconName } from "../../shared/iconNames";
import type { Mode } from "./types";

export type ModeChip = { mode: Mode; label: string; icon: IconName };

/** What a question is about: a lesson, a course, or all courses of the learner. */
type About = { lesson: string | null; course: string | null };

/**
 * The chips under the field. Their label is the question where nothing else was written. Without a lesson, a course or a
 * question before it there is nothing to be tested on.
 */
export function modeChips(hasQuestion: boolean, about: About): ModeChip[] {
  const [quiz, summary] = about.lesson
    ? [t("Test me on this lesson"), t("Summarize this lesson")]
    : about.course
      ? [t("Test me on this course"), t("Summarize this course")]
      : [t("Test me on this"), t("Summarize this")];
  const made: ModeChip[] = [
    { mode: "quiz", label: quiz, icon: "list-checks" },
    { mode: "summary", label: summary, icon: "text-quote" },
    { mode: "cards", label: t("Make flash cards"), icon: "layers" },
  ];
  const plan: ModeChip = { mode: "plan", label: t("Plan my next steps"), icon: "calendar-days" };
  const hint: ModeChip = {
    mode: "hint",
    label: t("Give me a hint, not the answer"),
    icon: "lightbulb",
  };
  const chips = hasQuestion || about.lesson || about.course ? [...made, plan] : [plan];
  return hasQuestion ? [hint, ...chips] : chips;
}

/** How an exchange was asked; nothing for a plain question. */
export function modeName(mode: Mode): string {
  const names: Record<Mode, string> = {
    ask: "",
    explain: t("Explain this part"),
    hint: t("Hint"),
    quiz: t("Quiz"),
    summary: t("Summary"),
    cards: t("Flash cards"),
    plan: t("Study plan"),
  };
  return names[mode];
}
