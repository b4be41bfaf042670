import { t, tn } from "../../shared/i18n";
import { ConflictNotice } from "./ConflictNotice";
import { Notice } from "./Notices";
import { formatTime } from "./time";
import type { CueActions } from "./useCueActions";
import type { CaptionView } from "./useCaptionView";

/** The way to the captions that are not saved before somebody decides, and those of them that no row shows. */
export function Undecided({ view, actions }: { view: CaptionView; actions: CueActions }) {
  const { undecided, rowless } = view;
  return (
    <>
      {undecided.size > 0 && (
        <Notice
          acts={
            <button className="btn btn--sm" type="button" onClick={actions.goToNextUndecided}>
              {t("Show the next one")}
            </button>
          }
        >
          {tn(
            "{count} caption waits for your decision before it is saved.",
            "{count} captions wait for your decision before they are saved.",
            undecided.size,
          )}
        </Notice>
      )}
      {rowless.map(({ id, sheet, cue, conflict, refusal }) => (
        <div key={id} className="panel panel__body mt-3" data-undecided={id}>
          <p className="small">
            {cue?.state === "aside"
              ? t("{language}, set aside", { language: sheet.name })
              : t("{language}, beside no caption", { language: sheet.name })}
          </p>
          {cue && (
            <p className="capaside" lang={sheet.language} dir="auto">
              <span className="small faint num">{formatTime(cue.begin)}</span> {cue.text}
            </p>
          )}
          {refusal && <Notice>{t("Not saved: {reason}", { reason: refusal.reason })}</Notice>}
          {conflict && (
            <ConflictNotice conflict={conflict} onResolve={(choice) => sheet.resolve(id, choice)} />
          )}
        </div>
      ))}
    </>
  );
}
