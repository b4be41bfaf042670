import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";

import { announce } from "../../shared/announce";
import { ApiError } from "../../shared/api/errors";
import { longDate, number } from "../../shared/format";
import { t, tn } from "../../shared/i18n";
import { toast } from "../../shared/toasts";
import { Icon } from "../../shared/ui/Icon";
import { addPromoCode, endPromoCode, fetchPromoCodes, type PromoCode } from "./api";
import { Tip } from "./Tip";

type Props = {
  slug: string;
  isPriced: boolean;
  /** The page with all codes. */
  all: string;
};

const EMPTY = { code: "", kind: "percent" as const, value: "", limit: "", lastDay: "" };
type Typed = Omit<typeof EMPTY, "kind"> & { kind: "percent" | "amount" };

/** The codes that lower the price of the course: those there are, a new one, and the end of one. */
export function PromoCodes({ slug, isPriced, all }: Props) {
  const client = useQueryClient();
  const key = ["promo-codes", slug];
  const { data, error } = useQuery({
    queryKey: key,
    queryFn: () => fetchPromoCodes(slug),
    enabled: isPriced,
  });
  const [isAdding, setAdding] = useState(false);
  const put = (code: PromoCode): void =>
    void client.setQueryData<readonly PromoCode[]>(key, (known = []) =>
      known.some(({ uid }) => uid === code.uid)
        ? known.map((one) => (one.uid === code.uid ? code : one))
        : [code, ...known],
    );
  const ending = useMutation({
    mutationFn: endPromoCode,
    onSuccess: (code) => {
      put(code);
      announce(t("{code} is off. No one can use it now.", { code: code.code }));
    },
    onError: ({ message }) => void toast(message),
  });
  return (
    <section className="wiz__sec wizard__part" aria-labelledby="wizard-codes">
      <header>
        <div className="tips">
          <h3 className="h4 inline" id="wizard-codes">
            {t("Promo codes")}
          </h3>{" "}
          <Tip
            label={t("About promo codes")}
            text={t(
              "A promo code takes a percentage or an amount off a one-time price. You can limit how often and until when it works, and turn it off at any time.",
            )}
          />
        </div>
        {!isPriced && <p>{t("Promo codes are for courses with a one-time price.")}</p>}
      </header>
      {isPriced && (
        <>
          {error && <p role="alert">{error.message}</p>}
          {data && data.length > 0 && (
            <ul className="wizard__codes">
              {data.map((code) => (
                <li key={code.uid}>
                  <div className="grow">
                    <p className="row row--tight">
                      <a className="medium mono" href={code.href}>
                        {code.code}
                      </a>
                      <span className={`badge${code.state === "active" ? " badge--ok" : ""}`}>
                        {code.state_label}
                      </span>
                    </p>
                    <p className="small faint">{factsOf(code).join(" · ")}</p>
                  </div>
                  {code.may_end && ["active", "scheduled"].includes(code.state) && (
                    <button
                      type="button"
                      className="btn btn--sm"
                      disabled={ending.isPending}
                      aria-label={t("End {code}", { code: code.code })}
                      onClick={() => ending.mutate(code.uid)}
                    >
                      {t("End")}
                    </button>
                  )}
                </li>
              ))}
            </ul>
          )}
          {data?.length === 0 && !isAdding && (
            <p className="muted">{t("No code lowers the price yet.")}</p>
          )}
          {isAdding ? (
            <NewCode
              slug={slug}
              onClose={() => setAdding(false)}
              onAdded={(code) => {
                put(code);
                setAdding(false);
                announce(t("{code} is ready.", { code: code.code }));
              }}
            />
          ) : (
            <div className="row row--tight">
              <button type="button" className="btn btn--sm" onClick={() => setAdding(true)}>
                <Icon name="plus" />
                {t("Add a promo code")}
              </button>
              <a className="btn btn--sm btn--quiet" href={all}>
                {t("All codes and what they brought")}
              </a>
            </div>
          )}
        </>
      )}
    </section>
  );
}

function factsOf({ discount, used, limit, last_day, covers }: PromoCode): string[] {
  return [
    t("{discount} off", { discount }),
    limit === null
      ? tn("used {count} time", "used {count} times", used)
      : t("{used} of {limit} used", { used: number(used), limit: number(limit) }),
    ...(last_day === null ? [] : [t("until {day}", { day: longDate(`${last_day}T12:00`) })]),
    ...(covers === "course" ? [] : [t("also for other courses")]),
  ];
}

