import { loadProvider } from "../../shared/payments/provider";
import type { CheckoutProps } from "./api";
import { Checkout } from "./Checkout";

/** The form that pays for a course. The summary beside it is the page's; its prices follow the form. */
export function Island(props: CheckoutProps) {
  return <Checkout {...props} load={loadProvider} go={(address) => location.assign(address)} />;
}
