import { type FormEvent, useState } from "react";

import { toApiError } from "../../shared/api/errors";
import { t } from "../../shared/i18n";
import { Button } from "../../shared/ui/Button";
import { Dialog } from "../../shared/ui/Dialog";

type Props = {
  /** Rejects with the reason of a refusal. */
  onCreate: (name: string) => Promise<unknown>;
  onClose: () => void;
};

export function NewFolderDialog({ onCreate, onClose }: Props) {
  const [name, setName] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState("");
  const create = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    setError("");
    try {
      await onCreate(name);
      onClose();
    } catch (thrown) {
      setError(toApiError(thrown).message);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={t("New folder")}
      onClose={onClose}
      actions={
        <>
          <Button look="quiet" onClick={onClose}>
            {t("Cancel")}
          </Button>
          <Button look="primary" type="submit" form="new-folder" isBusy={isBusy}>
            {t("Create folder")}
          </Button>
        </>
      }
    >
      <form id="new-folder" onSubmit={(event) => void create(event)}>
        <div className="field">
          <label className="field__label" htmlFor="new-folder-name">
            {t("Name")}
          </label>
          <input
            className="input"
            id="new-folder-name"
            data-autofocus=""
            required
            maxLength={120}
            autoComplete="off"
            value={name}
            aria-invalid={error !== ""}
            aria-describedby={error ? "new-folder-error" : undefined}
            onChange={(event) => setName(event.target.value)}
          />
          {error && (
            <p className="field__error" id="new-folder-error" role="alert">
              {error}
            </p>
          )}
        </div>
      </form>
    </Dialog>
  );
}
