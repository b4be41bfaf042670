import { useMutation } from "@tanstack/react-query";
import { useEffect, useId, useState } from "react";

import { announce } from "../../shared/announce";
import { t } from "../../shared/i18n";
import { Icon } from "../../shared/ui/Icon";
import { fetchCourse, type StudioCourse, submitCourse, withdrawCourse } from "./api";
import { Checklist, type Go, missingOf } from "./Checklist";
import { Inside, Status, useForm, useField } from "./CourseForm";

type Props = { user: string; onGo: Go };

/** The note stays on the device until it is sent. */
function useNote(name: string): [string, (note: string) => void] {
  const [note, setNote] = useState(() => {
    try {
      return localStorage.getItem(name) ?? "";
    } catch {
      return "";
    }
  });
  useEffect(() => {
    try {
      if (note === "") localStorage.removeItem(name);
      else localStorage.setItem(name, note);
    } catch {
      // Storage is blocked or full: the page has it.
    }
  }, [name, note]);
  return [note, setNote];
}

/** What is missing, the note to the reviewer, and the state after submitting. */
export function Review({ user, onGo }: Props) {
  const { course } = useForm();
  const { now } = course;
  const [note, setNote] = useNote(`study.review-note:${user}:${now.uid}`);
  const announced = useField("is_announced");
  const id = useId();
  const missing = missingOf(now.checks);
  const waiting = [...course.fields.values()].filter(({ state }) => state !== "saved");
  const isBlocked = waiting.some(({ state }) => state === "refused" || state === "conflict");
  const submitting = useMutation({
    mutationFn: async () => {
      try {
        return await submitCourse(now.uid, note);
      } catch (reason) {
        // An answer may have been lost, and a second press comes too late: what counts is the state.
        const found = await fetchCourse(now.uid).catch(() => null);
        if (found?.status === "review") return found;
        throw reason;
      }
    },
    onSuccess: (found: StudioCourse) => {
      setNote("");
      course.replace(found);
      announce(t("Your course was submitted. Review usually takes 24 to 48 hours."));
    },
  });
  const withdrawing = useMutation({
    mutationFn: () => withdrawCourse(now.uid),
    onSuccess: (found: StudioCourse) => {
      course.replace(found);
      announce(t("The course is a draft again."));
    },
  });
  if (now.status === "review")
    return (
      <>
        <div className="notice notice--ok">
          <Icon name="circle-check" className="notice__icon" />
          <p className="notice__title" tabIndex={-1} data-field="submitted">
            {t("Submitted")}
          </p>
          <p className="notice__body">
            {t(
              "Review usually takes 24 to 48 hours. We tell you as soon as it is decided. Until then the course can't be changed.",
            )}
          </p>
        </div>
        {withdrawing.error && (
          <p className="field__error" role="alert">
            <Icon name="circle-alert" />
            <span>{withdrawing.error.message}</span>
          </p>
        )}
        {now.can_withdraw && (
          <div>
            <button
              type="button"
              className="btn btn--sm"
              disabled={withdrawing.isPending}
              onClick={() => withdrawing.mutate()}
            >
              <Icon name="undo-2" />
              {t("Withdraw and edit")}
            </button>
          </div>
        )}
      </>
    );
  return (
    <>
      <section className="wizard__all" aria-labelledby="wizard-review-checks">
        <Checklist checks={now.checks} onGo={onGo} id="wizard-review-checks" />
      </section>
      {now.status !== "published" && (
        <Inside name="is_announced">
          <label className="row">
            <input
              className="switch"
              type="checkbox"
              data-field="is_announced"
              disabled={announced.isLocked}
              checked={announced.value === true}
              onChange={({ target }) => announced.set(target.checked)}
            />
            <span>{t("Show the draft in the catalog as “Coming Soon”")}</span>
          </label>
          <Status name="is_announced" show={(value) => (value === true ? t("On") : t("Off"))} />
        </Inside>
      )}
      {now.can_submit && (
        <form
          className="stack gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            if (!submitting.isPending) submitting.mutate();
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
              disabled={submitting.isPending}
              onChange={({ target }) => setNote(target.value)}
            />
          </div>
          {submitting.error && (
            <p className="field__error" role="alert">
              <Icon name="circle-alert" />
              <span>{submitting.error.message}</span>
            </p>
          )}
          <div className="stack gap-2">
            <div>
              <button
                type="submit"
                className="btn btn--primary"
                disabled={missing.length > 0 || waiting.length > 0 || submitting.isPending}
                aria-describedby={`${id}-why`}
              >
                {t("Submit for review")}
              </button>
            </div>
            <p className="small faint" id={`${id}-why`}>
              {whyNot(missing.length > 0, isBlocked, waiting.length > 0)}
            </p>
          </div>
        </form>
      )}
    </>
  );
}

function whyNot(isMissing: boolean, isBlocked: boolean, isUnsaved: boolean): string {
  if (isMissing) return t("Complete the required items before submitting.");
  if (isBlocked) return t("A field isn't saved yet: correct it first.");
  if (isUnsaved) return t("Wait until everything is saved.");
  return t("Review usually takes 24 to 48 hours.");
}
