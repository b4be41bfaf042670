import { useMutation } from "@tanstack/react-query";
import {
  type ComponentProps,
  type ReactNode,
  useCallback,
  useEffect,
  useId,
  useRef,
  useState,
} from "react";

import { announce } from "../../shared/announce";
import { timeOfDay } from "../../shared/format";
import { useOnline } from "../../shared/hooks/useOnline";
import { t, tn } from "../../shared/i18n";
import { Icon } from "../../shared/ui/Icon";
import { type Check, type StudioCourse, submitCourse } from "./api";
import { Curriculum } from "./Curriculum";
import { FieldStatus } from "./FieldStatus";
import { Outcomes } from "./Outcomes";
import { labelOf, placeOfCheck, stateOf, type StepName, stepNames } from "./steps";
import { Tip } from "./Tip";
import { useCourse } from "./useCourse";

type Choice = { value: string; label: string };
type Pricing = { kind: string; price: string | null };

export type WizardProps = {
  course: StudioCourse;
  /** The uid of the user, in whose name this device keeps what is not saved. */
  user: string;
  subjects: readonly Choice[];
  difficulties: readonly (Choice & { hint: string })[];
  languages: readonly Choice[];
  prerequisites: readonly Choice[];
  pricings: readonly (Choice & { hint: string })[];
  priceLabel: string;
  maxOutcomes: number;
  /** The variants of the artwork as SVG; empty if the course has a picture of its own. */
  plates: readonly string[];
  picture: string;
  addresses: {
    list: string;
    lectures: string;
    picture: string;
    promoCodes: string;
    course: string;
  };
};

const SUMMARY_LENGTH = 40;

function stepOfHash(): StepName {
  const name = location.hash.slice(1);
  return stepNames.find((step) => step === name) ?? "basics";
}

