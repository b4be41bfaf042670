import { useState } from "react";

import { toApiError } from "../../shared/api/errors";
import { t, tn } from "../../shared/i18n";
import { toast } from "../../shared/toasts";
import { Button } from "../../shared/ui/Button";
import { addCards } from "./api";
import type { Answer } from "./types";

/** The flash cards of an answer; those that are ticked go into practice. */
export function Cards({ answer }: { answer: Answer }) {
  const [off, setOff] = useState<ReadonlySet<number>>(new Set());
  const [added, setAdded] = useState<number | null>(null);
  const [isBusy, setBusy] = useState(false);
  const chosen = answer.cards.map((_, index) => index).filter((index) => !off.has(index));

  const add = async (): Promise<void> => {
    setBusy(true);
    try {
      setAdded((await addCards(answer.uid, chosen)).added);
    } catch (thrown) {
      toast(toApiError(thrown).message, { icon: "circle-alert", stays: true });
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <ul className="learn-cards" aria-label={t("Flash cards")}>
        {answer.cards.map(({ front, back }, index) => (
          <li className="learn-card" key={index}>
            <label className="check">
              <input
                type="checkbox"
                checked={!off.has(index)}
                disabled={added !== null}
                onChange={({ target }) => {
                  const next = new Set(off);
                  if (target.checked) next.delete(index);
                  else next.add(index);
                  setOff(next);
                }}
              />
              <span className="strong">{front}</span>
            </label>
            <p className="learn-card__back">{back}</p>
          </li>
        ))}
      </ul>
      <div className="row row--tight mt-4" role="status">
        {added === null ? (
          <Button
            size="sm"
            isBusy={isBusy}
            disabled={chosen.length === 0}
            onClick={() => void add()}
          >
            {t("Add to practice")}
          </Button>
        ) : (
          <>
            <span>
              {added > 0
                ? tn("{count} card added to practice.", "{count} cards added to practice.", added)
                : t("These cards are already in practice.")}
            </span>
            <a className="link" href="/me/practice">
              {t("Practice now")}
            </a>
          </>
        )}
      </div>
    </>
  );
}
