import { t, tn } from "../../shared/i18n";
import { Icon } from "../../shared/ui/Icon";
import type { Check } from "./api";
import { placeOfCheck, type StepName } from "./steps";

export type Go = (to: StepName, field?: string) => void;

export const missingOf = (checks: readonly Check[]): readonly Check[] =>
  checks.filter((check) => check.is_required && !check.is_met);

export function missingWords(checks: readonly Check[]): string {
  const count = missingOf(checks).length;
  return count === 0
    ? t("Ready for review")
    : tn("{count} thing missing", "{count} things missing", count);
}

/** What a course needs before its review; each line leads to its field. */
export function Checklist({
  checks,
  onGo,
  id,
}: {
  checks: readonly Check[];
  onGo: Go;
  id: string;
}) {
  return (
    <>
      <div className="sec-head sec-head--fine row row--between">
        <h2 className="h5" id={id}>
          {t("Before review")}
        </h2>
        <span className="small faint num">
          {t("{done} of {all}", {
            done: checks.filter(({ is_met }) => is_met).length,
            all: checks.length,
          })}
        </span>
      </div>
      <ul className="checklist small">
        {checks.map((check) => (
          <li key={check.key} className={check.is_met ? "done" : undefined}>
            <Icon
              name={check.is_met ? "circle-check" : "circle"}
              label={check.is_met ? t("Done") : t("To do")}
            />
            <CheckLine check={check} onGo={onGo} />
          </li>
        ))}
      </ul>
    </>
  );
}

function CheckLine({ check, onGo }: { check: Check; onGo: Go }) {
  const place = placeOfCheck(check);
  const { label, is_met, is_required, href } = check;
  const more = !is_required && !is_met && <span className="faint"> {t("recommended")}</span>;
  if (is_met || (!place && !href))
    return (
      <span>
        {label}
        {more}
      </span>
    );
  return (
    <span>
      {place ? (
        <button
          type="button"
          className="link wizard__check"
          onClick={() => onGo(place.step, place.field)}
        >
          {label}
        </button>
      ) : (
        <a className="link" href={href}>
          {label}
        </a>
      )}
      {more}
    </span>
  );
}
