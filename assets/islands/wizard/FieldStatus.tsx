import { t } from "../../shared/i18n";
import { describeConflict, describeIncoming } from "../../shared/saving/describeConflict";
import type { Field } from "../../shared/saving/saveQueue";
import { Icon } from "../../shared/ui/Icon";

type Props = {
  id: string;
  field: Field | undefined;
  /** The value of the other author as it is shown. */
  show: (value: unknown) => string;
  onResolve: (choice: "mine" | "theirs") => void;
  /** Show now what came from elsewhere while the user was in the field. */
  onShow: () => void;
};

/** What keeps a field from being saved: a refusal, or what another author made of it. */
export function FieldStatus({ id, field, show, onResolve, onShow }: Props) {
  if (field?.state === "refused")
    return (
      <p className="field__error" id={`${id}-e`} role="alert">
        <Icon name="circle-alert" />
        <span>{field.problem}</span>
      </p>
    );
  if (field?.conflict) {
    const { title, lead, theirs, mine } = describeConflict(field.conflict);
    return (
      <div className="notice notice--warning" role="alert" id={`${id}-e`}>
        <Icon name="triangle-alert" className="notice__icon" />
        <p className="notice__title">{title}</p>
        <div className="notice__body">
          <p className="small faint">{lead}</p>
          <p className="wizard__theirs">{show(field.conflict.value) || t("(empty)")}</p>
          <div className="row row--tight mt-3">
            <button type="button" className="btn btn--sm" onClick={() => onResolve("theirs")}>
              {theirs}
            </button>
            <button
              type="button"
              className="btn btn--sm btn--primary"
              onClick={() => onResolve("mine")}
            >
              {mine}
            </button>
          </div>
        </div>
      </div>
    );
  }
  if (!field?.incoming) return null;
  return (
    <p className="row row--tight small wizard__incoming" role="status">
      <Icon name="users" />
      <span>{describeIncoming(field.incoming)} </span>
      <button type="button" className="btn btn--quiet btn--sm" onClick={onShow}>
        {t("Show it now")}
      </button>
    </p>
  );
}
