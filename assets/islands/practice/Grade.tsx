import { useEffect, useRef } from "react";

import { announce } from "../../shared/announce";
import { t, tn } from "../../shared/i18n";
import { registerShortcuts } from "../../shared/shortcuts";
import { Button } from "../../shared/ui/Button";
import type { Rating } from "./api";

type Props = {
  intervals: readonly number[];
  suggested: Rating;
  isSaving: boolean;
  /** How the answer was marked, for screen readers. */
  said: string;
  onRate: (rating: Rating) => void;
};

const RATINGS: readonly Rating[] = [1, 2, 3, 4];

/** How well the card was remembered, and when it returns for each rating. */
export function Grade({ intervals, suggested, isSaving, said, onRate }: Props) {
  const names = { 1: t("Not yet"), 2: t("Hard"), 3: t("Good"), 4: t("Easy") } as const;
  const group = useRef<HTMLDivElement>(null);
  const latest = useRef(onRate);
  useEffect(() => {
    latest.current = onRate;
  });
  useEffect(() => {
    announce(said);
    group.current?.querySelector<HTMLElement>(".btn--primary")?.focus({ preventScroll: true });
    group.current?.scrollIntoView({ block: "nearest" });
    return registerShortcuts(
      RATINGS.map((rating) => ({
        keys: rating === suggested ? [String(rating), " "] : [String(rating)],
        caps: rating === suggested ? [String(rating), t("Space")] : [String(rating)],
        label: t("Rate the card: {rating}", { rating: names[rating] }),
        group: "lesson",
        run: () => latest.current(rating),
      })),
    );
    // Once for each card.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, []);
  return (
    <div className="stack gap-3">
      <p className="medium" id="how">
        {t("How was it?")}
      </p>
      <div className="grade" role="group" aria-labelledby="how" ref={group}>
        {RATINGS.map((rating, place) => (
          <Button
            key={rating}
            look={rating === suggested ? "primary" : "secondary"}
            aria-disabled={isSaving || undefined}
            onClick={() => onRate(rating)}
          >
            <span>{names[rating]}</span>
            <small>{inWords(intervals[place] ?? 0)}</small>
            <kbd aria-hidden="true">{rating}</kbd>
          </Button>
        ))}
      </div>
    </div>
  );
}

/** 600 → "in 10 min". */
export function inWords(seconds: number): string {
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return t("in {count} min", { count: minutes });
  const hours = Math.round(minutes / 60);
  if (hours < 24) return t("in {count} h", { count: hours });
  const days = Math.round(seconds / 86_400);
  if (days < 60) return tn("in {count} day", "in {count} days", days);
  return t("in {count} months", { count: Math.round(days / 30.4) });
}
