import { type FormEvent, useEffect, useRef, useState } from "react";

import { authenticatedApi, unwrap } from "../../shared/api/client";
import type { ApiError } from "../../shared/api/errors";
import { t } from "../../shared/i18n";
import { CardFields, NoCardFields } from "../../shared/payments/CardFields";
import { CardFailure } from "../../shared/payments/CardSection";
import type { ProviderProps } from "../../shared/payments/provider";
import { saveCard } from "../../shared/payments/saveCard";
import { type Load, useSetupForm } from "../../shared/payments/useSetupForm";
import { Button } from "../../shared/ui/Button";
import { ErrorPanel } from "../../shared/ui/ErrorPanel";
import { Icon } from "../../shared/ui/Icon";

export type CardFormProps = {
  provider: ProviderProps;
  currency: string;
  /** Whether the user has a card: then another one becomes the default only on request. */
  has_cards: boolean;
  /** Whether Premium is charged to the default card. */
  has_premium: boolean;
};

type Props = CardFormProps & {
  load: Load;
  /** Leave for another page. */
  go: (address: string) => void;
};

/** "Add a card", which opens the form. The provider's script is loaded with the form, not with the page. */
export function AddCard(props: Props) {
  const [isOpen, setOpen] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(false);
  useEffect(() => {
    if (wasOpen.current && !isOpen) opener.current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  if (isOpen) return <CardForm {...props} onCancel={() => setOpen(false)} />;
  return (
    <button
      ref={opener}
      className="paycard paycard--add"
      type="button"
      onClick={() => setOpen(true)}
    >
      <Icon name="plus" className="i--lg" />
      {t("Add a card")}
    </button>
  );
}

function CardForm(props: Props & { onCancel: () => void }) {
  const { provider, currency, has_cards, has_premium, load, go, onCancel } = props;
  const [isSaving, setSaving] = useState(false);
  const [isDefault, setDefault] = useState(false);
  const [refusal, setRefusal] = useState<ApiError | null>(null);
  const [failure, setFailure] = useState("");
  const isBusy = useRef(false);
  const spot = useRef<HTMLDivElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const form = useSetupForm({ spot, load, props: provider, currency, isShown: true });
  useEffect(() => heading.current?.focus(), []);

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (isBusy.current || !form.provider || form.state !== "ready") return;
    isBusy.current = true;
    setRefusal(null);
    setFailure("");
    const saved = await saveCard(form.provider, () => setSaving(true));
    if (saved.kind === "saved") {
      const { uid } = saved.card;
      if (isDefault && !saved.card.is_default) {
        // The card is saved: if this fails, the page that follows shows which one is the default.
        await makeDefault(uid).catch(() => undefined);
      }
      go(`/billing/methods?saved=${uid}`);
      return;
    }
    isBusy.current = false;
    setSaving(false);
    if (saved.kind === "failed") setFailure(saved.message);
    if (saved.kind === "refused") setRefusal(saved.error);
  };

  return (
    <form
      className="panel cardform"
      aria-labelledby="card-form-h"
      aria-busy={isSaving}
      onSubmit={(event) => void submit(event)}
    >
      <h3 className="h4" id="card-form-h" tabIndex={-1} ref={heading}>
        {t("Add a card")}
      </h3>
      {refusal && <ErrorPanel error={refusal} onDismiss={() => setRefusal(null)} />}
      <CardFailure title={t("The card wasn't saved")} message={failure} />
      {form.state === "failed" ? (
        <NoCardFields onRetry={form.retry} />
      ) : (
        <>
          <CardFields state={form.state} spot={spot} />
          {has_cards && (
            <label className="check">
              <input
                type="checkbox"
                checked={isDefault}
                onChange={(event) => setDefault(event.target.checked)}
              />
              <span>
                {has_premium ? t("Use this card for Premium") : t("Make this card the default")}
              </span>
            </label>
          )}
          <p className="small faint">
            {t("Your bank may ask you to confirm the card is yours. Nothing is charged now.")}
          </p>
        </>
      )}
      <div className="row">
        {form.state !== "failed" && (
          <Button type="submit" look="primary" isBusy={isSaving || form.state === "loading"}>
            {t("Save card")}
          </Button>
        )}
        <Button look="quiet" disabled={isSaving} onClick={onCancel}>
          {t("Cancel")}
        </Button>
      </div>
    </form>
  );
}

const makeDefault = (uid: string): Promise<unknown> =>
  unwrap(authenticatedApi.PUT("/api/v1/billing/cards/{uid}/", { params: { path: { uid } } }));
