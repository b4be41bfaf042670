/** Keeps theme and style in sync with the account: applies changes made on another device, and saves those made here. */
import { csrfHeaders } from "../shared/api/csrf";
import type { Session, SessionUser } from "../shared/auth/session";
import { t } from "../shared/i18n";
import { toast } from "../shared/toasts";
import {
  chooseAppearance,
  chosenAppearance,
  resetAppearance,
  APPEARANCE_CHOSEN,
} from "../shared/appearance";

/** The appearance of the account as this browser last received it. */
const SEEN_KEY = "study.look.account";

type Chosen = ReturnType<typeof chosenAppearance>;
type Save = (appearance: Chosen) => Promise<void>;

async function saveOnServer(appearance: Chosen): Promise<void> {
  const response = await fetch("/api/v1/me/look/", {
    method: "PUT",
    credentials: "same-origin",
    headers: { ...csrfHeaders(), "Content-Type": "application/json" },
    body: JSON.stringify(appearance),
    keepalive: true,
  });
  if (!response.ok) throw new Error(`The appearance was not saved (${response.status})`);
}

function serialize({ id, theme, style }: SessionUser): string {
  return [id, theme, style].join(" ");
}

function writeSeen(value: string): void {
  try {
    localStorage.setItem(SEEN_KEY, value);
  } catch {
    // Storage is blocked: nothing is stored here, so nothing can differ.
  }
}

function readSeen(): string | null {
  try {
    return localStorage.getItem(SEEN_KEY);
  } catch {
    return null;
  }
}

function applyFrom(user: SessionUser): void {
  const [before, now] = [readSeen(), serialize(user)];
  if (before === now) return;
  writeSeen(now);
  const { theme, style } = user;
  if (theme === "light" || theme === "dark") chooseAppearance({ theme });
  // Reset to the theme of the device elsewhere. An account without a choice leaves the choice of this browser.
  else if (before?.startsWith(`${user.id} `)) resetAppearance("theme");
  if (style === "academic" || style === "corporate") chooseAppearance({ style });
}

/** Apply the appearance of the signed-in account, and save each choice made on this page to it. */
export function startAccountAppearance(session: Session, save: Save = saveOnServer): void {
  const follow = (): void => {
    if (session.state.user) applyFrom(session.state.user);
  };
  session.subscribe(follow);
  follow();
  addEventListener(APPEARANCE_CHOSEN, () => {
    const { user, token } = session.state;
    if (!user) return;
    const appearance = chosenAppearance();
    save(appearance).then(
      () => {
        const changed = { ...user, ...appearance };
        writeSeen(serialize(changed));
        if (session.state.token === token) session.login(changed, token);
      },
      () =>
        toast(t("This look applies in this browser only. It couldn't be saved to your account."), {
          icon: "circle-alert",
        }),
    );
  });
}
