import { type FormEvent, useRef, useState } from "react";

import type { ApiError } from "../../shared/api/errors";
import { t } from "../../shared/i18n";
import { CardFailure, CardSection, useChosenCard } from "../../shared/payments/CardSection";
import { Button } from "../../shared/ui/Button";
import { ErrorPanel } from "../../shared/ui/ErrorPanel";
import { Icon } from "../../shared/ui/Icon";
import { beginPayment, type OrderPaymentProps } from "./api";
import { payOrder } from "./pay";
import { type Load, useCardForm } from "./useCardForm";
import { type Stage, Waiting } from "./Waiting";

type Props = OrderPaymentProps & {
  load: Load;
  /** Leave for another page. */
  go: (address: string) => void;
};

/** Pay an order that exists by card. A declined card leaves it open, so another one can be tried. */
export function OrderPayment(props: Props) {
  const { order, number, total, cards, go } = props;
  const [chosen, setChosen] = useChosenCard(cards);
  const [stage, setStage] = useState<Stage | null>(null);
  const [refusal, setRefusal] = useState<ApiError | null>(null);
  const [failure, setFailure] = useState("");
  const isPaying = useRef(false);
  const spot = useRef<HTMLDivElement>(null);
  const form = useCardForm({
    spot,
    load: props.load,
    props: props.provider,
    amount: props.provider_total,
    currency: props.currency,
    isShown: chosen === "",
    savesCard: false,
  });

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (isPaying.current || !form.provider) return;
    isPaying.current = true;
    setRefusal(null);
    setFailure("");
    const card = chosen === "" ? null : chosen;
    const how = { usesForm: card === null, email: props.email };
    const outcome = await payOrder(() => beginPayment(order, card), how, form.provider, setStage);
    if (outcome.kind === "left") {
      go(outcome.address);
      return;
    }
    isPaying.current = false;
    setStage(null);
    if (outcome.kind === "refused") setRefusal(outcome.error);
    if (outcome.kind === "failed") setFailure(outcome.message);
  };

  return (
    <>
      {stage && <Waiting stage={stage} uid={order} number={number} total={total} />}
      <form
        className="pay__form"
        aria-label={t("Payment")}
        hidden={stage !== null}
        noValidate
        onSubmit={(event) => void submit(event)}
      >
        {refusal && (
          <ErrorPanel
            error={refusal}
            handlers={{ reload: () => location.reload() }}
            onDismiss={() => setRefusal(null)}
          />
        )}
        <CardFailure message={failure} />
        <CardSection form={form} spot={spot} cards={cards} chosen={chosen} onChoose={setChosen} />
        <div className="row">
          <Button
            type="submit"
            look="primary"
            size="lg"
            isBusy={form.state === "loading" && chosen === ""}
            disabled={form.state === "failed"}
          >
            <Icon name="lock" />
            {t("Pay {amount}", { amount: total })}
          </Button>
          <a className="btn btn--quiet" href={props.back}>
            {t("Not now")}
          </a>
        </div>
      </form>
    </>
  );
}