/** A course, step by step. Each field is saved by itself. */
export function Wizard(props: WizardProps) {
  const { addresses } = props;
  const [step, setStep] = useState<StepName>(stepOfHash);
  const [wanted, setWanted] = useState("");
  const form = useRef<HTMLDivElement>(null);
  const course = useCourse(
    props.course,
    props.user,
    useCallback(() => undefined, []),
  );
  const { fields, set, shown, others, enter } = course;
  const [status, setStatus] = useState(props.course.status);
  const isLocked = !props.course.can_edit || status === "review";

  useEffect(() => {
    const onHash = (): void => setStep(stepOfHash());
    addEventListener("hashchange", onHash);
    return () => removeEventListener("hashchange", onHash);
  }, []);
  const go = (to: StepName, field = ""): void => {
    if (location.hash !== `#${to}`) history.pushState(null, "", `#${to}`);
    setStep(to);
    setWanted(field === "" ? "heading" : field);
  };
  useEffect(() => {
    if (wanted === "") return;
    const place = form.current?.querySelector<HTMLElement>(`[data-field="${wanted}"]`);
    place?.focus();
    place?.scrollIntoView({ block: "center" });
    setWanted("");
  }, [step, wanted]);

  const value = (name: string): string => {
    const found = fields.get(name)?.value;
    return typeof found === "string" ? found : "";
  };
  const problem = (name: string): boolean => {
    const state = fields.get(name)?.state;
    return state === "refused" || state === "conflict";
  };
  const at = stepNames.indexOf(step);
  const [before, after] = [stepNames[at - 1], stepNames[at + 1]];
  const title = value("title");

  const ties = (name: string, hint = ""): ComponentProps<"input"> & ComponentProps<"textarea"> => ({
    id: `wizard-${name}`,
    disabled: isLocked,
    "aria-invalid": problem(name) ? "true" : undefined,
    "aria-describedby":
      [problem(name) && `wizard-${name}-e`, hint !== "" && `wizard-${name}-h`]
        .filter(Boolean)
        .join(" ") || undefined,
    onFocus: () => enter(name),
  });
  const status_ = (name: string, show = (other: unknown): string => String(other)): ReactNode => (
    <FieldStatus
      id={`wizard-${name}`}
      field={fields.get(name)}
      show={show}
      onResolve={(choice) => course.resolve(name, choice)}
    />
  );
  const textField = (
    name: string,
    label: string,
    most: number,
    { tip = "", hint = "", className = "", rows = 0 } = {},
  ): ReactNode => (
    <div className="field">
      <div className="field__label tips">
        <span>
          <label htmlFor={`wizard-${name}`}>{label}</label> {tip !== "" && <Tip text={tip} />}
        </span>
        <span className="field__opt num">
          {t("{count} of {most}", { count: value(name).length, most })}
        </span>
      </div>
      {rows > 0 ? (
        <textarea
          {...ties(name, hint)}
          data-field={name}
          className="textarea"
          rows={rows}
          maxLength={most}
          value={value(name)}
          onChange={({ target }) => set(name, target.value)}
        />
      ) : (
        <input
          {...ties(name, hint)}
          data-field={name}
          className={`input ${className}`.trim()}
          maxLength={most}
          value={value(name)}
          onChange={({ target }) => set(name, target.value)}
        />
      )}
      {status_(name)}
      {hint !== "" && (
        <p className="field__hint" id={`wizard-${name}-h`}>
          {hint}
        </p>
      )}
    </div>
  );
  const selectField = (
    name: string,
    label: string,
    choices: readonly Choice[],
    tip = "",
  ): ReactNode => (
    <div className="field">
      <div className="field__label tips">
        <span>
          <label htmlFor={`wizard-${name}`}>{label}</label> {tip !== "" && <Tip text={tip} />}
        </span>
      </div>
      <select
        {...(ties(name) as ComponentProps<"select">)}
        data-field={name}
        className="select"
        value={value(name)}
        onChange={({ target }) => set(name, target.value)}
      >
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label}
          </option>
        ))}
      </select>
      {status_(name, (other) => choices.find((one) => one.value === other)?.label ?? "")}
    </div>
  );
  const boxes = (
    name: string,
    legend: string,
    choices: readonly (Choice & { hint: string })[],
    chosen: string,
    choose: (to: string) => void,
    levels = false,
  ): ReactNode => (
    <fieldset className="field bare" disabled={isLocked}>
      <legend className="field__label">{legend}</legend>
      <div className="choices">
        {choices.map((choice, index) => (
          <label key={choice.value} className="choice" aria-label={choice.label}>
            <input
              type="radio"
              name={`wizard-${name}`}
              value={choice.value}
              data-field={index === 0 ? name : undefined}
              checked={chosen === choice.value}
              onFocus={() => enter(name)}
              onChange={() => choose(choice.value)}
            />
            <span className="choice__box">
              <b>
                {levels && (
                  <span className={`level level--${index + 1}`}>
                    <span className="level__bars" aria-hidden="true">
                      <i />
                      <i />
                      <i />
                    </span>
                  </span>
                )}
                {choice.label}
              </b>
              <span className="small muted">{choice.hint}</span>
            </span>
          </label>
        ))}
      </div>
      {status_(name, (other) =>
        typeof other === "string"
          ? (choices.find((one) => one.value === other)?.label ?? "")
          : (choices.find((one) => one.value === (other as Pricing).kind)?.label ?? ""),
      )}
    </fieldset>
  );

  const pricing = (fields.get("pricing")?.value ?? { kind: "free", price: null }) as Pricing;
  const chosen = (fields.get("prerequisites")?.value ?? []) as string[];
  const outcomes = (fields.get("outcomes")?.value ?? []) as string[];

  return (
    <div className="wiz" ref={form}>
      <div className="row row--between wizard__status">
        <SaveStatus course={course} />
        {others.length > 0 && (
          <p className="small faint" role="status">
            <Icon name="users" />{" "}
            {tn("{names} is editing too", "{names} are editing too", others.length, {
              names: [...new Set(others.map(({ name }) => name))].join(", "),
            })}
          </p>
        )}
      </div>
      <nav aria-label={t("Steps")}>
        <ol className="steps">
          {stepNames.map((name) => {
            const { text, isDone } = stateOf(name, fields, shown.checks);
            return (
              <li key={name}>
                <a
                  className={`step${isDone ? " is-done" : ""}`}
                  href={`#${name}`}
                  aria-current={name === step ? "step" : undefined}
                  onClick={(event) => {
                    event.preventDefault();
                    go(name);
                  }}
                >
                  {labelOf(name)}
                  <small>
                    {isDone && <Icon name="check" />}
                    {text}
                  </small>
                </a>
              </li>
            );
          })}
        </ol>
      </nav>
      <div className="wiz__grid">
        <div className="wiz__form">
          <section className="wiz__sec" aria-labelledby="wizard-step">
            <header>
              <h2 className="h4" id="wizard-step" tabIndex={-1} data-field="heading">
                {headings[step]()[0]}
              </h2>
              <p>{headings[step]()[1]}</p>
            </header>
            {step === "basics" && (
              <>
                {textField("title", t("Title"), 120, {
                  className: "input--title",
                  tip: t(
                    "Say what learners will be able to do, in words they would search for. The title appears on course cards, in search and on certificates.",
                  ),
                  hint: t("Titles of up to 60 characters fit best on a course card."),
                })}
                {selectField(
                  "subject",
                  t("Category"),
                  props.subjects,
                  t(
                    "Choose the field in which learners would look for the course. The catalog is filtered by category, and similar courses are suggested from it.",
                  ),
                )}
                {boxes(
                  "difficulty",
                  t("Difficulty"),
                  props.difficulties,
                  value("difficulty"),
                  (to) => set("difficulty", to),
                  true,
                )}
                {selectField("language", t("Language"), props.languages)}
              </>
            )}
            {step === "details" && (
              <>
                {textField("summary", t("One-sentence summary"), 220, {
                  hint:
                    value("summary").trim().length < SUMMARY_LENGTH
                      ? t(
                          "What changes for the learner? Review requires at least {count} characters.",
                          {
                            count: SUMMARY_LENGTH,
                          },
                        )
                      : "",
                })}
                {textField("description", t("Description"), 10_000, {
                  rows: 8,
                  tip: t(
                    "Explain what the course covers, how it is taught and why it matters. The first two sentences decide whether people read on.",
                  ),
                  hint: t("Markdown and formulas work here."),
                })}
                <div className="stack gap-3">
                  <div className="tips">
                    <h3 className="h5 inline">{t("Learning outcomes")}</h3>{" "}
                    <Tip
                      text={t(
                        "Write one skill per line, starting with a verb: “Solve…”, “Explain…”, “Build…”. They appear on the course page under “What you'll be able to do”.",
                      )}
                    />
                  </div>
                  <p className="muted" tabIndex={-1} data-field="outcomes">
                    {t("Finish this sentence: “By the end, you will be able to…”")}
                  </p>
                  <Outcomes
                    lines={outcomes}
                    most={props.maxOutcomes}
                    isDisabled={isLocked}
                    describedBy={problem("outcomes") ? "wizard-outcomes-e" : undefined}
                    onChange={(lines) => set("outcomes", lines)}
                    onEnter={() => enter("outcomes")}
                  />
                  {status_("outcomes", (other) => (other as string[]).join("\n"))}
                </div>
                {textField("before_you_begin", t("What learners need to know or have"), 4000, {
                  rows: 4,
                  hint: t("Markdown and formulas work here."),
                })}
                {props.prerequisites.length > 0 && (
                  <fieldset className="field bare" disabled={isLocked}>
                    <legend className="field__label tips">
                      <span>
                        {t("Prerequisites")}{" "}
                        <Tip
                          text={t(
                            "Choose courses of yours that learners should complete before this one. They are listed on the course page with a link to each. Leave it empty if anyone can start.",
                          )}
                        />
                      </span>
                      <span className="field__opt">{t("Optional")}</span>
                    </legend>
                    {props.prerequisites.map((other) => (
                      <label key={other.value} className="check">
                        <input
                          type="checkbox"
                          checked={chosen.includes(other.value)}
                          onFocus={() => enter("prerequisites")}
                          onChange={({ target }) =>
                            set(
                              "prerequisites",
                              (target.checked
                                ? [...chosen, other.value]
                                : chosen.filter((one) => one !== other.value)
                              ).sort(),
                            )
                          }
                        />
                        <span>{other.label}</span>
                      </label>
                    ))}
                    {status_("prerequisites", (other) => (other as string[]).join(", "))}
                  </fieldset>
                )}
              </>
            )}
            {step === "curriculum" && (
              <Curriculum
                slug={props.course.slug}
                lectures={addresses.lectures}
                isDisabled={isLocked}
              />
            )}
            {step === "media" && (
              <>
                <div className="tips">
                  <h3 className="h5 inline">{t("Thumbnail")}</h3>{" "}
                  <Tip
                    text={t(
                      "The picture stands for the course on cards, in search and in shared links. Use one without text that is still clear when it is small.",
                    )}
                  />
                </div>
                {props.plates.length > 0 ? (
                  <fieldset className="bare" disabled={isLocked}>
                    <legend className="vh">{t("Artwork")}</legend>
                    <div className="platepick">
                      {props.plates.map((drawing, variant) => (
                        // The server draws them in a fixed order.
                        <label key={variant}>
                          <input
                            type="radio"
                            name="wizard-plate"
                            data-field={variant === 0 ? "plate_variant" : undefined}
                            aria-label={t("Variation {number}", { number: variant + 1 })}
                            checked={fields.get("plate_variant")?.value === variant}
                            onChange={() => set("plate_variant", variant)}
                          />
                          <Html className="plate" html={drawing} />
                          <span className="platepick__tick" aria-hidden="true">
                            <Icon name="check" />
                          </span>
                        </label>
                      ))}
                    </div>
                  </fieldset>
                ) : (
                  <div className="picked">
                    <Html className="plate" html={props.picture} />
                  </div>
                )}
                {!isLocked && (
                  <div>
                    <a className="btn btn--sm" href={addresses.picture}>
                      <Icon name="image-up" />
                      {props.plates.length > 0
                        ? t("Upload and crop a picture")
                        : t("Change picture")}
                    </a>
                  </div>
                )}
                <p className="muted">
                  {t(
                    "Videos belong to lessons: 1080p looks sharp on every screen, and 5 to 15 minutes are watched to the end most often.",
                  )}{" "}
                  <a className="link" href={addresses.lectures}>
                    {t("Add videos to lessons")}
                  </a>
                </p>
              </>
            )}
            {step === "price" && (
              <>
                <div className="tips">
                  <h3 className="h5 inline">{t("Price")}</h3>{" "}
                  <Tip
                    text={t(
                      "Free courses reach the most learners. A one-time price sells lifetime access. Premium courses are included in the subscription, and you earn a share of what subscribers watch.",
                    )}
                  />
                </div>
                {boxes("pricing", t("How learners get it"), props.pricings, pricing.kind, (kind) =>
                  set("pricing", { kind, price: kind === "one_time" ? pricing.price : null }),
                )}
                {pricing.kind === "one_time" && (
                  <div className="field">
                    <label className="field__label" htmlFor="wizard-price">
                      {props.priceLabel}
                    </label>
                    <input
                      id="wizard-price"
                      className="input studio__price"
                      inputMode="decimal"
                      disabled={isLocked}
                      value={pricing.price ?? ""}
                      aria-invalid={problem("pricing") ? "true" : undefined}
                      aria-describedby={problem("pricing") ? "wizard-pricing-e" : undefined}
                      onFocus={() => enter("pricing")}
                      onChange={({ target }) =>
                        set("pricing", { kind: "one_time", price: target.value || null })
                      }
                    />
                  </div>
                )}
                <div className="tips">
                  <h3 className="h5 inline">{t("Promo codes")}</h3>{" "}
                  <Tip
                    text={t(
                      "A promo code takes a percentage or an amount off a one-time price. You can limit how often and until when it works, and turn it off at any time.",
                    )}
                  />
                </div>
                {pricing.kind === "one_time" ? (
                  <p>
                    <a className="link" href={addresses.promoCodes}>
                      {t("Promo codes for this course")}
                    </a>
                  </p>
                ) : (
                  <p className="field__hint">
                    {t("Promo codes are for courses with a one-time price.")}
                  </p>
                )}
              </>
            )}
            {step === "review" && (
              <Review
                uid={props.course.uid}
                isUnsaved={course.isUnsaved}
                status={status}
                canSubmit={props.course.can_submit}
                checks={shown.checks}
                announced={fields.get("is_announced")?.value === true}
                isLocked={isLocked}
                onAnnounce={(to) => set("is_announced", to)}
                onGo={go}
                onSubmitted={(now) => setStatus(now.status)}
              />
            )}
          </section>
          <div className="wiz__foot">
            {before ? (
              <button type="button" className="btn btn--quiet" onClick={() => go(before)}>
                <Icon name="arrow-left" />
                {labelOf(before)}
              </button>
            ) : (
              <span />
            )}
            <div className="row row--tight">
              <a className="btn" href={addresses.list} onClick={() => course.flush()}>
                {t("Close")}
              </a>
              {after && (
                <button type="button" className="btn btn--primary" onClick={() => go(after)}>
                  {t("Continue to {step}", { step: labelOf(after).toLocaleLowerCase() })}
                </button>
              )}
            </div>
          </div>
        </div>
        <aside className="wiz__aside stack gap-7" aria-label={t("Preview and checklist")}>
          <section>
            <h2 className="small faint studio__eyebrow">{t("As learners will see it")}</h2>
            <Html className="wizard__card" html={shown.card_html} />
          </section>
          {status === "draft" && <Checklist checks={shown.checks} onGo={go} />}
        </aside>
      </div>
      <p className="vh">{title}</p>
    </div>
  );
}

