import { loadProvider } from "../../shared/payments/provider";
import { AddCard, type CardFormProps } from "./AddCard";

/** "Add a card" on the page of saved cards. */
export function Island(props: CardFormProps) {
  return <AddCard {...props} load={loadProvider} go={(address) => location.assign(address)} />;
}
