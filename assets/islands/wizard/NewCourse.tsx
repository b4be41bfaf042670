import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";

import { t } from "../../shared/i18n";
import { createUnsavedStore } from "../../shared/saving/unsavedStore";
import { Button } from "../../shared/ui/Button";
import { Icon } from "../../shared/ui/Icon";
import { createCourse } from "./api";
import { labelOf, stepNames } from "./steps";

export type NewCourseProps = {
  user: string;
  subjects: readonly { value: string; label: string }[];
  /** The page of a course, with "SLUG" in the place of its name in addresses. */
  editAddress: string;
  listAddress: string;
};

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** A course begins with a title; from then on each field is saved by itself. What is typed stays on this device. */
export function NewCourse({ user, subjects, editAddress, listAddress }: NewCourseProps) {
  const [store] = useState(() => createUnsavedStore(user, "new-course"));
  const [kept] = useState(() => store.read());
  const [title, setTitle] = useState(() => textOf(kept.title?.value));
  const [subject, setSubject] = useState(() => textOf(kept.subject?.value));
  const [isTried, setTried] = useState(false);
  const keep = (values: { title: string; subject: string }): void => {
    const fields = Object.entries(values).map(([name, value]) => [
      name,
      { value, base: "", baseValue: "", at: Date.now() },
    ]);
    store.write(Object.fromEntries(fields) as Parameters<typeof store.write>[0]);
  };
  const creating = useMutation({
    mutationFn: () => createCourse(title, subject || undefined),
    onSuccess: ({ slug }) => {
      store.write({});
      location.assign(`${editAddress.replace("SLUG", slug)}#details`);
    },
  });
  const isMissing = isTried && title.trim() === "";
  const isCategoryMissing = isTried && subject === "";
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    setTried(true);
    if (title.trim() !== "" && subject !== "") creating.mutate();
  };
  return (
    <div className="wiz">
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
      <form className="wiz__form wizard__new" noValidate onSubmit={onSubmit}>
        <section className="wiz__sec" aria-labelledby="wizard-new">
          <header>
            <h2 className="h4" id="wizard-new">
              {t("Introduce your course")}
            </h2>
            <p>{t("A title and a category are enough to begin.")}</p>
          </header>
          <div className="field">
            <div className="field__label">
              <label htmlFor="wizard-title">{t("Title")}</label>
              <span className="field__opt num">
                {t("{count} of {most}", { count: title.length, most: 120 })}
              </span>
            </div>
            <input
              id="wizard-title"
              className="input input--title"
              maxLength={120}
              required
              value={title}
              aria-invalid={isMissing ? "true" : undefined}
              aria-describedby={isMissing ? "wizard-title-e" : "wizard-title-h"}
              onChange={({ target }) => {
                setTitle(target.value);
                keep({ title: target.value, subject });
              }}
            />
            {isMissing ? (
              <p className="field__error" id="wizard-title-e" role="alert">
                <Icon name="circle-alert" />
                <span>{t("Enter a title.")}</span>
              </p>
            ) : (
              <p className="field__hint" id="wizard-title-h">
                {t("Say what learners will be able to do, in words they would search for.")}
              </p>
            )}
          </div>
          <div className="field">
            <label className="field__label" htmlFor="wizard-subject">
              {t("Category")}
            </label>
            <select
              id="wizard-subject"
              className="select"
              required
              value={subject}
              aria-invalid={isCategoryMissing ? "true" : undefined}
              aria-describedby={isCategoryMissing ? "wizard-subject-e" : undefined}
              onChange={({ target }) => {
                setSubject(target.value);
                keep({ title, subject: target.value });
              }}
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
              <span>{creating.error.message}</span>
            </p>
          )}
        </section>
        <div className="wiz__foot">
          <a className="btn btn--quiet" href={listAddress}>
            {t("Cancel")}
          </a>
          <Button type="submit" look="primary" isBusy={creating.isPending || creating.isSuccess}>
            {t("Create the draft")}
          </Button>
        </div>
      </form>
    </div>
  );
}
