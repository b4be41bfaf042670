import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";

import { announce } from "../../shared/announce";
import { type ApiError, toApiError } from "../../shared/api/errors";
import { useAuth } from "../../shared/auth/AuthProvider";
import { celebrate, milestoneMessage } from "../../shared/milestones";
import { ErrorPanel } from "../../shared/ui/ErrorPanel";
import { type Attempt, fetchQuiz, openAttempt, type QuizProps, quizQuery } from "./api";
import { unlockNextLesson } from "../../shared/unlockNextLesson";
import { Kept } from "./Offline";
import { Outcome } from "./Outcome";
import { Paper } from "./Paper";
import { Start } from "./Start";

export { readServerForm } from "./readServerForm";
export type { QuizProps };

/** A quiz: the rules, the paper, the result. Its props are those of `GET /api/v1/lessons/{uid}/quiz/`. */
export function Island(props: QuizProps) {
  const { isLoading } = useAuth();
  const query = quizQuery(props);
  const { data: quiz, dataUpdatedAt } = useQuery({
    ...query,
    initialDataUpdatedAt: pageReceivedAt,
  });
  const cache = useQueryClient();
  const [fresh, setFresh] = useState<string | null>(null);
  const [opened, setOpened] = useState<string | null>(null);
  const [closed, setClosed] = useState<ApiError | null>(null);

  const put = (attempt: Attempt): void => {
    cache.setQueryData(query.queryKey, (known) => known && { ...known, attempt });
    if (attempt.submitted_at) void cache.invalidateQueries({ queryKey: query.queryKey });
  };
  // The staff of the course gave more time or another attempt: site/newVersion.ts.
  useEffect(() => {
    const refresh = (): void => void cache.invalidateQueries({ queryKey: ["quiz"] });
    addEventListener("study:exceptions", refresh);
    return () => removeEventListener("study:exceptions", refresh);
  }, [cache]);
  const hasMoreTime = async (known: Attempt): Promise<boolean> => {
    const answer = await withinSeconds(fetchQuiz(props.lesson_uid), ASKING_SECONDS);
    const found = answer?.attempt;
    if (found?.uid !== known.uid || found.submitted_at) return false;
    // Of an attempt that the page keeps: a clock of the device that was put forward is no end of its time.
    const hasTime = known.given !== undefined && (found.seconds_left ?? 0) > ASKING_SECONDS;
    if (found.time_limit !== 0 && found.time_limit <= known.time_limit && !hasTime) return false;
    cache.setQueryData(query.queryKey, answer ?? undefined);
    return true;
  };
  const opening = useMutation({
    mutationFn: () => openAttempt(props.lesson_uid),
    onSuccess: (attempt) => {
      setClosed(null);
      setOpened(attempt.uid);
      put(attempt);
      window.scrollTo({ top: 0 });
    },
  });
  const { attempt } = quiz;
  const opensAt = quiz.wait > 0 ? dataUpdatedAt + quiz.wait * 1000 : null;

  if (attempt && !attempt.submitted_at && !isLoading) {
    return (
      <Paper
        key={attempt.uid}
        attempt={attempt}
        isOpenedHere={opened === attempt.uid}
        endsAt={attempt.seconds_left === null ? null : dataUpdatedAt + attempt.seconds_left * 1000}
        onTimeOver={() => hasMoreTime(attempt)}
        onSubmitted={(done) => {
          setFresh(done.uid);
          put(done);
          const { progress } = done;
          const milestone = milestoneMessage(progress?.milestone ?? null);
          announce([done.result?.headline, milestone].filter(Boolean).join(". "));
          if (progress) celebrate(progress);
          if (done.result?.is_passed) unlockNextLesson();
        }}
        onClosed={(error) => {
          setClosed(error);
          void cache.invalidateQueries({ queryKey: query.queryKey });
        }}
      />
    );
  }
  return (
    <>
      {closed && <ErrorPanel error={closed} onDismiss={() => setClosed(null)} />}
      {quiz.offline?.kept_at && <Kept at={quiz.offline.kept_at} isFresh={fresh !== null} />}
      {attempt?.result && (
        <Outcome
          key={attempt.uid}
          attempt={attempt}
          result={attempt.result}
          quiz={quiz}
          isFresh={fresh === attempt.uid}
          again={
            quiz.may_attempt &&
            (quiz.reopened || (!attempt.result.is_passed && attempt.result.waiting === 0))
              ? {
                  opensAt,
                  continues: quiz.reopened?.number ?? null,
                  isOpening: opening.isPending,
                  onOpen: () => opening.mutate(),
                }
              : undefined
          }
        />
      )}
      <Start
        quiz={quiz}
        isAgain={attempt !== null}
        opensAt={opensAt}
        error={opening.error ? toApiError(opening.error) : null}
        isOpening={opening.isPending}
        onOpen={() => opening.mutate()}
        onRetry={() => opening.mutateAsync()}
      />
    </>
  );
}

/** At the end of the time, answers wait for this many seconds at most; the server takes them for 30. */
const ASKING_SECONDS = 5;

/** What a promise resolves to; null if it is rejected or takes longer. */
function withinSeconds<T>(promise: Promise<T>, seconds: number): Promise<T | null> {
  const never = new Promise<null>((resolve) => setTimeout(resolve, seconds * 1000, null));
  return Promise.race([promise.catch(() => null), never]);
}

/** When the response with the page arrived, in ms since 1970: its "seconds left" count from then. */
function pageReceivedAt(): number {
  const [page] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  return page ? performance.timeOrigin + page.responseStart : Date.now();
}
