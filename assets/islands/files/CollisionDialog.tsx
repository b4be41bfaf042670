import { t, tn } from "../../shared/i18n";
import { Button } from "../../shared/ui/Button";
import { Dialog } from "../../shared/ui/Dialog";

export type Conflict = "rename" | "replace";

type Props = {
  /** Names that the folder contains already. */
  names: readonly string[];
  folder: string;
  onChoose: (conflict: Conflict) => void;
  onClose: () => void;
};

const MOST_NAMES = 5;

/** Asks what happens with new files whose names are taken. */
export function CollisionDialog({ names, folder, onChoose, onClose }: Props) {
  const more = names.length - MOST_NAMES;
  return (
    <Dialog
      title={tn("{count} name is taken", "{count} names are taken", names.length)}
      onClose={onClose}
      actions={
        <>
          <Button look="quiet" onClick={onClose}>
            {t("Skip")}
          </Button>
          <Button data-autofocus="" onClick={() => onChoose("rename")}>
            {t("Keep both")}
          </Button>
          <Button look="primary" onClick={() => onChoose("replace")}>
            {t("Replace")}
          </Button>
        </>
      }
    >
      <p>{t("“{folder}” already contains:", { folder })}</p>
      <ul className="names mt-2">
        {names.slice(0, MOST_NAMES).map((name) => (
          <li key={name}>{name}</li>
        ))}
        {more > 0 && <li>{tn("and {count} more", "and {count} more", more)}</li>}
      </ul>
      <p className="mt-3 small">
        {t(
          "“Replace” adds a new version and keeps the earlier one. “Keep both” adds a number to the new name.",
        )}
      </p>
    </Dialog>
  );
}
