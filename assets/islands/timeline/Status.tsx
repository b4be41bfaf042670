import type { State } from "../../shared/notes/lessonNotes";
import type { ApiError } from "../../shared/api/errors";
import { t } from "../../shared/i18n";

/** Where the notes are saved. */
export function Status({ status }: { status: State["status"] }) {
  const words: Record<State["status"], string> = {
    saved: t("Saved"),
    saving: t("Saving…"),
    kept: t("Saved on this device"),
    lost: t("Not saved: this device is full"),
  };
  return (
    <span className="small faint" role="status">
      {words[status]}
    </span>
  );
}

export function LoadError({ error, onRetry }: { error: ApiError; onRetry: () => void }) {
  return (
    <div className="line__error small" role="alert">
      <span>{t("Your saved notes couldn't be loaded. {reason}", { reason: error.message })}</span>
      <button className="btn btn--sm" type="button" onClick={onRetry}>
        {t("Try again")}
      </button>
    </div>
  );
}
