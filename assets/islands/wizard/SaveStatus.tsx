import { useEffect, useState } from "react";

import { announce } from "../../shared/announce";
import { ApiError } from "../../shared/api/errors";
import { NotAuthenticated } from "../../shared/auth/session";
import { timeOfDay } from "../../shared/format";
import { useOnline } from "../../shared/hooks/useOnline";
import { t, tn } from "../../shared/i18n";
import { Icon } from "../../shared/ui/Icon";
import type { EditedCourse } from "./useCourse";

type Words = { text: string; isProblem: boolean };

const isSignedOut = (reason: unknown): boolean =>
  reason instanceof NotAuthenticated || (reason instanceof ApiError && reason.status === 401);

function reasonOf(failure: unknown): string {
  if (isSignedOut(failure)) return t("your session has ended");
  if (failure instanceof ApiError && failure.status === 404)
    return t("the course was deleted, or it isn't yours anymore");
  return failure instanceof Error ? failure.message : t("something went wrong");
}

/** Where what was written is now. */
function wordsOf(course: EditedCourse, isOnline: boolean): Words {
  const { fields, savedAt, failure, delay } = course;
  const states = [...fields.values()].map(({ state }) => state);
  const has = (state: (typeof states)[number]): boolean => states.includes(state);
  const problem = (text: string): Words => ({ text, isProblem: true });
  if (failure !== null && course.isUnsaved)
    return problem(t("Not saved: {reason}", { reason: reasonOf(failure) }));
  if (has("memory")) return problem(t("Not saved: this device can't keep it either"));
  if (has("conflict")) return problem(t("Not saved: changed elsewhere, too"));
  if (has("refused")) {
    const refused = [...fields.values()].filter(({ state }) => state === "refused");
    return problem(t("Not saved: {reason}", { reason: refused[0]?.problem ?? "" }));
  }
  if (has("saving")) return { text: t("Saving"), isProblem: false };
  if (has("device")) {
    let text = t("On this device");
    if (!isOnline) text = t("On this device: it is saved once you are online");
    else if (delay instanceof ApiError && delay.status === 429)
      text = t("On this device: the server asks to wait, then it is saved");
    else if (delay !== null) text = t("On this device: the server doesn't answer, trying again");
    return { text, isProblem: false };
  }
  const text = savedAt === null ? "" : t("Saved {time}", { time: timeOfDay(savedAt) });
  return { text, isProblem: false };
}

/** `isQuiet`: the same words stand elsewhere, for another width. */
export function SaveStatus({
  course,
  isQuiet = false,
}: {
  course: EditedCourse;
  isQuiet?: boolean;
}) {
  const isOnline = useOnline();
  const { text, isProblem } = wordsOf(course, isOnline);
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
