/** The look follows the account: adopted when it was changed on another device, kept there when changed here. */
import { csrfHeaders } from "../shared/api/csrf";
import type { Session, SessionUser } from "../shared/auth/session";
import { t } from "../shared/i18n";
import { toast } from "../shared/toasts";
import { chooseLook, chosenLook, forgetLook, LOOK_CHOSEN } from "./look";

/** The account's look as this browser last heard of it. */
const SEEN_KEY = "study.look.account";

type Chosen = ReturnType<typeof chosenLook>;
type Save = (look: Chosen) => Promise<void>;

async function saveOnServer(look: Chosen): Promise<void> {
  const answer = await fetch("/api/v1/me/look/", {
    method: "PUT",
    credentials: "same-origin",
    headers: { ...csrfHeaders(), "Content-Type": "application/json" },
    body: JSON.stringify(look),
    keepalive: true,
  });
  if (!answer.ok) throw new Error(`The look was not kept (${answer.status})`);
}

function nameOf({ id, theme, style }: SessionUser): string {
  return [id, theme, style].join(" ");
}

function keepSeen(name: string): void {
  try {
    localStorage.setItem(SEEN_KEY, name);
  } catch {
    // Storage is blocked: nothing is kept here, so nothing can differ.
  }
}

function seen(): string | null {
  try {
    return localStorage.getItem(SEEN_KEY);
  } catch {
    return null;
  }
}

function adopt(user: SessionUser): void {
  const [before, now] = [seen(), nameOf(user)];
  if (before === now) return;
  keepSeen(now);
  const { theme, style } = user;
  if (theme === "light" || theme === "dark") chooseLook({ theme });
  // Set back to "as this device" elsewhere; an account that never chose leaves this browser's choice alone.
  else if (before?.startsWith(`${user.id} `)) forgetLook("theme");
  if (style === "academic" || style === "corporate") chooseLook({ style });
}

export function startAccountLook(session: Session, save: Save = saveOnServer): void {
  const follow = (): void => {
    if (session.state.user) adopt(session.state.user);
  };
  session.subscribe(follow);
  follow();
  addEventListener(LOOK_CHOSEN, () => {
    const { user, token } = session.state;
    if (!user) return;
    const look = chosenLook();
    save(look).then(
      () => {
        const changed = { ...user, ...look };
        keepSeen(nameOf(changed));
        if (session.state.token === token) session.login(changed, token);
      },
      () =>
        toast(t("This look applies in this browser only. It couldn't be saved to your account."), {
          icon: "circle-alert",
        }),
    );
  });
}
