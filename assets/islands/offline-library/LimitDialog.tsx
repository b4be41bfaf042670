import { useState } from "react";

import { roughSize } from "../../offline/controls/words";
import { t } from "../../shared/i18n";
import { Dialog } from "../../shared/ui/Dialog";

const GB = 1024 ** 3;
const LIMITS_GB = [1, 2, 4, 8, 16, 32, 64];

type Props = {
  limit: number;
  granted: number;
  used: number;
  onSave: (limit: number) => void;
  onClose: () => void;
};

/** How much space lessons may take. */
export function LimitDialog({ limit, granted, used, onSave, onClose }: Props) {
  const offered = LIMITS_GB.map((count) => count * GB).filter(
    (size) => granted === 0 || size <= granted || size === limit,
  );
  const [chosen, setChosen] = useState(limit);
  const save = (): void => {
    onSave(chosen);
    onClose();
  };
  return (
    <Dialog
      title={t("Space for lessons")}
      onClose={onClose}
      actions={
        <>
          <button className="btn btn--quiet" type="button" onClick={onClose}>
            {t("Cancel")}
          </button>
          <button className="btn btn--primary" type="button" onClick={save}>
            {t("Save")}
          </button>
        </>
      }
    >
      <p>{t("Downloads stop at this limit. Nothing is removed.")}</p>
      <div className="field mt-4">
        <label className="field__label" htmlFor="limit">
          {t("Limit")}
        </label>
        <select
          className="select"
          id="limit"
          value={chosen}
          onChange={({ target }) => setChosen(Number(target.value))}
        >
          {[...new Set([...offered, chosen])]
            .sort((a, b) => a - b)
            .map((size) => (
              <option key={size} value={size}>
                {roughSize(size)}
              </option>
            ))}
        </select>
        <p className="field__hint">{t("{size} used now.", { size: roughSize(used) })}</p>
      </div>
    </Dialog>
  );
}
