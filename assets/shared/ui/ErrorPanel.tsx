import { type ReactNode, useEffect } from "react";

import { announce } from "../announce";
import { type ApiError, fillHref, lookup } from "../api/errors";
import { resendVerification } from "../auth/resend";
import { type Retry, useRetry } from "../hooks/useRetry";
import { t } from "../i18n";
import { Button } from "./Button";
import { CountdownRing } from "./CountdownRing";
import { Icon } from "./Icon";

type Props = {
  error: ApiError;
  /** Retries the action: resolves or rejects. Enables the countdown of codes that have one. */
  onRetry?: () => unknown;
  /** Implementations of handlers of the catalogue, by name, such as `resume`. */
  handlers?: Record<string, () => unknown>;
  onDismiss?: () => void;
  /** Replaces the message of the server, e.g. to add the saved position. */
  message?: string;
  children?: ReactNode;
};

/** Handlers that every panel has. */
const everywhere: Record<string, () => unknown> = { resend_verification: resendVerification };

/** An error: what happened, what was saved, what to do, and whether it is retried automatically. */
export function ErrorPanel({ error, onRetry, handlers, onDismiss, message, children }: Props) {
  const { problem } = error;
  const entry = lookup(problem.code);
  const sentence = message ?? problem.detail;
  const retry = useRetry(error, onRetry);
  const isCounting = retry.secondsLeft !== null;
  useSpokenRetry(retry);

  const handler = entry.action?.handler ?? "";
  const href = entry.action?.href ? addressOf(entry.action.href, problem.params) : null;
  const act =
    handler === "reload" && !onRetry
      ? () => location.reload()
      : (handlers?.[handler] ?? everywhere[handler] ?? onRetry);
  const named = handler === "" ? undefined : entry.action?.label;
  const needsReference = entry.code === "SERVER_ERROR" || entry.code === "UNKNOWN_ERROR";

  return (
    <section
      className={entry.severity === "info" ? "notice" : `notice notice--${entry.severity}`}
      role={entry.severity === "error" ? "alert" : "status"}
    >
      <Icon name={entry.icon} className="notice__icon" />
      <p className="notice__title">{problem.title}</p>
      {sentence !== problem.title && <p className="notice__body">{sentence}</p>}
      {entry.helpText !== "" && !needsReference && <p className="notice__help">{entry.helpText}</p>}
      {needsReference && problem.request_id !== "" && (
        <p className="notice__help">{t("Reference {id}", { id: problem.request_id })}</p>
      )}
      {children}
      {/* The countdown changes often, so it is announced separately. */}
      <div className="notice__acts" aria-live="off">
        {href !== null && entry.action && (
          <a className="btn btn--sm" href={href}>
            {entry.action.label}
          </a>
        )}
        {act && (
          <Button size="sm" isBusy={retry.isTrying} onClick={act === onRetry ? retry.tryNow : act}>
            {isCounting ? t("Try now") : (named ?? t("Try again"))}
          </Button>
        )}
        {isCounting && (
          <>
            <span className="retry">
              <CountdownRing percent={retry.percentLeft} />
              <span>{t("Retrying in {seconds} s", { seconds: retry.secondsLeft ?? 0 })}</span>
            </span>
            <button className="link small" type="button" onClick={retry.stop}>
              {t("Stop retrying")}
            </button>
          </>
        )}
        {onDismiss && (
          <button
            className="icon-btn icon-btn--sm"
            type="button"
            aria-label={t("Dismiss")}
            onClick={onDismiss}
          >
            <Icon name="x" />
          </button>
        )}
      </div>
    </section>
  );
}

/** The address of an action; signing in leads back to this page. */
function addressOf(href: string, params: Record<string, unknown>): string | null {
  const { pathname, search } = location;
  return href === "/auth/login"
    ? `${href}?next=${encodeURIComponent(pathname + search)}`
    : fillHref(href, params);
}

/** Announces the start and the end of the countdown, not the seconds between. */
function useSpokenRetry({ secondsLeft, wait, isTrying }: Retry): void {
  const isCounting = secondsLeft !== null;
  useEffect(() => {
    if (isCounting) announce(t("Retrying in {seconds} seconds", { seconds: wait }));
  }, [isCounting, wait]);
  useEffect(() => {
    if (isTrying) announce(t("Retrying now"));
  }, [isTrying]);
}
