import type { ChangeEvent } from "react";

import type { IconName } from "../iconNames";
import { Icon } from "../ui/Icon";

type Props = {
  label: string;
  about: string;
  icon: IconName;
  accept?: string;
  isFirst?: boolean;
  onFile: (file: File) => void;
};

/** A button that opens the file chooser. */
export function FileButton({ label, about, icon, accept, isFirst = false, onFile }: Props) {
  const chosen = (event: ChangeEvent<HTMLInputElement>): void => {
    const file = event.target.files?.[0];
    event.target.value = ""; // the same file may be chosen again
    if (file) onFile(file);
  };
  return (
    <label className={`btn btn--sm${isFirst ? " btn--primary" : ""} uploader__file`}>
      <Icon name={icon} />
      {label}
      <input type="file" accept={accept} aria-label={about} onChange={chosen} />
    </label>
  );
}
