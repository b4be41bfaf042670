import { useEffect, useRef } from "react";

import { announce } from "../../shared/announce";
import type { State } from "../../shared/notes/lessonNotes";
import type { ApiError } from "../../shared/api/errors";
import { t } from "../../shared/i18n";

/** Where the notes are saved. Spoken only when that isn't the server, and when it is again: not at each letter. */
export function Status({ status }: { status: State["status"] }) {
  const spoken = useRef<State["status"]>("saved");
  useEffect(() => {
    if (status === "saving" || status === spoken.current) return;
    spoken.current = status;
    if (status === "kept") announce(t("Saved on this device"));
    else if (status === "lost") announce(t("Not saved: this device is full"), "assertive");
    else announce(t("Saved"));
  }, [status]);
  const words: Record<State["status"], string> = {
    saved: t("Saved"),
    saving: t("Saving…"),
    kept: t("Saved on this device"),
    lost: t("Not saved: this device is full"),
  };
  return <span className="small faint">{words[status]}</span>;
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