/** Null for an empty field. What is no number is sent as 0: the server refuses it and says what to enter. */
const wholeNumber = (text: string): number | null =>
  text.trim() === "" ? null : Number(text) || 0;

function NewCode({
  slug,
  onAdded,
  onClose,
}: {
  slug: string;
  onAdded: (code: PromoCode) => void;
  onClose: () => void;
}) {
  const id = useId();
  const [typed, setTyped] = useState<Typed>(EMPTY);
  const adding = useMutation({
    mutationFn: () =>
      addPromoCode(slug, {
        code: typed.code.trim(),
        kind: typed.kind,
        percent: typed.kind === "percent" ? wholeNumber(typed.value) : null,
        amount: typed.kind === "amount" ? typed.value.trim() : "",
        limit: wholeNumber(typed.limit),
        last_day: typed.lastDay === "" ? null : typed.lastDay,
      }),
    onSuccess: onAdded,
  });
  const fields = adding.error instanceof ApiError ? adding.error.problem.fields : {};
  const wrong = (...names: string[]): string =>
    names.map((name) => fields[name]?.[0]?.message ?? "").find((words) => words !== "") ?? "";
  const field = (
    name: keyof Typed,
    label: string,
    problem: string,
    more: React.ComponentProps<"input"> = {},
    isOptional = false,
  ) => (
    <div className="field">
      <label className="field__label" htmlFor={`${id}-${name}`}>
        {label}
        {isOptional && <span className="field__opt">{t("Optional")}</span>}
      </label>
      <input
        id={`${id}-${name}`}
        className="input"
        value={typed[name]}
        aria-invalid={problem === "" ? undefined : "true"}
        aria-describedby={problem === "" ? undefined : `${id}-${name}-e`}
        onChange={({ target }) => setTyped((now) => ({ ...now, [name]: target.value }))}
        {...more}
      />
      {problem !== "" && (
        <p className="field__error" id={`${id}-${name}-e`}>
          <Icon name="circle-alert" />
          <span>{problem}</span>
        </p>
      )}
    </div>
  );
  const problems = [
    wrong("code"),
    wrong("percent", "amount", "kind"),
    wrong("limit"),
    wrong("last_day"),
  ] as const;
  const isExplained = problems.some((words) => words !== "");
  return (
    <form
      className="panel wizard__newcode"
      aria-label={t("New promo code")}
      noValidate
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        if (!adding.isPending) adding.mutate();
      }}
    >
      <div className="pair">
        {field("code", t("Code"), problems[0], {
          autoFocus: true,
          autoComplete: "off",
          autoCapitalize: "characters",
          spellCheck: false,
          maxLength: 24,
          required: true,
          placeholder: t("SPRING-26"),
        })}
        <div className="field">
          <label className="field__label" htmlFor={`${id}-kind`}>
            {t("Discount")}
          </label>
          <select
            id={`${id}-kind`}
            className="select"
            value={typed.kind}
            onChange={({ target }) =>
              setTyped((now) => ({ ...now, kind: target.value as Typed["kind"] }))
            }
          >
            <option value="percent">{t("Percent")}</option>
            <option value="amount">{t("Amount")}</option>
          </select>
        </div>
        {field(
          "value",
          typed.kind === "percent" ? t("Percent off") : t("Amount off"),
          problems[1],
          {
            inputMode: typed.kind === "percent" ? "numeric" : "decimal",
            maxLength: 12,
            required: true,
          },
        )}
        {field(
          "limit",
          t("Uses in total"),
          problems[2],
          { inputMode: "numeric", maxLength: 7 },
          true,
        )}
        {field("lastDay", t("Last day"), problems[3], { type: "date" }, true)}
      </div>
      {adding.error && !isExplained && (
        <p className="field__error" role="alert">
          <Icon name="circle-alert" />
          <span>{Object.values(fields)[0]?.[0]?.message ?? adding.error.message}</span>
        </p>
      )}
      <div className="row row--tight">
        <button type="submit" className="btn btn--sm btn--primary" disabled={adding.isPending}>
          {t("Add the code")}
        </button>
        <button type="button" className="btn btn--sm btn--quiet" onClick={onClose}>
          {t("Cancel")}
        </button>
        <p className="small faint">{t("Each learner can use it once.")}</p>
      </div>
    </form>
  );
}
