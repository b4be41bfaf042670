/** The fields of a course, each with its tip, its counter and what keeps it from being saved. */
import { createContext, type ReactNode, useContext } from "react";

import { ContentEditor } from "../../shared/composer/ContentEditor";
import type { ContentProps } from "../../shared/composer/coursePlace";
import { number } from "../../shared/format";
import { t } from "../../shared/i18n";
import { FieldStatus } from "./FieldStatus";
import { Tip } from "./Tip";
import type { EditedCourse } from "./useCourse";

export type Choice = { value: string; label: string };
export type ChoiceWithHint = Choice & { hint: string };
export type Form = { course: EditedCourse; isLocked: boolean };

export const FormContext = createContext<Form | null>(null);

export function useForm(): Form {
  const form = useContext(FormContext);
  if (!form) throw new Error("A field of the wizard is outside of it");
  return form;
}

/** The value of a field, and what a control needs to be tied to its words. */
export function useField(name: string) {
  const { course, isLocked } = useForm();
  const field = course.fields.get(name);
  const isWrong = field?.state === "refused" || field?.state === "conflict";
  return {
    value: field?.value,
    text: typeof field?.value === "string" ? field.value : "",
    isWrong,
    isLocked,
    set: (value: unknown) => course.set(name, value),
    /** `hint`: whether the field has one. */
    ties: (hint = false) => ({
      id: `wizard-${name}`,
      "data-field": name,
      disabled: isLocked,
      "aria-invalid": isWrong ? ("true" as const) : undefined,
      "aria-describedby":
        [isWrong && `wizard-${name}-e`, hint && `wizard-${name}-h`].filter(Boolean).join(" ") ||
        undefined,
    }),
  };
}

/** What belongs to a field: nothing is written into it while the user is inside. */
export function Inside({ name, children }: { name: string; children: ReactNode }) {
  const { course } = useForm();
  return (
    // It only watches where the focus is.
    // eslint-disable-next-line jsx-a11y/no-static-element-interactions
    <div
      className="wizard__inside"
      onFocus={() => course.enter(name)}
      onBlur={({ currentTarget, relatedTarget }) => {
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget)))
          course.enter("");
      }}
    >
      {children}
    </div>
  );
}

export function Status({
  name,
  show = String,
}: {
  name: string;
  show?: (value: unknown) => string;
}) {
  const { course } = useForm();
  return (
    <FieldStatus
      id={`wizard-${name}`}
      field={course.fields.get(name)}
      show={show}
      onResolve={(choice) => course.resolve(name, choice)}
      onShow={() => course.show(name)}
    />
  );
}

type Words = { name: string; label: string; tip?: string; about?: string };

export function Label({ name, label, tip = "", about = "", end }: Words & { end?: ReactNode }) {
  return (
    <div className="field__label tips">
      <span>
        <label htmlFor={`wizard-${name}`}>{label}</label>
        {tip !== "" && <> {<Tip text={tip} label={about} />}</>}
      </span>
      {end}
    </div>
  );
}

export function Counter({ count, most }: { count: number; most: number }) {
  return (
    <span className="field__opt num">
      {t("{count} of {most}", { count: number(count), most: number(most) })}
    </span>
  );
}

export function TextField({
  most,
  hint = "",
  className = "",
  ...words
}: Words & { most: number; hint?: string; className?: string }) {
  const { text, set, ties } = useField(words.name);
  return (
    <Inside name={words.name}>
      <div className="field">
        <Label {...words} end={<Counter count={text.length} most={most} />} />
        <input
          {...ties(hint !== "")}
          className={`input ${className}`.trim()}
          maxLength={most}
          value={text}
          onChange={({ target }) => set(target.value)}
        />
        <Status name={words.name} />
        {hint !== "" && (
          <p className="field__hint" id={`wizard-${words.name}-h`}>
            {hint}
          </p>
        )}
      </div>
    </Inside>
  );
}

export function ContentField({
  content,
  rows,
  ...words
}: Words & { content: ContentProps; rows: number }) {
  const { text, set, isLocked, isWrong } = useField(words.name);
  const { tip = "", about = "" } = words;
  return (
    <Inside name={words.name}>
      <ContentEditor
        id={`wizard-${words.name}`}
        name={words.name}
        content={content}
        label={words.label}
        tip={tip !== "" && <Tip text={tip} label={about} />}
        value={text}
        onChange={set}
        rows={rows}
        isDisabled={isLocked}
        isInvalid={isWrong}
        describedBy={isWrong ? `wizard-${words.name}-e` : undefined}
      />
      <Status name={words.name} />
    </Inside>
  );
}

export function SelectField({ choices, ...words }: Words & { choices: readonly Choice[] }) {
  const { text, set, ties } = useField(words.name);
  return (
    <Inside name={words.name}>
      <div className="field">
        <Label {...words} />
        <select
          {...ties()}
          className="select"
          value={text}
          onChange={({ target }) => set(target.value)}
        >
          {choices.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
        <Status name={words.name} show={(value) => labelIn(choices, value)} />
      </div>
    </Inside>
  );
}

export function labelIn(choices: readonly Choice[], value: unknown): string {
  return choices.find((one) => one.value === value)?.label ?? "";
}

/** Radio buttons as boxes, each with a sentence. */
export function ChoiceField({
  choices,
  chosen,
  onChoose,
  show,
  hasLevels = false,
  ...words
}: Words & {
  choices: readonly ChoiceWithHint[];
  chosen: string;
  onChoose: (value: string) => void;
  show: (value: unknown) => string;
  hasLevels?: boolean;
}) {
  const { isLocked } = useForm();
  const { name, label, tip = "", about = "" } = words;
  return (
    <Inside name={name}>
      <fieldset className="field bare" disabled={isLocked}>
        <legend className="field__label tips wizard__legend">
          <span>
            {label}
            {tip !== "" && <> {<Tip text={tip} label={about} />}</>}
          </span>
        </legend>
        <div className="choices">
          {choices.map((choice, index) => (
            <label key={choice.value} className="choice">
              <input
                type="radio"
                name={`wizard-${name}`}
                value={choice.value}
                aria-label={choice.label}
                data-field={chosen === choice.value ? name : undefined}
                checked={chosen === choice.value}
                onChange={() => onChoose(choice.value)}
              />
              <span className="choice__box">
                <b>
                  {hasLevels && (
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
        <Status name={name} show={show} />
      </fieldset>
    </Inside>
  );
}
