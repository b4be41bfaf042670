import { t } from "../../shared/i18n";
import type { Field } from "../../shared/saving/saveQueue";
import { Icon } from "../../shared/ui/Icon";

type Props = {
  id: string;
  field: Field | undefined;
  /** The value of the other author as it is shown. */
  show: (value: unknown) => string;
  onResolve: (choice: "mine" | "theirs") => void;
};

/** What keeps a field from being saved: a refusal, or what another author made of it. */
export function FieldStatus({ id, field, show, onResolve }: Props) {
  if (field?.state === "refused")
    return (
      <p className="field__error" id={`${id}-e`} role="alert">
        <Icon name="circle-alert" />
        <span>{field.problem}</span>
      </p>
    );
  if (!field?.conflict) return null;
  const { by, value } = field.conflict;
  return (
    <div className="notice notice--warning" role="alert" id={`${id}-e`}>
      <Icon name="triangle-alert" className="notice__icon" />
      <p className="notice__title">
        {by === ""
          ? t("This was changed elsewhere while you were writing")
          : t("{name} changed this while you were writing", { name: by })}
      </p>
      <div className="notice__body">
        <p className="small faint">{t("There it says:")}</p>
        <p className="wizard__theirs">{show(value) || t("(empty)")}</p>
      </div>
      <div className="row row--tight mt-2">
        <button type="button" className="btn btn--sm" onClick={() => onResolve("theirs")}>
          {t("Use theirs")}
        </button>
        <button
          type="button"
          className="btn btn--sm btn--primary"
          onClick={() => onResolve("mine")}
        >
          {t("Keep mine")}
        </button>
      </div>
    </div>
  );
}
