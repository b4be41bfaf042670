import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";

import { number } from "../../shared/format";
import { t } from "../../shared/i18n";
import { newUid } from "../../shared/newUid";
import { createUnsavedStore } from "../../shared/saving/unsavedStore";
import { Button } from "../../shared/ui/Button";
import { Icon } from "../../shared/ui/Icon";
import { createCourse } from "./api";
import { categoryTip, TITLE_LENGTH, titleTip } from "./Basics";
import { labelOf, stepNames } from "./steps";
import { Tip } from "./Tip";
import type { TypedBefore } from "./typedBefore";
import { type Kept, unsavedOf } from "./useCourse";

export type NewCourseProps = {
  user: string;
  subjects: readonly { value: string; label: string }[];
  /** The page of a course, with "SLUG" in the place of its name in addresses. */
  editAddress: string;
  listAddress: string;
};

type Typed = { title: string; subject: string; uid: string };

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** A course begins with a title; from then on each field is saved by itself. What is typed stays on this device. */
export function NewCourse({
  user,
  subjects,
  editAddress,
  listAddress,
  kept: { store, kept },
  typed: before = {},
}: NewCourseProps & { kept: Kept } & TypedBefore) {
  const [typed, setTyped] = useState<Typed>(() => {
    const last = kept.at(-1) ?? {};
    const [title, subject] = ["title", "subject"].map(
      (name) => textOf(before[name]) || textOf(last[name]?.value),
    ) as [string, string];
    // The same course, however often it is asked for.
    return { title, subject, uid: textOf(last.uid?.value) || newUid() };
  });
  const [isTried, setTried] = useState(false);
  const { title, subject } = typed;
  const change = (part: Partial<Typed>): void => {
    const next = { ...typed, ...part };
    setTyped(next);
    const fields = Object.entries(next).map(([name, value]) => [
      name,
      { value, base: "", baseValue: "", at: Date.now() },
    ]);
    store.write(Object.fromEntries(fields) as Parameters<typeof store.write>[0]);
  };
  const creating = useMutation({
    mutationFn: () => createCourse({ ...typed, author: user }),
    onSuccess: (course) => {
      store.write({});
      // The page's form has more fields: the course keeps what was typed into them before this was here.
      const rest = Object.entries(before).filter(([name]) => !(name in typed));
      createUnsavedStore(user, course.uid).write(unsavedOf(course, Object.fromEntries(rest)));
      location.assign(`${editAddress.replace("SLUG", course.slug)}#details`);
    },
  });
  const isBusy = creating.isPending || creating.isSuccess;
  const isMissing = isTried && title.trim() === "";
  const isCategoryMissing = isTried && subject === "";
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    if (isBusy) return;
    setTried(true);
    if (title.trim() === "") document.getElementById("wizard-title")?.focus();
    else if (subject === "") document.getElementById("wizard-subject")?.focus();
    else {
      change({});
      creating.mutate();
    }
  };
  const next = [
    t("Outline your sections and lessons"),
    t("Upload videos, and write texts and quizzes"),
    t("Submit for review, which usually takes 24 to 48 hours"),
    t("The course goes live when it is approved"),
  ];
  return (
    <div className="wiz wizard" data-step="new">
      <nav aria-label={t("Steps")}>
        <ol className="steps">
          {stepNames.map((name, index) => (
            <li key={name}>
              <span className="step" aria-current={index === 0 ? "step" : undefined}>
                {labelOf(name)}
                <small>{index === 0 ? t("Begin here") : t("Not started")}</small>
              </span>
            </li>
          ))}
        </ol>
      </nav>
      <div className="wiz__grid">
        <form className="wiz__form" noValidate onSubmit={onSubmit}>
          <section className="wiz__sec" aria-labelledby="wizard-new">
            <header>
              <h2 className="h4" id="wizard-new">
                {t("Introduce your course")}
              </h2>
              <p>{t("A title and a category are enough to begin.")}</p>
            </header>
            <div className="field">
              <div className="field__label tips">
                <span>
                  <label htmlFor="wizard-title">{t("Title")}</label>{" "}
                  <Tip text={titleTip()} label={t("About titles")} />
                </span>
                <span className="field__opt num">
                  {t("{count} of {most}", {
                    count: number(title.length),
                    most: number(TITLE_LENGTH),
                  })}
                </span>
              </div>
              <input
                id="wizard-title"
                data-field="title"
                className="input input--title"
                required
                maxLength={TITLE_LENGTH}
                disabled={isBusy}
                value={title}
                aria-invalid={isMissing ? "true" : undefined}
                aria-describedby={isMissing ? "wizard-title-e" : "wizard-title-h"}
                onChange={({ target }) => change({ title: target.value })}
              />
              {isMissing ? (
                <p className="field__error" id="wizard-title-e" role="alert">
                  <Icon name="circle-alert" />
                  <span>{t("Enter a title.")}</span>
                </p>
              ) : (
                <p className="field__hint" id="wizard-title-h">
                  {t("Titles of up to 60 characters fit best on a course card.")}
                </p>
              )}
            </div>
            <div className="field">
              <div className="field__label tips">
                <span>
                  <label htmlFor="wizard-subject">{t("Category")}</label>{" "}
                  <Tip text={categoryTip()} label={t("About categories")} />
                </span>
              </div>
              <select
                id="wizard-subject"
                data-field="subject"
                className="select"
                required
                disabled={isBusy}
                value={subject}
                aria-invalid={isCategoryMissing ? "true" : undefined}
                aria-describedby={isCategoryMissing ? "wizard-subject-e" : undefined}
                onChange={({ target }) => change({ subject: target.value })}
              >
                <option value="">{t("Choose one")}</option>
                {subjects.map(({ value, label }) => (
                  <option key={value} value={value}>
                    {label}
                  </option>
                ))}
              </select>
              {isCategoryMissing && (
                <p className="field__error" id="wizard-subject-e" role="alert">
                  <Icon name="circle-alert" />
                  <span>{t("Choose a category.")}</span>
                </p>
              )}
            </div>
            {creating.error && (
              <p className="field__error" role="alert">
                <Icon name="circle-alert" />
                <span>
                  {creating.error.message} {t("What you typed is kept on this device.")}
                </span>
              </p>
            )}
          </section>
          <div className="wiz__foot">
            <a className="btn btn--quiet" href={listAddress}>
              {t("Cancel")}
            </a>
            <Button type="submit" look="primary" isBusy={isBusy}>
              {t("Create the draft")}
            </Button>
          </div>
        </form>
        <aside className="wiz__aside wizard__aside" aria-label={t("What happens next")}>
          <section aria-labelledby="wizard-next">
            <div className="sec-head sec-head--fine">
              <h2 className="h5" id="wizard-next">
                {t("What happens next")}
              </h2>
            </div>
            <ol className="numbered small">
              {next.map((line) => (
                <li key={line}>{line}</li>
              ))}
            </ol>
          </section>
          <p className="small muted">
            {t(
              "Every course gets its own artwork, generated from its name. You can choose a variation or upload a picture later.",
            )}
          </p>
        </aside>
      </div>
    </div>
  );
}
