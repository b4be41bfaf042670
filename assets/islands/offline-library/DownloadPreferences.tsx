import { useId } from "react";

import { qualities } from "../../offline/qualities";
import { qualityChoice } from "../../offline/controls/words";
import { knowsWifi } from "../../offline/network";
import type { Preferences, Quality } from "../../offline/types";
import { t } from "../../shared/i18n";

type Props = { preferences: Preferences; onChange: (preferences: Preferences) => void };

/** How lessons are downloaded to this device. */
export function DownloadPreferences({ preferences, onChange }: Props) {
  const heading = useId();
  const quality = useId();
  return (
    <section aria-labelledby={heading}>
      <div className="sec-head sec-head--fine">
        <h2 className="h4" id={heading}>
          {t("Downloads")}
        </h2>
      </div>
      <div className="stack gap-3">
        <div className="field">
          <label className="field__label" htmlFor={quality}>
            {t("Quality")}
          </label>
          <select
            className="select"
            id={quality}
            value={preferences.quality}
            onChange={({ target }) =>
              onChange({ ...preferences, quality: target.value as Quality })
            }
          >
            {qualities.map((one) => (
              <option key={one} value={one}>
                {qualityChoice(one)}
              </option>
            ))}
          </select>
        </div>
        {knowsWifi() && (
          <label className="row row--between">
            <span>{t("Wi-Fi only")}</span>
            <input
              className="switch"
              type="checkbox"
              role="switch"
              checked={preferences.isWifiOnly}
              onChange={({ target }) => onChange({ ...preferences, isWifiOnly: target.checked })}
            />
          </label>
        )}
        <label className="row row--between">
          <span>{t("Remove lessons when finished")}</span>
          <input
            className="switch"
            type="checkbox"
            role="switch"
            checked={preferences.removesFinished}
            onChange={({ target }) => onChange({ ...preferences, removesFinished: target.checked })}
          />
        </label>
      </div>
    </section>
  );
}
