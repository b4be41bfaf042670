import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";

import { toApiError } from "../../shared/api/errors";
import { useAuth } from "../../shared/auth/AuthProvider";
import { t } from "../../shared/i18n";
import type { IconName } from "../../shared/iconNames";
import { toast } from "../../shared/toasts";
import { ErrorPanel } from "../../shared/ui/ErrorPanel";
import { Icon } from "../../shared/ui/Icon";
import { fetchSuggestions } from "./api";
import { ExchangeView } from "./ExchangeView";
import { LiveText } from "./LiveText";
import type { ChatStore, Scope, View } from "./store";
import { type Citation, isOpen, type Mode } from "./types";
import { useSpoken } from "./useSpoken";

type Props = {
  view: View;
  store: ChatStore;
  scope: Scope;
  /** The learner has no course that the tutor could search. */
  isNewcomer: boolean;
  /** Characters of a question, at most. */
  most: number;
  here?: string | undefined;
  onCite: (citation: Citation) => void;
  onAsk: (question: string, mode: Mode) => void;
  /** The question that could not be sent is given up. */
  onDismiss: () => void;
};

/** What was asked and answered in the open chat. */
export function Thread(props: Props) {
  const { view, store, scope, isNewcomer, most, here, onCite, onAsk, onDismiss } = props;
  const { exchanges, texts, pending } = view;
  const [isLoading, setLoading] = useState(false);
  const isBusy = pending !== null || Object.keys(texts).length > 0;
  const newest = exchanges.at(-1)?.answers.at(-1) ?? null;
  // What was there when the page opened is not read out.
  const [begun, setBegun] = useState<string | null>(null);
  if (newest && isOpen(newest) && begun !== newest.uid) setBegun(newest.uid);
  const isSpoken = newest !== null && newest.uid === begun;
  const spoken = useSpoken(
    isSpoken ? newest.uid : null,
    newest ? (texts[newest.uid] ?? newest.text) : "",
    newest !== null && !isOpen(newest),
  );

  const end = useRef<HTMLDivElement>(null);
  const askedNow = pending?.asking.key;
  useEffect(() => {
    if (askedNow !== undefined) end.current?.scrollIntoView({ block: "nearest" });
  }, [askedNow]);

  const showEarlier = async (): Promise<void> => {
    setLoading(true);
    try {
      await store.showEarlier();
    } catch (thrown) {
      toast(toApiError(thrown).message, { icon: "circle-alert" });
    } finally {
      setLoading(false);
    }
  };
  return (
    <div className="tutor__thread">
      {view.hasEarlier && (
        <p>
          <button
            className="link small"
            type="button"
            disabled={isLoading}
            onClick={() => void showEarlier()}
          >
            {t("Earlier questions")}
          </button>
        </p>
      )}
      {exchanges.length === 0 && !pending && (
        <Start scope={scope} isNewcomer={isNewcomer} onAsk={onAsk} />
      )}
      {exchanges.map((exchange, index) => (
        <ExchangeView
          key={exchange.uid}
          exchange={exchange}
          texts={texts}
          most={most}
          store={store}
          later={exchanges.length - 1 - index}
          isBusy={isBusy}
          here={here}
          onCite={onCite}
          onAsk={(question) => onAsk(question, "ask")}
        />
      ))}
      {pending && (
        <section className="exchange">
          <h2 className="ask">{pending.asking.question}</h2>
          <div className="answered">
            {pending.error ? (
              <ErrorPanel
                error={pending.error}
                onRetry={() => store.retry(scope)}
                onDismiss={onDismiss}
              />
            ) : (
              <LiveText text="" />
            )}
          </div>
        </section>
      )}
      {view.isLost && (
        <p className="notice notice--warning tutor__lost" role="status">
          <Icon name="wifi-off" className="notice__icon" />
          <span className="notice__title">{t("Connection lost")}</span>
          <span className="notice__body">
            {t("The part that arrived is saved. The answer will continue when you're back online.")}
          </span>
        </p>
      )}
      <div className="vh" role="log" aria-live="polite" aria-label={t("The tutor's answer")}>
        {spoken.map(({ id, text }) => (
          <p key={id}>{text}</p>
        ))}
      </div>
      <div ref={end} />
    </div>
  );
}

/** What to ask first, and what the tutor can do. */
function Start({ scope, isNewcomer, onAsk }: Pick<Props, "scope" | "isNewcomer" | "onAsk">) {
  const { isLoading } = useAuth();
  const { data = [] } = useQuery({
    queryKey: ["tutor", "suggestions", scope.course, scope.lesson],
    queryFn: () => fetchSuggestions(scope.course, scope.lesson),
    enabled: !isLoading,
    staleTime: 5 * 60_000,
    retry: false,
  });
  return (
    <section className="exchange">
      <h2 className="ask">
        {isNewcomer ? t("Choose a course first") : t("What would you like to understand?")}
      </h2>
      <p className="muted mt-3">
        {isNewcomer
          ? t(
              "The tutor answers from the lessons of your courses, and you have none yet. It already knows how this site works.",
            )
          : t(
              "Ask in your own words. The answer quotes your lessons and names the place, down to the second.",
            )}
      </p>
      {isNewcomer && (
        <p className="mt-4">
          <a className="btn btn--primary" href="/courses/">
            {t("Find a course")}
          </a>
        </p>
      )}
      {data.length > 0 && (
        <div className="suggested" role="group" aria-label={t("Suggested questions")}>
          {data.map(({ text, mode }) => (
            <button
              key={text}
              className="suggested__one"
              type="button"
              onClick={() => onAsk(text, mode)}
            >
              <Icon name="arrow-right" />
              <span>{text}</span>
            </button>
          ))}
        </div>
      )}
      <ul className="abilities" aria-label={t("What the tutor can do")}>
        {abilities().map(({ icon, title, text }) => (
          <li key={title}>
            <Icon name={icon} />
            <b className="medium">{title}</b>
            <p>{text}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}

type Ability = { icon: IconName; title: string; text: string };

function abilities(): Ability[] {
  return [
    {
      icon: "text-quote",
      title: t("Answers with the place"),
      text: t("The passage of your lesson, and a link to its second."),
    },
    {
      icon: "list-checks",
      title: t("Tests you"),
      text: t("Questions about a lesson, and flash cards to keep."),
    },
    {
      icon: "calendar-days",
      title: t("Plans your week"),
      text: t("The next lessons, from your progress and your goal."),
    },
  ];
}
