/** What is done with the server while there is a connection: changes are sent, and lessons renewed. */
import { authenticatedApi, unwrap } from "../shared/api/client";
import { checkIn } from "./checkIn";
import { listLessons, removeLessons } from "./library";
import { nextSendingIn, sendChanges } from "./outbox";
import { isAnythingPlaying } from "./playing";
import { saySending } from "./saySending";
import { readPreferences } from "./storage";
import type { LocalLesson } from "./shell/localLesson";
import type { Account, OfflineLesson } from "./types";
import { readUnsettled, removeUnsettled } from "./unsettled";
import { listLocal, writeValue } from "./values";

let sending: ReturnType<typeof setTimeout> | undefined;

/** Make changes of what pages without a connection have left. */
async function settle(account: Account): Promise<void> {
  await removeUnsettled(account.user);
  await (await import("./shell/settleAccount")).settleAccount(account);
}

/** Send what waits, and say what came of it. What the server wants later is sent then. */
export async function sendAll(account: Account): Promise<void> {
  clearTimeout(sending);
  if (await readUnsettled(account.user)) await settle(account).catch(() => undefined);
  const sayOutcome = await saySending(account);
  await sayOutcome(await sendChanges(account));
  const wait = await nextSendingIn(account);
  // What fails then waits for the next page, or for the connection.
  if (wait !== null) sending = setTimeout(() => void sendAll(account).catch(() => undefined), wait);
}

/** Renew what is stored, and what goes with it. */
export async function renewAll(account: Account): Promise<void> {
  if (!(await checkIn(account))) return;
  // An attempt may have run out of time meanwhile.
  await settle(account).catch(() => undefined);
  await storePractice(account).catch(() => undefined);
  await removeFinished(account);
}

/** Keep the cards that are due, with their solutions. */
async function storePractice(account: Account): Promise<void> {
  const practice = await unwrap(authenticatedApi.GET("/api/v1/offline/practice/"));
  await writeValue(account, "practice", practice);
}

/** Remove lessons that are completed, if the learner wants that; not what is in use here or in another tab. */
async function removeFinished(account: Account): Promise<void> {
  if (!(await readPreferences()).removesFinished) return;
  const here = new URLSearchParams(location.search).get("lesson");
  const isHere = ({ uid, url }: OfflineLesson): boolean =>
    uid === here || new URL(url, location.origin).pathname === location.pathname;
  const locals = await listLocal<Partial<LocalLesson>>(account);
  const hasOpenAttempt = (uid: string): boolean => locals.get(uid)?.attempt?.submittedAt === null;
  const finished = (await listLessons(account)).filter(
    (one) =>
      one.state === "downloaded" && one.isCompleted && !isHere(one) && !hasOpenAttempt(one.uid),
  );
  // Another tab may play one of them: it is removed later.
  if (finished.length === 0 || (await isAnythingPlaying())) return;
  await removeLessons(
    account,
    finished.map(({ uid }) => uid),
  );
}
