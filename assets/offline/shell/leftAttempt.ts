/** An attempt that is still open, of a lesson that can't be shown here now: it has expired, has ended or was removed. */
import { t, tn } from "../../shared/i18n";
import { countAnswered } from "../../shared/questions/state";
import { catchUp } from "./attempts";
import { makeButton, makeNotice } from "./elements";
import { submitAttempt } from "./settle";
import type { Store } from "./store";

/**
 * What the page of such a lesson says of the attempt, with a button that submits it as it is; null if none is open.
 * It needs no lesson for that, so nobody loses answers because the time of a lesson on this device is over.
 */
export async function makeLeftAttempt(
  store: Store,
  lesson: string,
  title: string,
): Promise<HTMLElement | null> {
  const { attempt } = await store.readLocal(lesson);
  if (attempt?.submittedAt !== null) return null;
  const { questions } = attempt.paper;
  const answered = countAnswered(questions, attempt.given.answers);
  const submit = async (): Promise<void> => {
    await submitAttempt(store, lesson, title, (open) => catchUp(open, store.now()));
    notice.replaceWith(
      makeNotice(
        "info",
        "check",
        t("Your attempt is submitted"),
        t("It's sent and marked when you're online."),
      ),
    );
  };
  const notice = makeNotice(
    "info",
    "hourglass",
    t("Your attempt here is still open"),
    tn(
      "You answered {answered} of {count} question.",
      "You answered {answered} of {count} questions.",
      questions.length,
      { answered },
    ),
    makeButton(t("Submit it as it is"), "btn--sm", () => void submit()),
  );
  notice.classList.add("mt-6");
  return notice;
}
