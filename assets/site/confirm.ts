/** Forms that ask for confirmation before they are sent: `data-confirm` on the form or its button. */
import { createButton, element, openDialog } from "../shared/dialog";
import type { Confirming, Question } from "../shared/confirming";
import { t } from "../shared/i18n";

/** Ask in a dialog whose focus is on the safe answer. Closing the dialog means no. */
export function ask({ title, text, confirm, keep }: Question): Promise<boolean> {
  const no = createButton("btn btn--quiet", keep ?? t("Cancel"));
  const yes = createButton("btn btn--danger-fill", confirm ?? t("Continue"));
  return new Promise((resolve) => {
    let isConfirmed = false;
    const dialog = openDialog({
      title,
      body: text ? [element("p", "", text)] : [],
      actions: [no, yes],
      focus: no,
      onClose: () => resolve(isConfirmed),
    });
    no.addEventListener("click", () => dialog.close());
    yes.addEventListener("click", () => {
      isConfirmed = true;
      dialog.close();
    });
  });
}

function questionOf(element: HTMLElement | null): Question | null {
  const { confirm, confirmText, confirmLabel, confirmKeep } = element?.dataset ?? {};
  if (confirm === undefined) return null;
  return {
    title: confirm,
    ...(confirmText && { text: confirmText }),
    ...(confirmLabel && { confirm: confirmLabel }),
    ...(confirmKeep && { keep: confirmKeep }),
  };
}

/** Ask before each form with a question is sent, and send it after a yes. */
export function startConfirming(): void {
  const confirmed = new WeakSet<HTMLFormElement>();
  // A script of the page asks: shared/confirming.ts.
  addEventListener("study:confirm", (event) => {
    const { question, answer } = (event as CustomEvent<Confirming>).detail;
    void ask(question).then(answer);
  });
  document.addEventListener(
    "submit",
    (event) => {
      const form = event.target;
      if (!(form instanceof HTMLFormElement)) return;
      if (confirmed.delete(form)) return;
      const { submitter } = event;
      const question = questionOf(submitter) ?? questionOf(form);
      if (!question) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      void ask(question).then((isYes) => {
        if (!isYes) return;
        confirmed.add(form);
        form.requestSubmit(submitter);
      });
    },
    { capture: true },
  );
}
