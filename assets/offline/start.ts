/**
 * What every page does in a browser that stores something offline: lock the account if its learner is signed out, else
 * send what was done without a connection, renew what is stored, and continue downloads. site.ts imports it only then,
 * and it imports only what has something to do.
 */
import { session } from "../shared/auth/browser";
import { whenIdle } from "../shared/whenIdle";
import { lockAccount, lockAccounts, readAccount, readAccountRecord, readPageUser } from "./account";
import { needsCheckIn, needsDownloads, needsSending } from "./dueWork";
import { takeReport } from "./keptReport";
import { DASHBOARD } from "./names";
import { answerAboutPlaying } from "./playing";
import type { Account } from "./types";

/** Who is signed in as far as this browser knows, once it does; null for nobody. */
async function readSessionUser(): Promise<string | null> {
  if (session.state.isLoading)
    await new Promise<void>((resolve) => {
      const stop = session.subscribe(() => {
        if (session.state.isLoading) return;
        stop();
        resolve();
      });
    });
  return session.state.user?.id ?? null;
}

/** The account of the user whom the server rendered this page for; all others are locked. */
async function openPageAccount(): Promise<Account | null> {
  const user = readPageUser();
  // The shell names nobody, nor do pages of errors: the one who is signed in stays so. Nor is it a witness of who that is.
  if (user === null || session.isAssumed) return readAccount();
  const signedIn = await readSessionUser();
  // Somebody has signed in or out in another tab since this page was rendered: it is no witness of that.
  if ((signedIn ?? "") !== user) return null;
  await lockAccounts({ except: user });
  if (user === "" || !(await readAccountRecord(user))) return null;
  return (await readAccount()) ?? (await import("./devices")).openAccount(user);
}

async function doDue(account: Account): Promise<void> {
  const { user } = account;
  if (await needsSending(user)) await (await import("./contactServer")).sendAll(account);
  if (await needsCheckIn(user)) await (await import("./contactServer")).renewAll(account);
  if (await needsDownloads(user)) void (await import("./runDownloads")).runDownloads();
  if (document.querySelector("[data-island=quiz]"))
    await (await import("./shell/offerAttempt")).offerAttempt(account);
  if (location.pathname === DASHBOARD)
    await (await import("./storeDashboard")).storeDashboard(account);
}

/** Send, renew and continue. Nothing of it throws: the next page does it again. */
export async function keepInTouch(): Promise<void> {
  const account = await openPageAccount().catch(() => null);
  if (account && navigator.onLine) await doDue(account).catch(() => undefined);
}

/** Lock the account when this tab or another one signs out. */
function followSignOut(): void {
  let wasSignedIn = session.state.user !== null;
  session.subscribe(() => {
    const isSignedIn = session.state.user !== null;
    const user = readPageUser();
    if (wasSignedIn && !isSignedIn && user) void lockAccount(user).catch(() => undefined);
    wasSignedIn = isSignedIn;
  });
}

/** Called once by each page. */
export function startOffline(): void {
  followSignOut();
  answerAboutPlaying();
  addEventListener("pageshow", ({ persisted }) => {
    // Shown from the back/forward cache: somebody else may be signed in now.
    if (persisted) void keepInTouch();
  });
  addEventListener("online", () => void keepInTouch());
  const kept = takeReport();
  if (kept) void import("./report").then(({ showSyncReport }) => showSyncReport(kept));
  whenIdle(() => {
    void keepInTouch();
    void import("./workerUpdate").then(
      ({ offerWorkerUpdate }) => offerWorkerUpdate(),
      () => undefined,
    );
  });
}
