/** Destructive forms ask first: `data-confirm` on the form or on its button. */
import { drawIcon } from "../shared/icons";
import { t } from "../shared/i18n";

function button(className: string, label: string): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  made.className = `btn ${className}`;
  made.textContent = label;
  return made;
}

export type Question = { title: string; text?: string; confirm?: string; keep?: string };

/** Ask in a dialog that starts on the safe answer; Escape and a press beside it mean no. */
export function ask({ title, text, confirm, keep }: Question): Promise<boolean> {
  const dialog = document.createElement("dialog");
  dialog.className = "dialog";
  dialog.setAttribute("aria-labelledby", "confirm-title");

  const head = document.createElement("div");
  head.className = "dialog__head";
  const heading = document.createElement("h2");
  heading.className = "h4";
  heading.id = "confirm-title";
  heading.textContent = title;
  const cross = document.createElement("button");
  cross.type = "button";
  cross.className = "icon-btn icon-btn--sm";
  cross.setAttribute("aria-label", t("Close"));
  cross.append(drawIcon("x"));
  head.append(heading, cross);

  const body = document.createElement("div");
  body.className = "dialog__body";
  const sentence = document.createElement("p");
  sentence.textContent = text ?? "";
  if (text) body.append(sentence);

  const acts = document.createElement("div");
  acts.className = "dialog__acts";
  const no = button("btn--quiet", keep ?? t("Cancel"));
  const yes = button("btn--danger-fill", confirm ?? t("Continue"));
  acts.append(no, yes);

  dialog.append(head, body, acts);
  document.body.append(dialog);
  dialog.showModal();
  no.focus();

  return new Promise((resolve) => {
    let answer = false;
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(answer);
    });
    yes.addEventListener("click", () => {
      answer = true;
      dialog.close();
    });
    no.addEventListener("click", () => dialog.close());
    cross.addEventListener("click", () => dialog.close());
    dialog.addEventListener("pointerdown", ({ target }) => {
      if (target === dialog) dialog.close();
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

export function startConfirming(): void {
  const agreed = new WeakSet<HTMLFormElement>();
  document.addEventListener(
    "submit",
    (event) => {
      const form = event.target;
      if (!(form instanceof HTMLFormElement)) return;
      if (agreed.delete(form)) return;
      const { submitter } = event;
      const question = questionOf(submitter) ?? questionOf(form);
      if (!question) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      void ask(question).then((yes) => {
        if (!yes) return;
        agreed.add(form);
        form.requestSubmit(submitter);
      });
    },
    { capture: true },
  );
}
