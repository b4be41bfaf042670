/** On the page of a quiz: an attempt that was begun on this device without a connection, and is still open. */
import { t } from "../../shared/i18n";
import { readNow } from "../clock";
import { sendChanges } from "../outbox";
import type { Account } from "../types";
import { catchUp } from "./attempts";
import { makeStore } from "./browserStore";
import { make, makeButton, makeNotice } from "./elements";
import { readQuizOfPage } from "./quizOfPage";
import { submitAttempt } from "./settle";

/** Offer to continue it, or to submit it as it is. The server opens no attempt of the same paper here. */
export async function offerAttempt(account: Account): Promise<void> {
  const quiz = readQuizOfPage();
  if (!quiz) return;
  const { lesson } = quiz;
  const now = await readNow();
  const store = makeStore(account, () => now);
  const { attempt } = await store.readLocal(lesson);
  if (attempt?.submittedAt !== null) return;
  const title = document.querySelector("h1")?.textContent.trim() ?? "";
  const submit = async (): Promise<void> => {
    const time = await readNow();
    await submitAttempt(store, lesson, title, (open) => catchUp(open, time));
    await sendChanges(account);
    location.reload();
  };
  const proceed = make(
    "a",
    { class: "btn btn--sm btn--primary", href: `/offline?lesson=${lesson}` },
    t("Continue the attempt"),
  );
  const notice = makeNotice(
    "info",
    "hourglass",
    t("You started an attempt offline on this device"),
    t("Your answers are saved here. The attempt counts once you submit it."),
    proceed,
    makeButton(t("Submit it now"), "btn--sm", () => void submit()),
  );
  notice.classList.add("mt-5");
  quiz.island.before(notice);
}
