/** On the page of a quiz, which shows what the server knew: an attempt of this device that the server didn't have yet. */
import { t } from "../../shared/i18n";
import { keepReport } from "../keptReport";
import { listChanges } from "../outbox";
import type { Account, SyncReport, WaitingChange } from "../types";
import { isBusy } from "./busy";
import { makeButton, makeNotice } from "./elements";
import { readQuizOfPage } from "./quizOfPage";

let notice: HTMLElement | null = null;

/** The attempt at this quiz that the server doesn't have; undefined if there is none, or it was refused. */
async function findUnsent(account: Account, lesson: string): Promise<WaitingChange | undefined> {
  return (await listChanges(account)).find(
    ({ change, refusal }) =>
      change.kind === "attempt" && change.lesson === lesson && refusal === null,
  );
}

function say(island: HTMLElement, words: string, ...acts: Node[]): void {
  const title = t("Your attempt is kept on this device");
  const fresh = makeNotice("info", "hourglass", title, words, ...acts);
  fresh.classList.add("mt-5");
  if (notice) notice.replaceWith(fresh);
  else island.before(fresh);
  notice = fresh;
}

/** Before changes are sent: say that the attempt isn't on this page yet. */
export async function sayUnsentAttempt(account: Account): Promise<void> {
  const quiz = readQuizOfPage();
  if (quiz && (await findUnsent(account, quiz.lesson)))
    say(quiz.island, t("It's being sent, and isn't on this page yet."));
}

/** After they were: load the page with the attempt; or say why it isn't there yet. */
export async function followUnsentAttempt(
  account: Account,
  report: SyncReport,
  reload = (): void => location.reload(),
): Promise<"reloads" | "stays"> {
  const quiz = readQuizOfPage();
  if (!quiz || !notice) return "stays";
  const unsent = await findUnsent(account, quiz.lesson);
  const wasRefused = report.refused.some(({ change }) => change.lesson === quiz.lesson);
  if (unsent) {
    const later = t("It's sent as soon as the server can take it.");
    say(quiz.island, unsent.delay?.message ?? later);
    return "stays";
  }
  if (wasRefused) {
    notice.remove(); // the message about it says why
    notice = null;
    return "stays";
  }
  if (isBusy()) {
    const button = makeButton(t("Reload page"), "btn--sm", reload);
    say(quiz.island, t("It has been sent, and isn't on this page yet."), button);
    return "stays";
  }
  keepReport(report);
  reload();
  return "reloads";
}