const headings: Record<StepName, () => [string, string]> = {
  basics: () => [t("Introduce your course"), t("A title and a category are enough to begin.")],
  details: () => [t("What learners read before they enroll"), t("Plain language works best.")],
  curriculum: () => [
    t("Sections and lessons"),
    t("Five lessons of 5 to 15 minutes each are a good start."),
  ],
  media: () => [
    t("How the course looks"),
    t(
      "Every course gets its own artwork, generated from its name. Choose a variation, or upload a picture.",
    ),
  ],
  price: () => [t("What it costs"), t("You can change the price at any time.")],
  review: () => [
    t("Submit for review"),
    t("An admin checks every course before it goes live. Review usually takes 24 to 48 hours."),
  ],
};

/** Where what was written is now. */
function SaveStatus({ course }: { course: ReturnType<typeof useCourse> }) {
  const isOnline = useOnline();
  const states = [...course.fields.values()].map(({ state }) => state);
  const has = (state: (typeof states)[number]): boolean => states.includes(state);
  let text = course.savedAt === null ? "" : t("Saved {time}", { time: timeOfDay(course.savedAt) });
  let isProblem = false;
  if (has("memory")) {
    text = t(
      "Not saved: this browser can't keep it, so leave the page open until the connection is back",
    );
    isProblem = true;
  } else if (course.failure instanceof Error) {
    text = t("Not saved: {reason}", { reason: course.failure.message });
    isProblem = true;
  } else if (has("conflict")) {
    text = t("Changed elsewhere: choose which text stays");
    isProblem = true;
  } else if (has("refused")) {
    text = t("One field isn't saved yet");
    isProblem = true;
  } else if (has("saving")) text = t("Saving");
  else if (has("device"))
    text = isOnline ? t("On this device") : t("On this device: it is saved once you are online");
  return (
    <p className={`small ${isProblem ? "wizard__problem" : "faint"}`} role="status">
      {text}
    </p>
  );
}

