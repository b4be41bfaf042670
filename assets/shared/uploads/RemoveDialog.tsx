import { t } from "../i18n";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";

type Props = {
  title: string;
  /** What will be deleted, and the consequences. */
  text: string;
  /** The label of the button that confirms. */
  yes: string;
  onYes: () => void;
  onClose: () => void;
};

/** Asks before a file is permanently deleted; the focus is on keeping it. */
export function RemoveDialog({ title, text, yes, onYes, onClose }: Props) {
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button look="quiet" data-autofocus onClick={onClose}>
            {t("Keep it")}
          </Button>
          <Button
            look="danger-fill"
            onClick={() => {
              onClose();
              onYes();
            }}
          >
            {yes}
          </Button>
        </>
      }
    >
      <p>{text}</p>
    </Dialog>
  );
}
