import type { ReactNode } from "react";

import type { IconName } from "../../shared/iconNames";
import { t, tn } from "../../shared/i18n";
import { Icon } from "../../shared/ui/Icon";
import type { CueActions } from "./useCueActions";
import type { CaptionView } from "./useCaptionView";

/** A sentence about the captions, and what can be done about it. */
export function Notice({
  kind = "warning",
  icon = "triangle-alert",
  title,
  isAlert = false,
  children,
  acts,
}: {
  kind?: "warning" | "info";
  icon?: IconName;
  title?: string;
  isAlert?: boolean;
  children: ReactNode;
  acts?: ReactNode;
}) {
  return (
    <div className={`notice notice--${kind} mt-3`} role={isAlert ? "alert" : undefined}>
      <Icon name={icon} className="notice__icon" />
      {title !== undefined && <p className="notice__title">{title}</p>}
      <p className="notice__body">{children}</p>
      {acts && <div className="notice__acts">{acts}</div>}
    </div>
  );
}

/** Why something can only be read. */
export function LockLine({ reason }: { reason: string }) {
  return (
    <p className="hint mt-3">
      <Icon name="info" />
      <span>{reason}</span>
    </p>
  );
}

/** Other captions were published since these were begun. */
export function ReplacedNotice() {
  return <Notice>{t("Other captions were published since these were begun.")}</Notice>;
}

/** Cues that begin after the end of the video. */
export function LateNotice({ view, actions }: { view: CaptionView; actions: CueActions }) {
  const count = view.late.length;
  return (
    <Notice
      acts={
        <button className="btn btn--sm" type="button" onClick={actions.setLateAside}>
          {tn("Set it aside", "Set them aside", count)}
        </button>
      }
    >
      {tn(
        "{count} caption begins after the end of the video.",
        "{count} captions begin after the end of the video.",
        count,
      )}
    </Notice>
  );
}

/** Cues of the second language that a model wrote, and nobody has checked. */
export function UncheckedNotice({
  count,
  language,
  isPublishing,
  onCheck,
  onPublish,
}: {
  count: number;
  /** Its name. */
  language: string;
  isPublishing: boolean;
  onCheck: () => void;
  onPublish: () => void;
}) {
  return (
    <Notice
      kind="info"
      icon="languages"
      title={tn(
        "{count} {language} caption was written automatically",
        "{count} {language} captions were written automatically",
        count,
        { language },
      )}
      acts={
        <>
          <button className="btn btn--sm" type="button" onClick={onCheck}>
            {t("Check the next one")}
          </button>
          <button className="btn btn--sm" type="button" disabled={isPublishing} onClick={onPublish}>
            <Icon name="check" />
            {t("Publish {language}", { language })}
          </button>
        </>
      }
    >
      {t("Learners see nothing of it before you publish {language}.", { language })}
    </Notice>
  );
}
