import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useReducer, useRef, useState } from "react";

import { announce } from "../../shared/announce";
import { toApiError } from "../../shared/api/errors";
import { useAuth } from "../../shared/auth/AuthProvider";
import { fetchPage } from "../../shared/fetchPage";
import { useOnline } from "../../shared/hooks/useOnline";
import { t } from "../../shared/i18n";
import { ErrorPanel } from "../../shared/ui/ErrorPanel";
import { newUid } from "../../shared/newUid";
import { LETTERS } from "../../shared/questions/Choices";
import { answerIn } from "../../shared/questions/serverForm";
import { Spinner } from "../../shared/ui/Spinner";
import {
  type Answer,
  type Answered,
  type Card,
  type PracticeProps,
  practiceQuery,
  type Rating,
  readUnsent,
  sendReview,
  type Unsent,
} from "./api";
import { CardView, optionCount } from "./CardView";
import { Done, type Rewatch } from "./Done";
import { Pips } from "./Pips";
import { begin, countOf, reduce } from "./session";

/** What was answered in the form of the page (templates/learning/_practice.html) before the island was loaded. */
type Entered = { entered?: Answer | null };

/** Take over the answer to the first card. */
export function readServerForm(spot: HTMLElement, props: PracticeProps & Entered): void {
  const form = spot.querySelector("form");
  const question = props.cards[0]?.question;
  if (form && question) props.entered = answerIn(new FormData(form), question);
}

/** Practice: the cards of today one after the other. Its props are those of `GET /api/v1/practice/`. */
export function Island({ entered, ...props }: PracticeProps & Entered) {
  const { isLoading, user } = useAuth();
  const person = user?.id ?? "";
  const query = useQuery({ ...practiceQuery(props), enabled: !isLoading });
  const practice = query.data;
  const [session, dispatch] = useReducer(reduce, begin(props.cards, props.left));
  const [rewatch, setRewatch] = useState<Rewatch[]>([]);
  const [startedAt] = useState(() => Date.now());
  const [seconds, setSeconds] = useState(0);
  const isOnline = useOnline();
  // The page answers calls itself (assets/offline/shell).
  const isAnsweredHere = document.documentElement.dataset.offline !== undefined;
  const { refetch } = query;

  const fetchMore = async (): Promise<void> => {
    const { data } = await refetch();
    if (data) dispatch({ type: "fetched", cards: data.cards, left: data.left });
    if (data?.left === 0) await refreshSide();
  };
  const saving = useMutation({
    mutationFn: (unsent: Unsent) => sendReview(person, unsent),
    onSuccess: ({ is_counted: isCounted }, { card, review }) => {
      if (!isCounted) announce(t("You already rated this card in another tab."));
      advance(card, review.rating > 1);
    },
    onError: (thrown, { card }) => {
      if (!toApiError(thrown).is("PRACTICE_CARD_NOT_FOUND")) return;
      announce(t("This card is gone."));
      leave(card);
    },
  });
  const advance = (uid: string, isRemembered: boolean): void => {
    setSeconds(Math.round((Date.now() - startedAt) / 1000));
    const isLast = !session.queue.some((one) => one.uid !== uid);
    dispatch({ type: "reviewed", uid, isRemembered });
    if (isLast) void fetchMore();
  };
  const leave = (uid: string): void => {
    const isLast = !session.queue.some((one) => one.uid !== uid);
    dispatch({ type: "gone", uid });
    if (isLast) void fetchMore();
  };

  // What earlier pages could not send goes first; then the list is read again, without those cards.
  const isResent = useRef(false);
  const { mutate } = saving;
  useEffect(() => {
    if (isLoading || isResent.current) return;
    isResent.current = true;
    const unsent = readUnsent(person);
    const last = unsent.pop();
    void (async () => {
      for (const one of unsent) await sendReview(person, one).catch(() => undefined); // it stays kept
      if (last) mutate(last);
    })();
  }, [isLoading, mutate, person]);

  const [card] = session.queue;
  const rate = (one: Card, rating: Rating, answer: Answer | null, answered: Answered | null) => {
    if (saving.isPending) return;
    const again = answered?.result.rewatch;
    if (rating === 1 && again)
      setRewatch((known) =>
        known.some(({ url }) => url === again.url) ? known : [...known, again],
      );
    mutate(reviewOf(one, rating, answer));
  };
  const error = saving.error
    ? toApiError(saving.error)
    : query.error
      ? toApiError(query.error)
      : null;

  return (
    <>
      {countOf(session) > 0 && <Pips session={session} isOver={!card} />}
      {error && !error.is("PRACTICE_CARD_NOT_FOUND") && (
        <ErrorPanel
          error={error}
          {...(saving.error && { message: t("Your rating is saved on this device.") })}
          onRetry={() =>
            saving.variables && saving.error ? saving.mutateAsync(saving.variables) : fetchMore()
          }
        />
      )}
      {!isOnline && !error && !isAnsweredHere && (
        <p className="small muted" role="status">
          {t("You're offline. Practice continues when you're back online.")}
        </p>
      )}
      {card ? (
        <>
          <CardView
            key={`${card.uid}:${card.turn}`}
            card={card}
            isFirst={session.done.length === 0}
            entered={session.done.length === 0 ? entered : null}
            isSaving={saving.isPending}
            onRate={(rating, answer, answered) => rate(card, rating, answer, answered)}
            onGone={() => leave(card.uid)}
          />
          <Keys letters={optionCount(card)} />
        </>
      ) : query.isFetching ? (
        <Spinner />
      ) : (
        <Done practice={practice} done={session.done} seconds={seconds} rewatch={rewatch} />
      )}
    </>
  );
}

function reviewOf({ uid, turn }: Card, rating: Rating, answer: Answer | null): Unsent {
  const key = newUid();
  return {
    card: uid,
    review: { key, turn, rating, answer, reviewed_at: new Date().toISOString() },
  };
}

/** Show the figures beside the cards as the server renders them now. */
async function refreshSide(): Promise<void> {
  const shown = document.querySelector("[data-practice-side]");
  // A failure leaves the figures as they are: nobody waits for them.
  const page = shown && (await fetchPage().catch(() => null));
  const fresh = page?.querySelector("[data-practice-side]");
  if (fresh) shown?.replaceWith(document.adoptNode(fresh));
}

function Keys({ letters }: { letters: number }) {
  return (
    <p className="keyline" aria-hidden="true">
      {letters > 0 && (
        <span>
          {Array.from(LETTERS.slice(0, letters), (letter) => (
            <kbd key={letter}>{letter}</kbd>
          ))}
          {t("answer")}
        </span>
      )}
      <span>
        <kbd>{t("Space")}</kbd>
        {t("check, or take the suggested rating")}
      </span>
      <span>
        <kbd>1</kbd>–<kbd>4</kbd>
        {t("rate it")}
      </span>
    </p>
  );
}
