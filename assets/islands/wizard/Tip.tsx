import { useEffect, useId, useRef, useState } from "react";

import { t } from "../../shared/i18n";
import { Icon } from "../../shared/ui/Icon";

/** A tooltip as the pages have it: shown by hovering, focus or a tap, closed by Escape. */
export function Tip({ text, label = "" }: { text: string; label?: string }) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const box = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    if (!isOpen) return undefined;
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === "Escape") setOpen(false);
    };
    const onPress = (event: PointerEvent): void => {
      if (!box.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener("keydown", onKey);
    document.addEventListener("pointerdown", onPress);
    return () => {
      document.removeEventListener("keydown", onKey);
      document.removeEventListener("pointerdown", onPress);
    };
  }, [isOpen]);
  return (
    // The button does the same; hovering is a convenience.
    // eslint-disable-next-line jsx-a11y/no-static-element-interactions
    <span
      ref={box}
      className="tipbox"
      data-open={isOpen ? "" : undefined}
      onMouseEnter={() => setOpen(true)}
      onMouseLeave={() => setOpen(false)}
    >
      <button
        className="tip"
        type="button"
        aria-label={label || t("Help")}
        aria-describedby={id}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onClick={() => setOpen(true)}
      >
        <Icon name="circle-question-mark" />
      </button>
      <span className="tip__text" id={id} role="tooltip">
        {text}
      </span>
    </span>
  );
}
