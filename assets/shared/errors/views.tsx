/** The error screens of islands. Server pages have the same in templates. */
import { useState } from "react";

import { ApiError } from "../api/errors";
import { t } from "../i18n";

/** An island throws this when what it should show does not exist. */
export class NotFound extends Error {
  override readonly name = "NotFound";
  constructor() {
    super("Not Found");
  }
}

function messageOf(error: unknown): string {
  // The messages of these two would repeat the title.
  if (error instanceof ApiError && (error.is("UNKNOWN_ERROR") || error.is("SERVER_ERROR")))
    return [error.problem.code, error.problem.request_id].filter(Boolean).join(", ");
  return error instanceof Error ? error.message : String(error);
}

/** The view of an island that failed. */
export function ErrorView({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const [isShown, setShown] = useState(false);
  return (
    <section className="notice notice--error" role="alert">
      <p className="notice__title">{t("Something went wrong!")}</p>
      <div className="notice__acts">
        {onRetry && (
          <button className="btn btn--sm" type="button" onClick={onRetry}>
            {t("Try Again")}
          </button>
        )}
        <button
          className="link small"
          type="button"
          aria-expanded={isShown}
          onClick={() => setShown(!isShown)}
        >
          {isShown ? t("Hide Error") : t("Show Error")}
        </button>
      </div>
      {isShown && (
        <pre className="notice__help">
          <code>{messageOf(error)}</code>
        </pre>
      )}
    </section>
  );
}

/** The view of an island whose content does not exist. */
export function NotFoundView() {
  return (
    <section className="notice" role="status">
      <p className="notice__title">{t("Not Found")}</p>
    </section>
  );
}

export type CrashScreenProps = {
  error: unknown;
  onRetry: () => void;
  /** The support email address, from `<meta name="study-support">`. */
  support?: string | undefined;
};

/** The view of an island that is the main content and failed. */
export function CrashScreen({ error, onRetry, support }: CrashScreenProps) {
  return (
    <section className="wholepage" role="alert">
      <h1 className="h1">{t("Oops! Something went wrong")}</h1>
      <p className="lede">
        {t(
          "An unexpected error occurred while loading the page. Don't worry, our team has been notified and is working on it.",
        )}
      </p>

      <code>{messageOf(error)}</code>
      <div className="row">
        <button className="btn btn--primary" type="button" onClick={onRetry}>
          {t("Try Again")}
        </button>
        <button className="btn" type="button" onClick={() => location.reload()}>
          {t("Reload Page")}
        </button>
        <a className="btn btn--quiet" href="/">
          {t("Go to Homepage")}
        </a>
      </div>
      {support !== undefined && (
        <p className="small faint">
          {t("If it keeps happening, contact")}{" "}
          <a className="link" href={`mailto:${support}`}>
            {support}
          </a>
        </p>
      )}
    </section>
  );
}
