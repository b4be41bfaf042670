import { Fragment, useEffect, useState } from "react";
import { createPortal } from "react-dom";

import type { ContentProps } from "../../shared/composer/coursePlace";
import type { Place } from "../../shared/composer/place";
import { onDemand } from "../../shared/ui/onDemand";

const Writing = onDemand(() =>
  import("../../shared/composer/CourseWriting").then((found) => found.CourseWriting),
);

/** Of choices, and of the feedback on them. */
export type LineTexts = Record<"choice" | "feedback", ContentProps>;

type Line = {
  number: number;
  root: HTMLElement;
  tools: HTMLElement;
  place: Place;
  content: ContentProps;
};

let lineCount = 0;

/** The live editor on the lines of a question's form (line_field in templates/courses/studio/_question.html). */
export function LineEditors({ form, texts }: { form: HTMLFormElement | null; texts: LineTexts }) {
  const lines = useOpenLines(form, texts);
  return lines.map(({ number, tools, place, content }) => (
    <Fragment key={number}>
      {createPortal(<Writing content={content} place={place} isLine />, tools)}
    </Fragment>
  ));
}

/** Those that had the focus: a question with many choices opens as fast as one with two. */
function useOpenLines(form: HTMLFormElement | null, texts: LineTexts): readonly Line[] {
  const [lines, setLines] = useState<readonly Line[]>([]);
  useEffect(() => {
    if (!form) return undefined;
    const listening = new AbortController();
    const { signal } = listening;
    let opened: readonly Line[] = [];
    const open = ({ target }: Event): void => {
      const root =
        target instanceof Element ? target.closest<HTMLElement>("[data-line-editor]") : null;
      if (!root || opened.some((line) => line.root === root)) return;
      setLines((opened = [...opened, prepare(root, texts)]));
    };
    const forgetRemoved = (): void => {
      const left = opened.filter(({ root }) => root.isConnected);
      if (left.length < opened.length) setLines((opened = left));
    };
    for (const sign of ["focusin", "pointerdown", "dragenter"])
      form.addEventListener(sign, open, { signal });
    form.addEventListener("input", forgetRemoved, { signal });
    return () => listening.abort();
  }, [form, texts]);
  return lines;
}

/** Put the parts that the editor draws into around the textarea. */
function prepare(root: HTMLElement, texts: LineTexts): Line {
  const field = root.querySelector("textarea");
  if (!field) throw new Error("The line has no textarea");
  const part = (name: string): HTMLElement => {
    const element = document.createElement("span");
    element.className = `lineeditor__${name}`;
    return element;
  };
  const number = (lineCount += 1);
  field.id ||= `line-${number}`;
  const [tools, list, foot] = [part("tools"), part("list"), part("foot")];
  const [count, status, uploads] = [part("count"), part("status"), part("uploads")];
  foot.append(status, count, uploads);
  root.prepend(tools);
  root.append(list, foot);
  // Its page has a preview already: these two stay out of it.
  const [views, preview] = [part("views"), part("preview")];
  const place = {
    field,
    form: field.form,
    views,
    preview,
    list,
    count,
    status,
    uploads,
    draft: "",
  };
  const content = texts[root.dataset.lineEditor === "feedback" ? "feedback" : "choice"];
  return { number, root, tools, place, content };
}
