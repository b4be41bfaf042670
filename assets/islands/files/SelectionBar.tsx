import { bytes } from "../../shared/format";
import type { IconName } from "../../shared/iconNames";
import { t, tn } from "../../shared/i18n";
import { Icon } from "../../shared/ui/Icon";
import { type Entry, sizeOf } from "./entries";

export type BarAction = "download" | "move" | "copy" | "share" | "bin";

type Props = {
  entries: readonly Entry[];
  onAction: (action: BarAction) => void;
  onClear: () => void;
};

/** How much is selected, and what can be done with it. */
export function SelectionBar({ entries, onAction, onClear }: Props) {
  const size = sizeOf(entries);
  const actions: (readonly [BarAction, IconName, string])[] = [
    ["download", "download", t("Download")],
    ["move", "folder-input", t("Move")],
    ["copy", "copy", t("Copy")],
    // Each file and folder has its own page about who may open it.
    ...(entries.length === 1 ? [["share", "share-2", t("Share")] as const] : []),
    ["bin", "trash-2", t("Move to bin")],
  ];
  return (
    <div className="selbar selbar--live" role="group" aria-label={t("Selected items")}>
      <p className="selbar__count num">
        <b>{tn("{count} selected", "{count} selected", entries.length)}</b>{" "}
        {size !== null && <span className="selbar__size">{bytes(size)}</span>}
      </p>
      <div className="selbar__acts">
        {actions.map(([action, icon, label]) => (
          <button
            key={action}
            className="btn btn--sm"
            type="button"
            onClick={() => onAction(action)}
          >
            <Icon name={icon} />
            {label}
          </button>
        ))}
      </div>
      <button
        className="icon-btn icon-btn--sm"
        type="button"
        aria-label={t("Clear the selection")}
        onClick={onClear}
      >
        <Icon name="x" />
      </button>
    </div>
  );
}
