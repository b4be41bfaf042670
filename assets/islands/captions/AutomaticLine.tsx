import { t } from "../../shared/i18n";
import { Icon } from "../../shared/ui/Icon";
import { ProgressBar } from "../../shared/ui/ProgressBar";
import type { Automatic } from "./useAutomatic";

/** How far a model is with captions, or why it has failed. */
export function AutomaticLine({
  automatic,
  label,
  offer,
}: {
  automatic: Automatic;
  /** What is being done. */
  label: string;
  /** The sentence and the button that offer what came back while the page was closed. */
  offer?: { sentence: string; button: string } | undefined;
}) {
  const { work, failure, offered } = automatic;
  if (work)
    return (
      <div className="capauto mt-3">
        <span className="small grow">
          {label} <span className="num faint">{t("{percent}%", { percent: work.percent })}</span>
        </span>
        <button
          className="btn btn--quiet btn--sm"
          type="button"
          onClick={() => void automatic.cancel()}
        >
          {t("Cancel")}
        </button>
        <ProgressBar label={label} percent={work.percent} isThin />
      </div>
    );
  if (failure !== "")
    return (
      <div className="notice notice--warning mt-3" role="alert">
        <Icon name="triangle-alert" className="notice__icon" />
        <p className="notice__body">{failure}</p>
        <div className="notice__acts">
          <button className="btn btn--sm" type="button" onClick={automatic.dismiss}>
            {t("Close")}
          </button>
        </div>
      </div>
    );
  if (offered && offer)
    return (
      <div className="notice notice--info mt-3">
        <Icon name="languages" className="notice__icon" />
        <p className="notice__body">{offer.sentence}</p>
        <div className="notice__acts">
          <button className="btn btn--sm" type="button" onClick={automatic.take}>
            {offer.button}
          </button>
          <button className="btn btn--quiet btn--sm" type="button" onClick={automatic.dismiss}>
            {t("Don't add them")}
          </button>
        </div>
      </div>
    );
  return null;
}
