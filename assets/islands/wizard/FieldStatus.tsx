import { timeOfDay } from "../../shared/format";
import { t } from "../../shared/i18n";
import type { Conflict, Field } from "../../shared/saving/saveQueue";
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

function wordsOf({ by, at, isFromDevice = false }: Conflict): string {
  if (isFromDevice) return t("Two tabs that were closed had different texts here");
  const time = at === null ? "" : timeOfDay(at);
  if (by === "") return t("This was changed elsewhere while you were writing");
  return time === ""
    ? t("{name} changed this while you were writing", { name: by })
    : t("{name} changed this at {time}, while you were writing", { name: by, time });
}

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
    const { value, isFromDevice = false } = field.conflict;
    return (
      <div className="notice notice--warning" role="alert" id={`${id}-e`}>
        <Icon name="triangle-alert" className="notice__icon" />
        <p className="notice__title">{wordsOf(field.conflict)}</p>
        <div className="notice__body">
          <p className="small faint">
            {isFromDevice ? t("The other one is:") : t("There it says:")}
          </p>
          <p className="wizard__theirs">{show(value) || t("(empty)")}</p>
          <div className="row row--tight mt-3">
            <button type="button" className="btn btn--sm" onClick={() => onResolve("theirs")}>
              {isFromDevice ? t("Use the other one") : t("Use theirs")}
            </button>
            <button
              type="button"
              className="btn btn--sm btn--primary"
              onClick={() => onResolve("mine")}
            >
              {isFromDevice ? t("Keep this one") : t("Keep mine")}
            </button>
          </div>
        </div>
      </div>
    );
  }
  if (!field?.incoming) return null;
  const { by, at } = field.incoming;
  return (
    <p className="row row--tight small wizard__incoming" role="status">
      <Icon name="users" />
      <span>
        {by === ""
          ? t("This was changed elsewhere. It's shown when you leave the field.")
          : t("{name} changed this at {time}. It's shown when you leave the field.", {
              name: by,
              time: timeOfDay(at ?? Date.now()),
            })}
      </span>
      <button type="button" className="btn btn--quiet btn--sm" onClick={onShow}>
        {t("Show it now")}
      </button>
    </p>
  );
}
