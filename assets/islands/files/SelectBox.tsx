import { t } from "../../shared/i18n";
import type { Entry } from "./entries";
import type { ListProps } from "./types";

type Props = Pick<ListProps, "selection" | "active" | "onToggle"> & { entry: Entry };

/** The checkbox that selects an entry; with Shift, all from the last one to it. */
export function SelectBox({ entry, selection, active, onToggle }: Props) {
  return (
    <label className="check">
      <input
        type="checkbox"
        checked={selection.uids.has(entry.uid)}
        tabIndex={active === entry.uid ? 0 : -1}
        // The event of a change does not say which keys are held.
        onClick={(event) => onToggle(entry, event)}
        onChange={() => undefined}
      />
      <span className="vh">{t("Select {name}", { name: entry.name })}</span>
    </label>
  );
}
