/** What a user reads about an error of the payment provider. The table comes from Python. */
import { paymentErrors } from "../api/paymentErrors.gen";
import { t } from "../i18n";

type Kind = keyof typeof paymentErrors;

/** The parts of an error that the provider's script reports. */
export type ProviderError = { type: string; message?: string | undefined };

const isKind = (name: string): name is Kind => Object.hasOwn(paymentErrors, name);

function textOf(kind: Kind, own: string | undefined): string {
  const { message, ownWords } = paymentErrors[kind];
  return ownWords && own ? own : t(message);
}

/** The message for an error that the provider's script reported, or that was thrown. */
export function paymentMessage(error: ProviderError | Error | null | undefined): string {
  if (!error) return textOf("unknown", undefined);
  if (!("type" in error)) return textOf("plain", error.message);
  const { type, message } = error;
  return textOf(isKind(type) ? type : "other", message);
}
