import type { ReactNode } from "react";

import type { SignedOutLessons, Store } from "../../offline/controls/store";
import { roughSize } from "../../offline/controls/words";
import type { Refusal } from "../../offline/types";
import { confirmFirst } from "../../shared/confirming";
import { t, tn } from "../../shared/i18n";
import { Icon } from "../../shared/ui/Icon";

type PanelProps = { title: string; text: string; children?: ReactNode };

function EmptyPanel({ title, text, children }: PanelProps) {
  return (
    <section className="panel empty">
      <svg
        className="empty__art"
        viewBox="0 0 144 72"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        aria-hidden="true"
      >
        <path
          d="M38 60h66a18 18 0 0 0 3-36 26 26 0 0 0-50-5A21 21 0 0 0 38 60z"
          strokeDasharray="3 4"
        />
        <path d="M72 34v30M62 54l10 10 10-10" />
      </svg>
      <h2 className="h4">{title}</h2>
      <p>{text}</p>
      {children}
    </section>
  );
}

type Props = { days: number; isOnline: boolean; isSignedIn: boolean };

/** Nothing is stored in this browser. */
export function NothingStored({ days, isOnline, isSignedIn }: Props) {
  const text = tn(
    "When you're online, press Download under a lesson. It will play here for {count} day, even in a tunnel or on a mountain.",
    "When you're online, press Download under a lesson. It will play here for {count} days, even in a tunnel or on a mountain.",
    days,
  );
  return (
    <EmptyPanel title={t("Nothing downloaded yet")} text={text}>
      {!isOnline ? (
        <button className="btn" type="button" onClick={() => location.reload()}>
          <Icon name="refresh-cw" />
          {t("Check connection")}
        </button>
      ) : (
        <a className="btn" href={isSignedIn ? "/me/enrollments" : "/auth/login?next=/offline"}>
          {isSignedIn ? t("My Learning") : t("Sign in")}
        </a>
      )}
    </EmptyPanel>
  );
}

type SignedOutProps = {
  signedOut: SignedOutLessons;
  isOnline: boolean;
  /** To another account. */
  isSignedIn: boolean;
  store: Store;
  reload: () => Promise<void>;
};

/** Lessons are stored here, and the account that can open them is signed out. */
export function SignedOut({ signedOut, isOnline, isSignedIn, store, reload }: SignedOutProps) {
  const size = { size: roughSize(signedOut.size) };
  const remove = async (): Promise<void> => {
    const isSure = await confirmFirst({
      title: t("Remove these lessons?"),
      text: t(
        "This frees {size}. Changes that haven't been sent are lost, unless that account signs in again first.",
        size,
      ),
      confirm: t("Remove"),
    });
    if (!isSure) return;
    await store.removeSignedOut();
    await reload();
  };
  return (
    <EmptyPanel
      title={
        isSignedIn
          ? tn(
              "{count} lesson of another account",
              "{count} lessons of another account",
              signedOut.lessons,
            )
          : tn(
              "{count} lesson of an account that is signed out",
              "{count} lessons of an account that is signed out",
              signedOut.lessons,
            )
      }
      text={t("They take up {size} and are encrypted. Only that account can open them.", size)}
    >
      <div className="row">
        {isOnline && !isSignedIn && (
          <a className="btn btn--primary" href="/auth/login?next=/offline">
            {t("Sign in")}
          </a>
        )}
        <button className="btn" type="button" onClick={() => void remove()}>
          {t("Remove them")}
        </button>
      </div>
      {!isOnline && <p className="small muted">{t("Signing in needs a connection.")}</p>}
    </EmptyPanel>
  );
}

/** The browser has no place to store lessons. */
export function CannotStore({ refusal }: { refusal: Refusal }) {
  return <EmptyPanel title={refusal.title} text={refusal.message} />;
}
