import { type ReactNode, useEffect, useRef, useState } from "react";

import { t } from "../i18n";
import type { IconName } from "../iconNames";
import { mergeText } from "../saving/mergeText";
import { Icon } from "../ui/Icon";
import { onDemand } from "../ui/onDemand";
import type { Surface } from "../editor/surface";
import type { ContentProps } from "./coursePlace";
import { type Place, placeIn } from "./place";

const Writing = onDemand(() => import("./CourseWriting").then((found) => found.CourseWriting));

export type ContentEditorProps = {
  id: string;
  content: ContentProps;
  label: string;
  value: string;
  onChange: (value: string) => void;
  onFocus?: (() => void) | undefined;
  /** Beside the label: a tip. */
  tip?: ReactNode;
  hint?: string | undefined;
  rows?: number;
  isDisabled?: boolean;
  isInvalid?: boolean;
  /** Ids of further descriptions: why the text was refused. */
  describedBy?: string | undefined;
  /** For those who lead to the field by its name. */
  name?: string | undefined;
};

const placeholderIcons: IconName[] = [
  "bold",
  "italic",
  "heading-2",
  "list",
  "list-ordered",
  "text-quote",
  "info",
  "code",
  "sigma",
  "link",
  "table",
  "image-plus",
];

/**
 * The live editor for a text of a course within another island: a textarea until it is focused, then fetched.
 * A new `value` that did not come from here is applied as the smallest change: the caret and what was typed stay.
 */
export function ContentEditor({
  id,
  content,
  label,
  value,
  onChange,
  onFocus,
  tip,
  hint = t("Markdown and formulas work here. Type / for more."),
  rows = 8,
  isDisabled = false,
  isInvalid = false,
  describedBy,
  name,
}: ContentEditorProps) {
  const box = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const surface = useRef<Surface>(null);
  const [place, setPlace] = useState<Place | null>(null);
  const [first] = useState(value);
  /** What the parent is known to have; and what it was told and has not shown yet. */
  const known = useRef(value);
  const told = useRef<string[]>([]);
  const report = useRef(onChange);
  useEffect(() => {
    report.current = onChange;
  }, [onChange]);

  useEffect(() => {
    const element = field.current;
    if (!element) return undefined;
    const onInput = (): void => {
      const text = element.value;
      if (text === (told.current.at(-1) ?? known.current)) return;
      told.current.push(text);
      report.current(text);
    };
    element.addEventListener("input", onInput);
    return () => element.removeEventListener("input", onInput);
  }, []);

  useEffect(() => {
    const element = field.current;
    const base = known.current;
    if (!element || value === base) return;
    known.current = value;
    const echo = told.current.indexOf(value);
    if (echo >= 0) {
      told.current.splice(0, echo + 1);
      return;
    }
    // Written elsewhere; what was typed here since the parent last knew is kept.
    const mine = element.value;
    const next = mine === base ? value : (mergeText(base, mine, value) ?? mine);
    told.current = [];
    if (surface.current) surface.current.update(next);
    else if (mine !== next) {
      element.value = next;
      element.dispatchEvent(new Event("input", { bubbles: true }));
    }
    if (next === mine && next !== value) report.current(next);
  }, [value]);

  const entered = useRef(onFocus);
  useEffect(() => {
    entered.current = onFocus;
  }, [onFocus]);
  useEffect(() => {
    const root = box.current;
    if (!root || isDisabled) return undefined;
    const start = (): void => setPlace((found) => found ?? placeIn(root));
    const onFocusIn = (): void => {
      start();
      entered.current?.();
    };
    root.addEventListener("focusin", onFocusIn);
    for (const input of ["pointerdown", "dragenter"]) root.addEventListener(input, start);
    return () => {
      root.removeEventListener("focusin", onFocusIn);
      for (const input of ["pointerdown", "dragenter"]) root.removeEventListener(input, start);
    };
  }, [isDisabled]);

  const bar = (
    <div className="composer__bar" aria-hidden="true">
      {placeholderIcons.map((icon) => (
        <span
          key={icon}
          className={`icon-btn icon-btn--sm${["heading-2", "code"].includes(icon) ? " composer__gap" : ""}`}
        >
          <Icon name={icon} />
        </span>
      ))}
    </div>
  );
  return (
    <div ref={box} className="field composer">
      <div className="composer__top">
        <span className="field__label tips">
          <span>
            <label htmlFor={id}>{label}</label> {tip}
          </span>
        </span>
        <div className="composer__views" data-composer-part="views" />
      </div>
      <div className="composer__box">
        {place ? (
          <Writing
            content={content}
            place={place}
            surfaceRef={surface}
            instead={({ hasFailed, onRetry }) =>
              hasFailed ? <Unavailable onRetry={onRetry} /> : bar
            }
          />
        ) : (
          bar
        )}
        <div className="composer__two">
          <textarea
            ref={field}
            id={id}
            className="textarea composer__text"
            rows={rows}
            defaultValue={first}
            disabled={isDisabled}
            data-field={name}
            aria-invalid={isInvalid ? "true" : undefined}
            aria-describedby={[`${id}-h`, describedBy].filter(Boolean).join(" ")}
          />
          <Preview />
        </div>
      </div>
      <div className="composer__list" data-composer-part="list" />
      <div className="field__foot">
        <span id={`${id}-h`}>{hint}</span>
        <span className="num" data-composer-part="count" />
      </div>
      <div data-composer-part="uploads" />
      <div className="composer__status" data-composer-part="status" />
    </div>
  );
}

/** Where the preview appears; what is in it and whether it is hidden is the editor's. */
function Preview() {
  return (
    <div
      className="composer__view prose"
      data-composer-part="preview"
      role="region"
      aria-label={t("Preview")}
      tabIndex={0}
      hidden
    />
  );
}

/** In the place of the toolbar: the text can be written all the same. */
function Unavailable({ onRetry }: { onRetry: () => void }) {
  return (
    <div className="composer__bar" role="status">
      <p className="small">
        {t("The tools could not be loaded. You can go on writing: nothing is lost.")}{" "}
        <button type="button" className="link" onClick={onRetry}>
          {t("Try again")}
        </button>
      </p>
    </div>
  );
}
