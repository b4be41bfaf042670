import { loadProvider } from "../../shared/payments/provider";
import type { PremiumProps } from "./api";
import { Premium } from "./Premium";

/** The form that subscribes to Premium, or pays what is due for it. */
export function Island(props: PremiumProps) {
  return <Premium {...props} load={loadProvider} go={(address) => location.assign(address)} />;
}
