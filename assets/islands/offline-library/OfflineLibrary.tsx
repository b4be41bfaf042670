import { type ReactNode, useState } from "react";

import { groupByCourse } from "../../offline/controls/picking";
import type { Store } from "../../offline/controls/store";
import { countLessons } from "../../offline/controls/words";
import { describeFailure } from "../../offline/controls/failures";
import type { Account, OfflineLesson, Preferences } from "../../offline/types";
import { duration } from "../../shared/format";
import { useOnline } from "../../shared/hooks/useOnline";
import { t, tn } from "../../shared/i18n";
import { toast } from "../../shared/toasts";
import { Button } from "../../shared/ui/Button";
import { Icon } from "../../shared/ui/Icon";
import { CourseSection } from "./CourseSection";
import { Devices } from "./Devices";
import { DownloadPreferences } from "./DownloadPreferences";
import { CannotStore } from "./Empty";
import { FreeSpaceDialog } from "./FreeSpaceDialog";
import { InstallButton } from "./InstallButton";
import { keepFocus } from "./keepFocus";
import { Nothing } from "./Nothing";
import { RefusedChanges } from "./RefusedChanges";
import { StoragePanel } from "./StoragePanel";
import { useActions } from "./useActions";
import { type Library, useLibrary } from "./useLibrary";
import { WaitingChanges } from "./WaitingChanges";

export type OfflineLibraryProps = {
  /** How long a lesson stays without a connection. */
  days: number;
  store: Store;
};

/** What this browser stores, and what can be done with it. It works the same with and without a connection. */
export function OfflineLibrary({ days, store }: OfflineLibraryProps) {
  const { library, error, reload } = useLibrary(store);
  const isOnline = useOnline();
  if (!library)
    return (
      <PageHead>
        {error === null ? <div aria-busy="true" /> : <ReadFailure error={error} reload={reload} />}
      </PageHead>
    );
  const { refusal, account, lessons, changes, signedOut } = library;
  if (account && (lessons.length > 0 || changes.length > 0))
    return <Full library={library} account={account} store={store} reload={reload} />;
  return (
    <PageHead>
      {refusal ? (
        <CannotStore refusal={refusal} />
      ) : (
        <Nothing
          days={days}
          account={account}
          signedOut={signedOut}
          store={store}
          isOnline={isOnline}
          reload={reload}
        />
      )}
    </PageHead>
  );
}

type FullProps = {
  library: Library;
  account: Account;
  store: Store;
  reload: () => Promise<void>;
};

function Full({ library, account, store, reload }: FullProps) {
  const isOnline = useOnline();
  const actions = useActions(store, account, reload);
  const [isClearing, setClearing] = useState(false);
  const { lessons, changes, preferences } = library;
  const expired = lessons.filter(({ state }) => state === "expired");
  const waiting = changes.filter(({ refusal }) => refusal === null);
  const refused = changes.filter(({ refusal }) => refusal !== null);
  const savePreferences = async (next: Preferences): Promise<void> => {
    await store.writePreferences(next);
    await reload();
  };
  const clear = async (uids: readonly string[]): Promise<void> => {
    try {
      await store.removeLessons(account, uids);
      toast(tn("{count} lesson removed", "{count} lessons removed", uids.length));
    } catch (reason) {
      toast(describeFailure(reason), { icon: "circle-alert" });
    }
    await reload();
    keepFocus();
  };
  return (
    <PageHead
      lessons={lessons}
      tools={
        <>
          {expired.length > 0 && (
            <Button
              isBusy={actions.busy === "expired"}
              disabled={!isOnline}
              onClick={() => actions.renew(expired, "expired")}
            >
              <Icon name="rotate-ccw" />
              {tn("Renew {count} lesson", "Renew {count} lessons", expired.length)}
            </Button>
          )}
          {lessons.some(({ received }) => received > 0) && (
            <Button onClick={() => setClearing(true)}>
              <Icon name="trash-2" />
              {t("Free up space")}
            </Button>
          )}
        </>
      }
    >
      <div className="dash__grid">
        <div className="kept">
          {groupByCourse(lessons).map((group) => (
            <CourseSection
              key={group.course.slug}
              group={group}
              actions={actions}
              isOnline={isOnline}
              current={findCurrent(lessons)}
            />
          ))}
          {lessons.length === 0 && (
            <p className="muted">{t("No lessons are stored on this device.")}</p>
          )}
        </div>
        <aside className="dash__side" aria-label={t("Storage and unsent changes")}>
          {refused.length > 0 && (
            <RefusedChanges refused={refused} account={account} store={store} reload={reload} />
          )}
          <StoragePanel
            library={library}
            store={store}
            onPreferences={(next) => void savePreferences(next)}
            reload={reload}
          />
          {waiting.length > 0 && (
            <WaitingChanges
              waiting={waiting}
              account={account}
              store={store}
              isOnline={isOnline}
              reload={reload}
            />
          )}
          <DownloadPreferences
            preferences={preferences}
            onChange={(next) => void savePreferences(next)}
          />
          <Devices account={account} store={store} isOnline={isOnline} reload={reload} />
          <InstallButton />
        </aside>
        {isClearing && (
          <FreeSpaceDialog
            lessons={lessons}
            isOnline={isOnline}
            onRemove={(uids) => void clear(uids)}
            onClose={() => setClearing(false)}
          />
        )}
      </div>
    </PageHead>
  );
}

/** The lesson to continue with: the first that was begun and can be opened. */
function findCurrent(lessons: readonly OfflineLesson[]): string | null {
  const found = lessons.find(
    ({ state, position, isCompleted }) => state === "downloaded" && position > 0 && !isCompleted,
  );
  return found?.uid ?? null;
}

type PageHeadProps = {
  lessons?: readonly OfflineLesson[];
  tools?: ReactNode;
  children: ReactNode;
};

/** The title of the page with what is stored in all, and the page below. */
function PageHead({ lessons = [], tools, children }: PageHeadProps) {
  const seconds = lessons.reduce((sum, one) => sum + one.duration, 0);
  return (
    <>
      <div className="dash__head">
        <div>
          {lessons.length > 0 && (
            <p className="kicker">
              {countLessons(lessons.length)}
              {seconds >= 60 && `, ${duration(seconds)}`}
            </p>
          )}
          <h1 className="h1 mt-2" tabIndex={-1}>
            {t("On this device")}
          </h1>
        </div>
        {tools && <div className="row row--tight">{tools}</div>}
      </div>
      {children}
    </>
  );
}

function ReadFailure({ error, reload }: { error: unknown; reload: () => Promise<void> }) {
  return (
    <section className="notice notice--error" role="alert">
      <Icon name="circle-alert" className="notice__icon" />
      <p className="notice__title">{t("The lessons stored here can't be read")}</p>
      <p className="notice__body">{describeFailure(error)}</p>
      <div className="notice__acts">
        <button className="btn btn--sm" type="button" onClick={() => void reload()}>
          {t("Try again")}
        </button>
      </div>
    </section>
  );
}
