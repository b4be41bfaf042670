import {
  type ReactNode,
  useCallback,
  useEffect,
  useMemo,
  useReducer,
  useRef,
  useState,
} from "react";

import type { ContentProps } from "../../shared/composer/coursePlace";
import { openLine } from "../../shared/openLine";
import { t } from "../../shared/i18n";
import { Icon } from "../../shared/ui/Icon";
import { type Missing, onDemand } from "../../shared/ui/onDemand";
import { whenIdle } from "../../shared/whenIdle";
import type { StudioCourse, UploadRules } from "./api";
import { Basics } from "./Basics";
import { Checklist, type Go, missingOf } from "./Checklist";
import { Details } from "./Details";
import { type Choice, type ChoiceWithHint, FormContext } from "./CourseForm";
import { Header } from "./Header";
import { MissingMenu } from "./MissingMenu";
import { Preview } from "./Preview";
import { SaveProblem, SaveStatus } from "./SaveStatus";
import { labelOf, placeOfHash, stateOf, type StepName, stepNames } from "./steps";
import type { TypedBefore } from "./typedBefore";
import { type Kept, useCourse } from "./useCourse";

const loadSteps = () => import("./laterSteps");
const Curriculum = onDemand(() => loadSteps().then((steps) => steps.Curriculum));
const Media = onDemand(() => loadSteps().then((steps) => steps.Media));
const Price = onDemand(() => loadSteps().then((steps) => steps.Price));
const Review = onDemand(() => loadSteps().then((steps) => steps.Review));
const laterSteps = { curriculum: Curriculum, media: Media, price: Price, review: Review };

/** Fetch the step that has a field, so that it is shown at once; answers whether it is there. */
export async function fetchStepOf(field: string): Promise<boolean> {
  const { step } = placeOfHash(field);
  return step === "basics" || step === "details" || laterSteps[step].fetch();
}

export type WizardProps = {
  course: StudioCourse;
  /** The uid of the user, in whose name this device keeps what is not saved. */
  user: string;
  subjects: readonly Choice[];
  difficulties: readonly ChoiceWithHint[];
  languages: readonly Choice[];
  prerequisites: readonly Choice[];
  pricings: readonly ChoiceWithHint[];
  priceLabel: string;
  maxOutcomes: number;
  hasPicture: boolean;
  upload: UploadRules;
  description: ContentProps;
  beforeYouBegin: ContentProps;
  addresses: {
    list: string;
    lectures: string;
    promoCodes: string;
    course: string;
    preview: string;
  };
};

/** Milliseconds that "Save and close" waits for the server. What is not saved then stays on the device. */
const CLOSE_WAIT_MS = 4_000;

const placeNow = () => placeOfHash(location.hash);

