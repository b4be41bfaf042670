import { useEffect, useState } from "react";

import { announce } from "../../shared/announce";
import { t } from "../../shared/i18n";
import { Button } from "../../shared/ui/Button";
import { CountdownRing } from "../../shared/ui/CountdownRing";
import { fetchOutline, type LessonLink, type PlayerProps } from "./api";
import { findNext } from "./findNext";
import { replayLabel } from "./replayLabel";

export const COUNT_SECONDS = 8;

type Props = {
  lesson: Pick<PlayerProps, "uid" | "course" | "next">;
  /** Whether there is progress to show. */
  isEnrolled: boolean;
  /** Address of the certificate, if this lesson completed the course. */
  certificate: string | null;
  isAudioOnly: boolean;
  /** Whether the next lesson starts by itself. */
  playsNext: boolean;
  onNext: (lesson: LessonLink) => void;
  onAgain: () => void;
};

/** Shown when the lesson has ended: opens the next lesson after a countdown, unless the user stays. */
export function EndScreen({
  lesson,
  isEnrolled,
  certificate,
  isAudioOnly,
  playsNext,
  onNext,
  onAgain,
}: Props) {
  const again = replayLabel(isAudioOnly);
  const { uid, course } = lesson;
  // A version that was published meanwhile may have taken the next lesson out.
  const [following, setFollowing] = useState<{ next: LessonLink | null } | null>(null);
  const { next }: { next: LessonLink | null } = following ?? lesson;
  useEffect(() => {
    if (!lesson.next) return;
    void fetchOutline(course.slug).then(
      (outline) => {
        const found = findNext(document, outline, uid, lesson.next);
        if (found?.uid !== lesson.next?.uid) setFollowing({ next: found });
      },
      () => undefined, // without a connection, the next lesson is opened as the page knows it
    );
    // eslint-disable-next-line react-hooks/exhaustive-deps -- asked once
  }, []);
  if (next && next.state !== "locked") {
    return <UpNext key={next.uid} {...{ next, again, playsNext, onNext, onAgain }} />;
  }
  return (
    <div className="stage__over ended">
      <p className="ended__title">
        {next ? t("You've finished this lesson") : t("That was the last lesson")}
      </p>
      {next && (
        <p>
          {next.note ??
            t("{number} {title} isn't open yet.", { number: next.number, title: next.title })}
        </p>
      )}
      <div className="ended__acts">
        <Button size="sm" onClick={onAgain}>
          {again}
        </Button>
        {isEnrolled && certificate === null && (
          <a className="btn btn--sm btn--primary" href={`/me/course/${course.slug}/progress`}>
            {t("See your progress")}
          </a>
        )}
        {certificate !== null && (
          <a className="btn btn--sm btn--primary" href={certificate}>
            {t("See your certificate")}
          </a>
        )}
      </div>
    </div>
  );
}

type UpNextProps = {
  next: LessonLink;
  again: string;
  playsNext: boolean;
  onNext: (lesson: LessonLink) => void;
  onAgain: () => void;
};

function UpNext({ next, again, playsNext, onNext, onAgain }: UpNextProps) {
  const [left, setLeft] = useState(COUNT_SECONDS);
  const [isCounting, setCounting] = useState(playsNext);
  useEffect(() => {
    const { title } = next;
    announce(
      playsNext
        ? t("Next: {title}, in {seconds} seconds. Press Escape to stay.", {
            title,
            seconds: COUNT_SECONDS,
          })
        : t("Lesson finished. Next: {title}", { title }),
    );
    // eslint-disable-next-line react-hooks/exhaustive-deps -- said once
  }, []);
  useEffect(() => {
    if (!isCounting) return undefined;
    const timer = setInterval(() => {
      // Do not leave a page that is in the background.
      if (document.visibilityState === "visible") setLeft((before) => before - 1);
    }, 1000);
    const onKey = ({ key }: KeyboardEvent): void => {
      if (key === "Escape") setCounting(false);
    };
    document.addEventListener("keydown", onKey);
    return () => {
      clearInterval(timer);
      document.removeEventListener("keydown", onKey);
    };
  }, [isCounting]);
  const isOver = isCounting && left <= 0;
  useEffect(() => {
    if (isOver) onNext(next);
  }, [isOver, next, onNext]);

  const percent = (Math.max(0, left) / COUNT_SECONDS) * 100;
  return (
    <div className="stage__over ended">
      <p className="ended__kicker">{t("Next lesson")}</p>
      <p className="ended__title">
        <span className="ended__no">{next.number}</span> {next.title}
      </p>
      <div className="ended__acts">
        {isCounting ? (
          <Button size="sm" onClick={() => setCounting(false)}>
            {t("Stay here")}
          </Button>
        ) : (
          <Button size="sm" onClick={onAgain}>
            {again}
          </Button>
        )}
        <Button size="sm" look="primary" onClick={() => onNext(next)}>
          {isCounting && <CountdownRing percent={percent} />}
          {isCounting ? t("Next in {seconds} s", { seconds: Math.max(0, left) }) : t("Next lesson")}
        </Button>
      </div>
    </div>
  );
}
