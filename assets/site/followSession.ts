/** Keeps the page in step with the session of the browser: signing out in one tab signs out all tabs. */
import { csrfCookie } from "../shared/api/csrf";
import type { Session } from "../shared/auth/session";
import { toast } from "../shared/toasts";
import { t } from "../shared/i18n";

/** Time for the sign-out of another tab to reach the server before this tab asks. */
const GRACE_MS = 1000;

export type Dependencies = {
  session: Session;
  /** The user whom the server rendered the page for: an id, "" for a visitor, null if the page does not say. */
  renderedFor: string | null;
  hasUnsentInput: () => boolean;
  reload: () => void;
};

/** Follow the session, and reload a page that was rendered for another user. */
export function followSession({
  session,
  renderedFor,
  hasUnsentInput,
  reload,
}: Dependencies): void {
  let isLeaving = false;
  let hasOffered = false;

  const reloadOrOffer = (sentence: string, label: string): void => {
    if (!hasUnsentInput()) {
      reload();
      return;
    }
    // Do not lose what was typed: offer the reload instead.
    if (hasOffered) return;
    hasOffered = true;
    toast(sentence, { icon: "info", stays: true, action: { label, onPress: reload } });
  };
  const signedOutElsewhere = async (): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, GRACE_MS));
    const isBack = session.isAuthenticated || (await session.renew().catch(() => true));
    if (!isBack && !isLeaving) reloadOrOffer(t("You were signed out."), t("Sign in again"));
  };
  const compare = (): void => {
    if (isLeaving || renderedFor === null || session.state.isLoading) return;
    const { user } = session.state;
    if (renderedFor !== "" && !user) void signedOutElsewhere();
    else if (user && renderedFor === "")
      reloadOrOffer(t("You're now signed in."), t("Reload page"));
    else if (user && (user.id ?? renderedFor) !== renderedFor)
      reloadOrOffer(t("You signed in to a different account in another tab."), t("Reload page"));
  };

  // After signing in again in another tab, the same user may send the form of this page. Other users may not.
  const isSameUser = (): boolean => {
    const { user } = session.state;
    return renderedFor === "" || (user !== null && (user.id ?? renderedFor) === renderedFor);
  };

  document.addEventListener("submit", ({ target }) => {
    if (!(target instanceof HTMLFormElement)) return;
    const token = target.querySelector<HTMLInputElement>("input[name=csrfmiddlewaretoken]");
    const current = csrfCookie();
    if (token && current && isSameUser()) token.value = current;
    if (!("signOut" in target.dataset)) return;
    isLeaving = true;
    session.clear();
  });
  void session.start().then(() => session.subscribe(compare));
  addEventListener("pageshow", ({ persisted }) => {
    // Shown from the back/forward cache: the storage may have changed without an event.
    if (persisted) session.refresh();
  });
}