/** A course, step by step. Each field is saved by itself. */
export function Wizard({
  kept,
  typed = {},
  entered = "",
  ...props
}: WizardProps & { kept: Kept } & TypedBefore) {
  const { addresses } = props;
  const [step, setStep] = useState<StepName>(() =>
    entered === "" ? placeNow().step : placeOfHash(entered).step,
  );
  // A link to a field leads to it; where somebody types already, the focus stays.
  const [wanted, setWanted] = useState(() => {
    const { field } = placeNow();
    return entered === "" && field !== "heading" ? field : "";
  });
  const [hasPicture, setHasPicture] = useState(props.hasPicture);
  const [shownSteps, onShown] = useReducer((count: number) => count + 1, 0);
  const root = useRef<HTMLDivElement>(null);
  const course = useCourse(props.course, props.user, kept, typed);
  const { fields, now, enter } = course;
  const isLocked = !now.can_edit;
  const form = useMemo(() => ({ course, isLocked }), [course, isLocked]);
  const title = fields.get("title")?.value;
  const titleText = typeof title === "string" ? title : "";

  const go: Go = useCallback(
    (to, field = "heading") => {
      enter("");
      if (location.hash !== `#${to}`) history.pushState(null, "", `#${to}`);
      setStep(to);
      setWanted(field === "" ? "heading" : field);
    },
    [enter],
  );
  useEffect(() => {
    const onHash = (): void => {
      const place = placeNow();
      setStep(place.step);
      setWanted(place.field);
    };
    addEventListener("hashchange", onHash);
    addEventListener("popstate", onHash);
    return () => {
      removeEventListener("hashchange", onHash);
      removeEventListener("popstate", onHash);
    };
  }, []);
  useEffect(() => {
    if (wanted === "") return;
    const place = root.current?.querySelector<HTMLElement>(`[data-field="${wanted}"]`);
    if (!place && root.current?.querySelector("[data-step-missing]")) return; // it comes with the step
    place?.focus({ preventScroll: true });
    if (place instanceof HTMLTextAreaElement && placeNow().field === wanted)
      openLine(place, { search: location.search, hash: `#${place.id}` });
    if (wanted === "heading") root.current?.scrollIntoView({ block: "start" });
    else place?.scrollIntoView({ block: "center" });
    setWanted("");
  }, [shownSteps, step, wanted]);
  useEffect(() => {
    root.current
      ?.querySelector('.steps [aria-current="step"]')
      ?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [step]);
  useEffect(
    () =>
      whenIdle(() => {
        for (const one of Object.values(laterSteps)) void one.fetch();
      }),
    [],
  );
  // After submitting, the words about it are what comes next.
  const status = useRef(now.status);
  useEffect(() => {
    if (status.current === now.status) return;
    status.current = now.status;
    if (now.status === "review" && placeNow().step === "review") setWanted("submitted");
  }, [now.status]);

  const isUnsaved = useRef(course.isUnsaved);
  isUnsaved.current = course.isUnsaved;
  const close = async (): Promise<void> => {
    course.flush();
    const end = performance.now() + CLOSE_WAIT_MS;
    while (isUnsaved.current && performance.now() < end)
      await new Promise((resolve) => setTimeout(resolve, 50));
    location.assign(addresses.list);
  };

  const whileMissing = {
    onShown,
    instead: (missing: Missing) => <MissingStep {...missing} />,
  };
  const at = stepNames.indexOf(step);
  const [before, after] = [stepNames[at - 1], stepNames[at + 1]];
  const isInReview = step === "review" && now.status === "review";
  const [heading, lede] = isInReview ? inReview() : headings[step]();
  const content: Record<StepName, () => ReactNode> = {
    basics: () => <Basics {...props} />,
    details: () => <Details {...props} />,
    curriculum: () => (
      <Curriculum
        {...whileMissing}
        slug={now.slug}
        lectures={addresses.lectures}
        isDisabled={isLocked}
        onChanged={course.refresh}
      />
    ),
    media: () => (
      <Media
        {...whileMissing}
        course={now}
        upload={props.upload}
        lectures={addresses.lectures}
        onChanged={(has) => {
          setHasPicture(has);
          course.refresh();
        }}
      />
    ),
    price: () => (
      <Price
        {...whileMissing}
        slug={now.slug}
        pricings={props.pricings}
        priceLabel={props.priceLabel}
        promoCodes={addresses.promoCodes}
      />
    ),
    review: () => <Review {...whileMissing} user={props.user} onGo={go} />,
  };
  const isDraft = now.status === "draft";
  return (
    <FormContext.Provider value={form}>
      <Header title={titleText} badge={now.badge}>
        <SaveStatus course={course} />
      </Header>
      <div
        className="wiz wizard"
        ref={root}
        data-step={step}
        data-status={now.status === props.course.status ? undefined : now.status}
      >
        <nav aria-label={t("Steps")}>
          <ol className="steps">
            {stepNames.map((name) => {
              const { text, isDone } = stateOf(name, fields, now.checks, {
                hasPicture,
                pricings: props.pricings,
                isSubmitted: now.status === "review",
              });
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
            {isLocked && step !== "review" && (
              <div className="notice notice--info" role="status">
                <Icon name="lock" className="notice__icon" />
                <p className="notice__title">{t("Nothing can be changed now")}</p>
                <p className="notice__body">{now.locked}</p>
              </div>
            )}
            <SaveProblem course={course} />
            <section className="wiz__sec" aria-labelledby="wizard-step">
              <header>
                <h2 className="h4" id="wizard-step" tabIndex={-1} data-field="heading">
                  {heading}
                </h2>
                <p>{lede}</p>
              </header>
              {content[step]()}
            </section>
            <div className="wiz__foot wizard__foot">
              <div className="row row--between wizard__now">
                {isDraft ? <MissingMenu checks={now.checks} onGo={go} /> : <span />}
                <SaveStatus course={course} isQuiet />
              </div>
              {before ? (
                <button
                  type="button"
                  className="btn btn--quiet wizard__back"
                  onClick={() => go(before)}
                >
                  <Icon name="arrow-left" />
                  <span>{labelOf(before)}</span>
                </button>
              ) : (
                <span />
              )}
              <div className="row row--tight wizard__next">
                <button type="button" className="btn" onClick={() => void close()}>
                  {t("Save and close")}
                </button>
                {after && (
                  <button type="button" className="btn btn--primary" onClick={() => go(after)}>
                    <span className="wizard__wide">
                      {t("Continue to {step}", { step: labelOf(after).toLocaleLowerCase() })}
                    </span>
                    <span className="wizard__narrow">{t("Continue")}</span>
                  </button>
                )}
              </div>
            </div>
          </div>
          <aside className="wiz__aside wizard__aside" aria-label={t("Preview and checklist")}>
            <Preview
              cardHtml={now.card_html}
              title={titleText}
              address={addresses.preview}
              savedAt={course.savedAt}
            />
            {isDraft && step !== "review" && (
              <section aria-labelledby="wizard-checks">
                <Checklist checks={now.checks} onGo={go} id="wizard-checks" />
                <p className="small faint mt-3">
                  {missingOf(now.checks).length === 0
                    ? t("Everything that is required is there.")
                    : t("Review usually takes 24 to 48 hours.")}
                </p>
              </section>
            )}
          </aside>
        </div>
      </div>
    </FormContext.Provider>
  );
}

/** A step that is on its way, or could not be fetched. */
function MissingStep({ hasFailed, onRetry }: Missing) {
  if (!hasFailed) return <div className="skel wizard__coming" aria-busy="true" data-step-missing />;
  return (
    <div className="notice notice--warning" role="alert" data-step-missing>
      <Icon name="cloud-off" className="notice__icon" />
      <p className="notice__title">{t("This step could not be loaded")}</p>
      <p className="notice__body">
        {t("Check your connection. What you wrote is kept, and you can go on in another step.")}
      </p>
      <div className="notice__acts">
        <button type="button" className="btn btn--sm" onClick={onRetry}>
          {t("Try again")}
        </button>
      </div>
    </div>
  );
}

const inReview = (): [string, string] => [
  t("Review"),
  t("An admin checks every course before it goes live."),
];

const headings: Record<StepName, () => [string, string]> = {
  basics: () => [
    t("Introduce your course"),
    t("A title and a category are enough to begin. Everything is saved as you type."),
  ],
  details: () => [t("What learners read before they enroll"), t("Plain language works best.")],
  curriculum: () => [
    t("Sections and lessons"),
    t("Five lessons of 5 to 15 minutes each are a good start."),
  ],
  media: () => [t("How the course looks"), t("On cards, in search and in shared links.")],
  price: () => [t("What it costs"), t("You can change the price at any time.")],
  review: () => [
    t("Submit for review"),
    t("An admin checks every course before it goes live. Review usually takes 24 to 48 hours."),
  ],
};
