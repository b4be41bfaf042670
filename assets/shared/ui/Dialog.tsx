import { type ReactNode, useEffect, useId, useRef } from "react";

import { t } from "../i18n";
import { Icon } from "./Icon";

type Props = {
  title: string;
  children: ReactNode;
  /** Buttons at the foot, the safe one first. */
  actions?: ReactNode;
  onClose: () => void;
  /** Only a button closes it, so that input is not lost by accident. */
  hasUnsavedChanges?: boolean;
  className?: string;
};

/** A modal dialog that is open while it is rendered. The focus returns when it closes. */
export function Dialog({
  title,
  children,
  actions,
  onClose,
  hasUnsavedChanges = false,
  className = "",
}: Props) {
  const element = useRef<HTMLDialogElement>(null);
  const heading = useId();

  useEffect(() => {
    const dialog = element.current;
    const before = document.activeElement;
    if (dialog && !dialog.open) dialog.showModal();
    const wanted = dialog?.querySelector<HTMLElement>("[data-autofocus]");
    wanted?.focus();
    return () => {
      dialog?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);

  return (
    <dialog
      ref={element}
      className={`dialog ${className}`.trim()}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        if (!hasUnsavedChanges) onClose();
      }}
      onPointerDown={({ target, currentTarget }) => {
        if (target === currentTarget && !hasUnsavedChanges) onClose();
      }}
    >
      <div className="dialog__head">
        <h2 className="h4" id={heading}>
          {title}
        </h2>
        <button
          className="icon-btn icon-btn--sm"
          type="button"
          aria-label={t("Close")}
          onClick={onClose}
        >
          <Icon name="x" />
        </button>
      </div>
      <div className="dialog__body">{children}</div>
      {actions !== undefined && <div className="dialog__acts">{actions}</div>}
    </dialog>
  );
}
