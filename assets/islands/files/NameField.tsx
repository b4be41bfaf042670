import { useEffect, useRef, useState } from "react";

import { t } from "../../shared/i18n";

type Props = {
  name: string;
  /** Only of files: the part before the extension is selected. */
  isFile: boolean;
  /** The new name, or null if it stays as it is. */
  onDone: (name: string | null) => void;
};

/** A name that is being edited where it stands: Enter and leaving the field save it, Escape does not. */
export function NameField({ name, isFile, onDone }: Props) {
  const [value, setValue] = useState(name);
  const field = useRef<HTMLInputElement>(null);
  const isEnded = useRef(false);
  useEffect(() => {
    isEnded.current = false;
    field.current?.focus();
    const dot = isFile ? name.lastIndexOf(".") : -1;
    field.current?.setSelectionRange(0, dot > 0 ? dot : name.length);
  }, [name, isFile]);

  const end = (isSaved: boolean): void => {
    if (isEnded.current) return;
    isEnded.current = true;
    const next = value.trim();
    onDone(isSaved && next !== "" && next !== name ? next : null);
  };
  return (
    <input
      ref={field}
      className="input files__rename"
      aria-label={t("New name of {name}", { name })}
      maxLength={120}
      autoComplete="off"
      spellCheck={false}
      value={value}
      onChange={(event) => setValue(event.target.value)}
      onBlur={() => end(true)}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === "Enter") end(true);
        else if (event.key === "Escape") end(false);
      }}
    />
  );
}
