/** On the page of a quiz: an attempt that was begun on this device without a connection, and is still open. */
import { t } from "../../shared/i18n";
import { readNow } from "../clock";
import { sendChanges } from "../outbox";
import type { Account } from "../types";
import { catchUp } from "./attempts";
import { makeStore } from "./browserStore";
import { make, makeButton, makeNotice } from "./elements";
import { submitAttempt } from "./settle";

/** Offer to continue it, or to submit it as it is. The server opens no attempt of the same paper here. */
export async function offerAttempt(account: Account, quiz: HTMLElement): Promise<void> {
  // The shell shows the attempt itself.
  if (document.documentElement.dataset.offline !== undefined) return;
  const script = quiz.nextElementSibling;
  const { lesson_uid: lesson } = JSON.parse(script?.textContent ?? "{}") as { lesson_uid?: string };
  if (!lesson) return;
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
    t("Continue it"),
  );
  const notice = makeNotice(
    "info",
    "hourglass",
    t("You began an attempt on this device without a connection"),
    t("Your answers are kept here. It counts as one of your attempts once it's submitted."),
    proceed,
    makeButton(t("Submit it as it is"), "btn--sm", () => void submit()),
  );
  notice.classList.add("mt-5");
  quiz.before(notice);
}