type Go = (to: StepName, field?: string) => void;

/** What is missing, always in sight; each line leads to its field. */
function Checklist({ checks, onGo }: { checks: readonly Check[]; onGo: Go }) {
  return (
    <section aria-labelledby="wizard-checks">
      <div className="sec-head sec-head--fine">
        <h2 className="h5" id="wizard-checks">
          {t("Before review")}
        </h2>
      </div>
      <ul className="checklist small">
        {checks.map((check) => (
          <li key={check.key} className={check.is_met ? "done" : undefined}>
            <Icon
              name={check.is_met ? "circle-check" : "circle"}
              label={check.is_met ? t("Done") : t("Open")}
            />
            <CheckLink check={check} onGo={onGo} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function CheckLink({ check, onGo }: { check: Check; onGo: Go }) {
  const place = placeOfCheck(check);
  const label = (
    <>
      {check.label}
      {!check.is_required && <span className="faint"> {t("(recommended)")}</span>}
    </>
  );
  if (check.is_met) return <span>{label}</span>;
  if (!place)
    return check.href ? (
      <a className="link" href={check.href}>
        {label}
      </a>
    ) : (
      <span>{label}</span>
    );
  return (
    <button
      type="button"
      className="link wizard__check"
      onClick={() => onGo(place.step, place.field)}
    >
      {label}
    </button>
  );
}

type ReviewProps = {
  uid: string;
  isUnsaved: boolean;
  status: string;
  canSubmit: boolean;
  checks: readonly Check[];
  announced: boolean;
  isLocked: boolean;
  onAnnounce: (to: boolean) => void;
  onGo: Go;
  onSubmitted: (course: StudioCourse) => void;
};

function Review(props: ReviewProps) {
  const { uid, checks, status, isUnsaved, onSubmitted } = props;
  const [note, setNote] = useState("");
  const id = useId();
  const missing = checks.filter((check) => check.is_required && !check.is_met);
  const submitting = useMutation({
    mutationFn: () => submitCourse(uid, note),
    onSuccess: (course) => {
      onSubmitted(course);
      announce(t("Your course was submitted. Review usually takes 24 to 48 hours."));
    },
  });
  if (status === "review")
    return (
      <div className="notice notice--ok" role="status">
        <Icon name="circle-check" className="notice__icon" />
        <p className="notice__title">{t("Submitted")}</p>
        <p className="notice__body">
          {t("Review usually takes 24 to 48 hours. We tell you as soon as it is decided.")}
        </p>
      </div>
    );
  return (
    <>
      {missing.length > 0 && (
        <div className="notice notice--info">
          <Icon name="info" className="notice__icon" />
          <p className="notice__title">
            {tn("{count} thing is missing", "{count} things are missing", missing.length)}
          </p>
          <ul className="notice__body">
            {missing.map((check) => (
              <li key={check.key}>
                <CheckLink check={check} onGo={props.onGo} />
              </li>
            ))}
          </ul>
        </div>
      )}
      {status !== "published" && (
        <label className="row">
          <input
            className="switch"
            type="checkbox"
            data-field="is_announced"
            disabled={props.isLocked}
            checked={props.announced}
            onChange={({ target }) => props.onAnnounce(target.checked)}
          />
          <span>{t("Show the draft in the catalog as “Coming Soon”")}</span>
        </label>
      )}
      {props.canSubmit && (
        <form
          className="stack gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            submitting.mutate();
          }}
        >
          <div className="field">
            <label className="field__label" htmlFor={id}>
              {t("Note to the reviewer")} <span className="field__opt">{t("Optional")}</span>
            </label>
            <textarea
              id={id}
              className="textarea"
              rows={3}
              maxLength={4000}
              value={note}
              onChange={({ target }) => setNote(target.value)}
            />
          </div>
          {submitting.error && (
            <p className="field__error" role="alert">
              <Icon name="circle-alert" />
              <span>{submitting.error.message}</span>
            </p>
          )}
          <div>
            <button
              type="submit"
              className="btn btn--primary"
              disabled={missing.length > 0 || isUnsaved || submitting.isPending}
            >
              {t("Submit for review")}
            </button>
            {isUnsaved && missing.length === 0 && (
              <p className="field__hint">{t("Wait until everything is saved.")}</p>
            )}
          </div>
        </form>
      )}
    </>
  );
}

/** HTML that the server has drawn. */
function Html({ html, className }: { html: string; className: string }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (place.current) place.current.innerHTML = html;
  }, [html]);
  return <div ref={place} className={className} />;
}
