import { useEffect, useState } from "react";

import { announce } from "../../shared/announce";
import { useOnline } from "../../shared/hooks/useOnline";
import { t, tn } from "../../shared/i18n";
import { describeSaving } from "../../shared/saving/describeSaving";
import { isSignedOut, reasonOf } from "../../shared/saving/judge";
import { Icon } from "../../shared/ui/Icon";
import type { EditedCourse } from "./useCourse";

/** `isQuiet`: the same words stand elsewhere, for another width. */
export function SaveStatus({
  course,
  isQuiet = false,
}: {
  course: EditedCourse;
  isQuiet?: boolean;
}) {
  const isOnline = useOnline();
  const { text, isProblem } = describeSaving(course.fields, course, isOnline);
  useEffect(() => {
    // "Saving" and "Saved" at every pause would talk over the writer.
    if (isProblem && !isQuiet) announce(text);
  }, [isProblem, isQuiet, text]);
  const { others } = course;
  const names = [...new Set(others.map(({ name }) => name))];
  return (
    <span className={`wizard__say small${isQuiet ? " wizard__say--foot" : ""}`}>
      {names.length > 0 && (
        <span className="wizard__others" title={t("This course is open elsewhere, too")}>
          <Icon name="users" />
          {tn("{names} is editing too", "{names} are editing too", names.length, {
            names: names.join(", "),
          })}
        </span>
      )}
      <span className={isProblem ? "wizard__problem" : "faint"} data-save-status="">
        {text}
      </span>
    </span>
  );
}

/** What somebody has to do before anything can be saved again. */
export function SaveProblem({ course }: { course: EditedCourse }) {
  const { failure, fields, isUnsaved } = course;
  const [isCopied, setCopied] = useState(false);
  const isFull = [...fields.values()].some(({ state }) => state === "memory");
  if (!isUnsaved || (failure === null && !isFull)) return null;
  const copy = (): void => {
    const unsaved = [...fields]
      .filter(([, { state }]) => state !== "saved")
      .map(([, { value }]) => (typeof value === "string" ? value : JSON.stringify(value)));
    void navigator.clipboard
      .writeText(unsaved.join("\n\n"))
      .then(() => setCopied(true))
      .catch(() => undefined);
  };
  return (
    <div className="notice notice--warning" role="alert">
      <Icon name="triangle-alert" className="notice__icon" />
      <p className="notice__title">
        {failure === null
          ? t("This device is full, or doesn't let the page keep anything")
          : t("Not saved: {reason}", { reason: reasonOf(failure) })}
      </p>
      <p className="notice__body">
        {failure === null
          ? t("Leave the page open until it says “Saved”.")
          : isFull
            ? t("Copy what you wrote before you close the page: this device can't keep it.")
            : t("What you wrote is kept on this device.")}
      </p>
      <div className="notice__acts">
        {isSignedOut(failure) && (
          <a
            className="btn btn--sm btn--primary"
            href={`/auth/login?next=${encodeURIComponent(location.pathname)}`}
            target="_blank"
            rel="noreferrer"
          >
            {t("Sign in in a new tab")}
          </a>
        )}
        {failure !== null && (
          <>
            <button type="button" className="btn btn--sm" onClick={course.flush}>
              {t("Try again")}
            </button>
            <button type="button" className="btn btn--sm" onClick={copy}>
              <Icon name="copy" />
              {isCopied ? t("Copied") : t("Copy what isn't saved")}
            </button>
          </>
        )}
      </div>
    </div>
  );
}
