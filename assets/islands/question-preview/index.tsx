import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";

import { useAuth } from "../../shared/auth/AuthProvider";
import { toApiError } from "../../shared/api/errors";
import { t } from "../../shared/i18n";
import { ErrorPanel } from "../../shared/ui/ErrorPanel";
import { type Preview, previewQuestion } from "./api";
import { type LineTexts, LineEditors } from "./LineEditors";
import { enhanceForm } from "./lines";
import { QuestionPreview } from "./QuestionPreview";

type Props = {
  /** The slug of the course. */
  course: string;
  texts: LineTexts;
};

const TYPING_PAUSE_MS = 400;

/** What learners will meet, while the form beside it is being filled in. */
export function Island({ course, texts }: Props) {
  const { isLoading } = useAuth();
  const form = document.querySelector<HTMLFormElement>("form[data-question-form]");
  const fields = useFields(form);
  const query = useQuery({
    queryKey: ["question-preview", course, fields],
    queryFn: () => previewQuestion(course, fields),
    enabled: !isLoading && fields !== "",
    placeholderData: (earlier: Preview | undefined) => earlier,
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const { data } = query;
  return (
    <>
      <LineEditors form={form} texts={texts} />
      {query.error && (
        <ErrorPanel error={toApiError(query.error)} onRetry={() => query.refetch()} />
      )}
      {data?.question ? (
        <QuestionPreview key={shapeOf(data)} question={data.question} draft={data.draft} />
      ) : (
        <p className="muted">{t("The preview appears here once the question has a text.")}</p>
      )}
      {data?.problem && (
        <p className="small muted mt-4" role="status">
          {data.problem}
        </p>
      )}
    </>
  );
}

/** What an answer refers to: when it changes, an answer that was given is no longer one. */
function shapeOf({ question }: Preview): string {
  if (!question) return "";
  const { kind, options, left, right, gaps } = question;
  const ids = [options, left, right].map((list) => list.map(({ id }) => id).join());
  return [kind, ...ids, ...gaps.map(({ number, kind: field }) => `${number}${field}`)].join(";");
}

/** The fields of the form, URL-encoded, a moment after they have changed. */
function useFields(form: HTMLFormElement | null): string {
  const [fields, setFields] = useState(() => encode(form));
  useEffect(() => {
    if (!form) return;
    const listening = new AbortController();
    let timer = 0;
    const changed = (): void => {
      clearTimeout(timer);
      timer = window.setTimeout(() => setFields(encode(form)), TYPING_PAUSE_MS);
    };
    form.addEventListener("input", changed, { signal: listening.signal });
    form.addEventListener("change", changed, { signal: listening.signal });
    enhanceForm(form, listening.signal);
    return () => {
      clearTimeout(timer);
      listening.abort();
    };
  }, [form]);
  return fields;
}

function encode(form: HTMLFormElement | null): string {
  if (!form) return "";
  const fields = new URLSearchParams();
  for (const [name, value] of new FormData(form))
    if (typeof value === "string" && name !== "csrfmiddlewaretoken") fields.append(name, value);
  return fields.toString();
}
