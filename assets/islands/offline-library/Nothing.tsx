import type { SignedOutLessons, Store } from "../../offline/controls/store";
import type { Account } from "../../offline/types";
import { Devices } from "./Devices";
import { NothingStored, SignedOut } from "./Empty";
import { InstallButton } from "./InstallButton";
import { useSignedInUser } from "./useSignedInUser";

type Props = {
  /** How long a lesson stays without a connection. */
  days: number;
  store: Store;
  account: Account | null;
  signedOut: SignedOutLessons;
  isOnline: boolean;
  reload: () => Promise<void>;
};

/** Nothing is here that can be opened; other devices of the learner may store something, and be in the way. */
export function Nothing({ days, account, signedOut, store, isOnline, reload }: Props) {
  const user = useSignedInUser(store, isOnline, account);
  if (user === null) return <div aria-busy="true" />;
  const isSignedIn = user !== "";
  return (
    <div className="stack gap-6">
      {signedOut.lessons > 0 && !account ? (
        <SignedOut
          signedOut={signedOut}
          isOnline={isOnline}
          isSignedIn={isSignedIn}
          store={store}
          reload={reload}
        />
      ) : (
        <NothingStored days={days} isOnline={isOnline} isSignedIn={isSignedIn} />
      )}
      {isSignedIn && (
        <Devices account={account} store={store} isOnline={isOnline} reload={reload} />
      )}
      <InstallButton />
    </div>
  );
}
