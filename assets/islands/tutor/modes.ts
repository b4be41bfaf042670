/** The ways to ask beside a plain question. */
import { t } from "../../shared/i18n";
import type { IconName } from "../../shared/iconNames";
import type { Mode } from "./types";

export type ModeChip = { mode: Mode; label: string; icon: IconName };

/** The chips under the field. Their label is the question where nothing else was written. */
export function modeChips(hasQuestion: boolean): ModeChip[] {
  const chips: ModeChip[] = [
    { mode: "quiz", label: t("Test me on this"), icon: "list-checks" },
    { mode: "summary", label: t("Summarize this"), icon: "text-quote" },
    { mode: "cards", label: t("Make flash cards"), icon: "layers" },
    { mode: "plan", label: t("Plan my next steps"), icon: "calendar-days" },
  ];
  const hint: ModeChip = {
    mode: "hint",
    label: t("Give me a hint, not the answer"),
    icon: "lightbulb",
  };
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
