import { type FormEvent, useState } from "react";

import { announce } from "../../shared/announce";
import { toApiError } from "../../shared/api/errors";
import { t } from "../../shared/i18n";
import { toast } from "../../shared/toasts";
import { Button } from "../../shared/ui/Button";
import { Icon } from "../../shared/ui/Icon";
import type { ChatStore } from "./store";
import type { Answer } from "./types";

type Props = {
  answer: Answer;
  store: ChatStore;
  isAsking: boolean;
  onAsking: (is: boolean) => void;
};

/** Helpful or not; pressed again, the rating is taken back. */
export function RatingButtons({ answer, store, isAsking, onAsking }: Props) {
  const rate = async (rating: 1 | -1): Promise<void> => {
    const next = answer.rating === rating ? null : rating;
    onAsking(next === -1);
    try {
      await store.rate(answer.uid, next);
      announce(next === null ? t("Rating removed") : t("Thank you"));
    } catch (thrown) {
      onAsking(false);
      toast(toApiError(thrown).message, { icon: "circle-alert" });
    }
  };
  return (
    <>
      <button
        className="icon-btn icon-btn--sm"
        type="button"
        aria-label={t("Helpful")}
        title={t("Helpful")}
        aria-pressed={answer.rating === 1}
        onClick={() => void rate(1)}
      >
        <Icon name="thumbs-up" />
      </button>
      <button
        className="icon-btn icon-btn--sm"
        type="button"
        aria-label={t("Not helpful")}
        title={t("Not helpful")}
        aria-pressed={answer.rating === -1}
        aria-expanded={isAsking || undefined}
        onClick={() => void rate(-1)}
      >
        <Icon name="thumbs-down" />
      </button>
    </>
  );
}

/** What was wrong with an answer, if the learner wants to say it. */
export function RatingReason({ answer, store, onAsking }: Omit<Props, "isAsking">) {
  const [reason, setReason] = useState("");
  const [isBusy, setBusy] = useState(false);
  const send = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    try {
      await store.rate(answer.uid, -1, reason.trim());
      onAsking(false);
      toast(t("Thank you. Your feedback helps to improve the tutor."));
    } catch (thrown) {
      setBusy(false);
      toast(toApiError(thrown).message, { icon: "circle-alert" });
    }
  };
  return (
    <form className="answered__why" onSubmit={(event) => void send(event)}>
      <label className="field">
        <span className="field__label">
          {t("What was wrong?")} <span className="faint">{t("(optional)")}</span>
        </span>
        <textarea
          className="input"
          rows={2}
          maxLength={500}
          value={reason}
          onChange={({ target }) => setReason(target.value)}
        />
      </label>
      <div className="row row--tight">
        <Button size="sm" type="submit" isBusy={isBusy} disabled={reason.trim() === ""}>
          {t("Send")}
        </Button>
        <Button size="sm" look="quiet" onClick={() => onAsking(false)}>
          {t("Skip")}
        </Button>
      </div>
    </form>
  );
}
