import { openStore } from "../../offline/controls/browserStore";
import { OfflineLibrary } from "./OfflineLibrary";

type Props = { days: number };

export function Island({ days }: Props) {
  return <OfflineLibrary days={days} store={openStore()} />;
}
