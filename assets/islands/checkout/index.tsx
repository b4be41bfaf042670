import { loadProvider } from "../../shared/payments/provider";
import type { CheckoutProps, OrderPaymentProps } from "./api";
import { Checkout } from "./Checkout";
import { OrderPayment } from "./OrderPayment";

const go = (address: string): void => location.assign(address);

/**
 * The form that pays for a course, or for an order that exists. The summary beside it is the page's; of a course, its
 * prices follow the form.
 */
export function Island(props: CheckoutProps | OrderPaymentProps) {
  return "number" in props ? (
    <OrderPayment {...props} load={loadProvider} go={go} />
  ) : (
    <Checkout {...props} load={loadProvider} go={go} />
  );
}
