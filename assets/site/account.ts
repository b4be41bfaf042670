/** Keeps the page and the browser's session in step: what ends in one tab ends in all. */
import { csrfCookie } from "../shared/api/csrf";
import type { Session } from "../shared/auth/session";
import { toast } from "../shared/toasts";
import { t } from "../shared/i18n";

/** Time for another tab's sign-out to reach the server before we ask it. */
const GRACE_MS = 1000;

export type AccountPorts = {
  session: Session;
  /** Whom the server rendered the page for: an id, "" for a visitor, null if it is silent. */
  renderedFor: string | null;
  hasUnsentInput: () => boolean;
  reload: () => void;
};

/** Follow the session; a page that shows somebody who is not there any more is asked for anew. */
export function startAccount({ session, renderedFor, hasUnsentInput, reload }: AccountPorts): void {
  let isLeaving = false;
  let hasOffered = false;

  const renew = (sentence: string, label: string): void => {
    if (!hasUnsentInput()) {
      reload();
      return;
    }
    // What was typed is worth more than a fresh page.
    if (hasOffered) return;
    hasOffered = true;
    toast(sentence, { icon: "info", stays: true, action: { label, onPress: reload } });
  };
  const signedOutElsewhere = async (): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, GRACE_MS));
    const isBack = session.isAuthenticated || (await session.renew().catch(() => true));
    if (!isBack && !isLeaving) renew(t("You were signed out."), t("Sign in again"));
  };
  const compare = (): void => {
    if (isLeaving || renderedFor === null || session.state.isLoading) return;
    const { user } = session.state;
    if (renderedFor !== "" && !user) void signedOutElsewhere();
    else if (user && renderedFor === "") renew(t("You're now signed in."), t("Reload page"));
    else if (user && (user.id ?? renderedFor) !== renderedFor)
      renew(t("You signed in to a different account in another tab."), t("Reload page"));
  };

  // Signed in anew in another tab, the same person sends what they have typed here. Nobody else does.
  const isStillTheirs = (): boolean => {
    const { user } = session.state;
    return renderedFor === "" || (user !== null && (user.id ?? renderedFor) === renderedFor);
  };

  document.addEventListener("submit", ({ target }) => {
    if (!(target instanceof HTMLFormElement)) return;
    const token = target.querySelector<HTMLInputElement>("input[name=csrfmiddlewaretoken]");
    const present = csrfCookie();
    if (token && present && isStillTheirs()) token.value = present;
    if (!("signOut" in target.dataset)) return;
    isLeaving = true;
    session.clear();
  });
  void session.start().then(() => session.subscribe(compare));
  addEventListener("pageshow", ({ persisted }) => {
    // From the browser's memory: the storage may have changed without an event.
    if (persisted) session.refresh();
  });
}
