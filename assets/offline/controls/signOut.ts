/** Asks what happens to what this browser stores when its learner signs out. */
import { announce } from "../../shared/announce";
import { createButton, element, openDialog } from "../../shared/dialog";
import { t, tn } from "../../shared/i18n";
import type { Account } from "../types";
import { openStore } from "./browserStore";
import type { Store } from "./store";
import { countLessons, roughSize } from "./words";

export type Answer = "keep" | "remove" | "stay";

type Stored = { lessons: number; size: number; unsent: number; attempts: number };

async function readStored(store: Store, account: Account): Promise<Stored> {
  const [lessons, changes, left] = await Promise.all([
    store.listLessons(account),
    store.listChanges(account),
    store.countLeft(account),
  ]);
  return {
    lessons: lessons.filter(({ state }) => state !== "ended").length,
    size: lessons.reduce((sum, { received }) => sum + received, 0),
    unsent: changes.filter(({ refusal }) => refusal === null).length + left.changes,
    attempts: left.attempts,
  };
}

/** Ask in a dialog whose focus is on the answer that loses nothing. Closing it means to stay signed in. */
export function askWhatToKeep({ lessons, size, unsent, attempts }: Stored): Promise<Answer> {
  const keep = createButton("btn btn--primary", t("Keep and sign out"));
  const remove = createButton("btn btn--danger", t("Remove and sign out"));
  const stay = createButton("btn btn--quiet", t("Cancel"));
  const body: HTMLElement[] = [];
  if (lessons > 0)
    body.push(
      element(
        "p",
        "",
        t(
          "{lessons}, {size}. Lessons you keep are encrypted: no one can open them until you sign in here again. On a shared device, remove them.",
          { lessons: countLessons(lessons), size: roughSize(size) },
        ),
      ),
    );
  if (unsent > 0)
    body.push(
      element(
        "p",
        "strong mt-3",
        tn(
          "{count} change hasn't been sent yet. If you keep it, it will be sent when you sign in here again. If you remove it, it's lost.",
          "{count} changes haven't been sent yet. If you keep them, they will be sent when you sign in here again. If you remove them, they're lost.",
          unsent,
        ),
      ),
    );
  if (attempts > 0)
    body.push(
      element(
        "p",
        "strong mt-3",
        tn(
          "{count} quiz attempt is still open here. If you keep it, you can continue it when you sign in here again. If you remove it, its answers are lost.",
          "{count} quiz attempts are still open here. If you keep them, you can continue them when you sign in here again. If you remove them, their answers are lost.",
          attempts,
        ),
      ),
    );
  return new Promise((resolve) => {
    let answer: Answer = "stay";
    const dialog = openDialog({
      title: lessons > 0 ? t("Keep your lessons on this device?") : t("Keep your unsent changes?"),
      body,
      actions: [stay, remove, keep],
      className: "signing-out",
      focus: keep,
      onClose: () => resolve(answer),
    });
    const choose = (chosen: Answer): void => {
      answer = chosen;
      dialog.close();
    };
    keep.addEventListener("click", () => choose("keep"));
    remove.addEventListener("click", () => choose("remove"));
    stay.addEventListener("click", () => choose("stay"));
  });
}

/** Send what can be sent, also of what pages have left, then ask where something is left. Resolves with whether to sign out. */
export async function prepareSignOut(store: Store): Promise<boolean> {
  const account = await store.readAccount();
  if (!account) return true;
  await store.settleChanges(account).catch(() => undefined); // what is left is asked about
  let stored = await readStored(store, account);
  if (stored.unsent > 0 && navigator.onLine) {
    announce(t("Sending your offline changes"));
    await store.sendChanges(account).catch(() => undefined); // what is left is asked about
    stored = await readStored(store, account);
  }
  const { lessons, unsent, attempts } = stored;
  const answer = lessons + unsent + attempts > 0 ? await askWhatToKeep(stored) : "remove";
  if (answer === "stay") return false;
  if (answer === "keep") await store.lockAccount();
  else await store.removeDevice(account.user);
  return true;
}

/** Before a form of the page signs out. */
export function askBeforeSignOut(): Promise<boolean> {
  return prepareSignOut(openStore());
}
