/** Modal dialogs on pages without React. Islands use ui/Dialog.tsx, which looks and behaves the same. */
import { t } from "./i18n";
import { drawIcon } from "./icons";

export type DialogOptions = {
  title: string;
  body: readonly Node[];
  /** Buttons at the foot, the safe one first. */
  actions?: readonly HTMLButtonElement[];
  className?: string;
  /** Gets the focus; without it the browser chooses. */
  focus?: HTMLElement;
  /** Whether a press outside closes it, as Escape always does. */
  closesOutside?: boolean;
  /** Called once, after the dialog was removed and the focus returned. */
  onClose?: () => void;
};

let count = 0;

/** Create an element with a class and children. */
export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  className = "",
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const created = document.createElement(name);
  if (className) created.className = className;
  created.append(...children);
  return created;
}

/** A button that does not submit. */
export function createButton(
  className: string,
  ...children: readonly (Node | string)[]
): HTMLButtonElement {
  const button = element("button", className, ...children);
  button.type = "button";
  return button;
}

/** Close the dialog when the press is on its backdrop. */
export function closeOnOutsidePress(dialog: HTMLDialogElement): void {
  dialog.addEventListener("pointerdown", ({ target }) => {
    if (target === dialog) dialog.close();
  });
}

/** Open a modal dialog with a title and a close button. It is removed when it closes, and the focus returns. */
export function openDialog(options: DialogOptions): HTMLDialogElement {
  const { title, body, actions = [], className = "", focus, closesOutside = true } = options;
  const before = document.activeElement;
  const heading = element("h2", "h4", title);
  heading.id = `dialog-${(count += 1)}`;
  const cross = createButton("icon-btn icon-btn--sm", drawIcon("x"));
  cross.setAttribute("aria-label", t("Close"));
  const dialog = element(
    "dialog",
    `dialog ${className}`.trim(),
    element("div", "dialog__head", heading, cross),
    element("div", "dialog__body", ...body),
  );
  if (actions.length > 0) dialog.append(element("div", "dialog__acts", ...actions));
  dialog.setAttribute("aria-labelledby", heading.id);
  cross.addEventListener("click", () => dialog.close());
  if (closesOutside) closeOnOutsidePress(dialog);
  dialog.addEventListener("close", () => {
    dialog.remove();
    if (before instanceof HTMLElement) before.focus();
    options.onClose?.();
  });
  document.body.append(dialog);
  dialog.showModal();
  focus?.focus();
  return dialog;
}
