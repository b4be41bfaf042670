import { useId, useState } from "react";

import { t, tn } from "../../shared/i18n";
import { Dialog } from "../../shared/ui/Dialog";
import { Icon } from "../../shared/ui/Icon";
import { type Cues, shift, shownOf } from "./cues";
import { parseShift } from "./time";

/** Move cues in time. */
export function ShiftDialog({
  cues,
  current,
  duration,
  onShift,
  onClose,
}: {
  cues: Cues;
  current: string | null;
  duration: number;
  onShift: (seconds: number, from: string | null) => void;
  onClose: () => void;
}) {
  const id = useId();
  const shown = shownOf(cues);
  const number = shown.findIndex((cue) => cue.id === current) + 1;
  const [typed, setTyped] = useState("");
  const [isFrom, setFrom] = useState(number > 1);
  const seconds = parseShift(typed);
  const from = isFrom && number > 0 ? current : null;
  const count = from === null ? shown.length : shown.length - number + 1;
  const lost =
    seconds === null ? 0 : shown.length - shownOf(shift(cues, seconds, from, duration)).length;
  const isReady = seconds !== null && seconds !== 0 && count > 0;
  return (
    <Dialog
      title={t("Shift captions")}
      onClose={onClose}
      actions={
        <>
          <button className="btn" type="button" onClick={onClose}>
            {t("Cancel")}
          </button>
          <button
            className="btn btn--primary"
            type="button"
            disabled={!isReady}
            onClick={() => seconds !== null && onShift(seconds, from)}
          >
            {tn("Shift {count} caption", "Shift {count} captions", count)}
          </button>
        </>
      }
    >
      <div className="stack gap-4">
        <div className="pair">
          <div className="field">
            <label className="field__label" htmlFor={`${id}-by`}>
              {t("By, in seconds")}
            </label>
            <input
              className="input"
              id={`${id}-by`}
              data-autofocus
              value={typed}
              autoComplete="off"
              aria-describedby={`${id}-hint`}
              aria-invalid={(typed !== "" && seconds === null) || undefined}
              onChange={({ target }) => setTyped(target.value)}
              onKeyDown={({ key }) => {
                if (key === "Enter" && isReady) onShift(seconds, from);
              }}
            />
            <p className="field__hint" id={`${id}-hint`}>
              {t("Negative is earlier, such as -1.5.")}
            </p>
          </div>
          <div className="field">
            <label className="field__label" htmlFor={`${id}-which`}>
              {t("Which")}
            </label>
            <select
              className="select"
              id={`${id}-which`}
              value={from === null ? "all" : "from"}
              onChange={({ target }) => setFrom(target.value === "from")}
            >
              <option value="all">{t("All")}</option>
              {number > 0 && (
                <option value="from">{t("From caption {number} on", { number })}</option>
              )}
            </select>
          </div>
        </div>
        {lost > 0 && (
          <p className="hint">
            <Icon name="info" />
            <span>
              {tn(
                "{count} caption falls outside of the video. It is set aside, not deleted.",
                "{count} captions fall outside of the video. They are set aside, not deleted.",
                lost,
              )}
            </span>
          </p>
        )}
      </div>
    </Dialog>
  );
}
