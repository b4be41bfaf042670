import { useEffect, useRef, useState } from "react";

import { Icon } from "../../shared/ui/Icon";
import type { Check } from "./api";
import { Checklist, type Go, missingOf, missingWords } from "./Checklist";

/** What is missing, from the foot of the page: on screens where the list is not beside the form. */
export function MissingMenu({ checks, onGo }: { checks: readonly Check[]; onGo: Go }) {
  const [isOpen, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!isOpen) return undefined;
    const onPress = (event: PointerEvent): void => {
      if (!box.current?.contains(event.target as Node)) setOpen(false);
    };
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== "Escape") return;
      setOpen(false);
      button.current?.focus();
    };
    document.addEventListener("pointerdown", onPress);
    document.addEventListener("keydown", onKey);
    return () => {
      document.removeEventListener("pointerdown", onPress);
      document.removeEventListener("keydown", onKey);
    };
  }, [isOpen]);
  const isReady = missingOf(checks).length === 0;
  return (
    <div ref={box} className="wizard__missing">
      <button
        ref={button}
        type="button"
        className="btn btn--quiet btn--sm"
        aria-expanded={isOpen}
        aria-controls="wizard-missing"
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name={isReady ? "circle-check" : "circle"} />
        {missingWords(checks)}
        <Icon name="chevron-up" className="wizard__chevron" />
      </button>
      <div id="wizard-missing" className="wizard__sheet" hidden={!isOpen}>
        {isOpen && (
          <Checklist
            checks={checks}
            id="wizard-missing-title"
            onGo={(step, field) => {
              setOpen(false);
              onGo(step, field);
            }}
          />
        )}
      </div>
    </div>
  );
}
