import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";

import { duration } from "../../shared/format";
import { t } from "../../shared/i18n";
import type { IconName } from "../../shared/iconNames";
import { toast } from "../../shared/toasts";
import { Icon } from "../../shared/ui/Icon";
import { addLesson, addSection, fetchOutline, type Outline } from "./api";

type Kind = Outline["sections"][number]["lessons"][number]["kind"];

const kinds: [Kind, IconName, () => string][] = [
  ["video", "film", () => t("Video")],
  ["text", "file-text", () => t("Text")],
  ["quiz", "circle-question-mark", () => t("Quiz")],
  ["file", "download", () => t("File")],
];
const iconOf = new Map(kinds.map(([kind, icon]) => [kind, icon]));

type Props = {
  slug: string;
  lectures: string;
  isDisabled: boolean;
  /** What is missing for a review may have changed. */
  onChanged: () => void;
};

/** Sections and lessons: new ones begin here, and each leads to its place on the page of lessons. */
export function Curriculum({ slug, lectures, isDisabled, onChanged }: Props) {
  const client = useQueryClient();
  const key = ["studio-outline", slug];
  const { data, error } = useQuery({ queryKey: key, queryFn: () => fetchOutline(slug) });
  const [section, setSection] = useState("");
  const [titles, setTitles] = useState<Record<string, string>>({});
  const onSuccess = (outline: Outline): void => {
    client.setQueryData(key, outline);
    onChanged();
  };
  const setTitle = (uid: string, set: (title: string) => string): void =>
    setTitles((all) => ({ ...all, [uid]: set(all[uid] ?? "") }));
  // The next title can be typed while the server answers; a refused one comes back if its place is free.
  const restore = (title: string) => (now: string) => (now === "" ? title : now);
  const addingSection = useMutation({
    mutationFn: (title: string) => addSection(slug, title.trim()),
    onMutate: () => setSection(""),
    onSuccess,
    onError: ({ message }, title) => {
      setSection(restore(title));
      toast(message);
    },
  });
  const addingLesson = useMutation({
    mutationFn: ({ uid, kind, title }: { uid: string; kind: Kind; title: string }) =>
      addLesson(slug, uid, kind, title.trim()),
    onMutate: ({ uid }) => setTitle(uid, () => ""),
    onSuccess,
    onError: ({ message }, { uid, title }) => {
      setTitle(uid, restore(title));
      toast(message);
    },
  });
  const add = (uid: string, kind: Kind): void => {
    if (!addingLesson.isPending) addingLesson.mutate({ uid, kind, title: titles[uid] ?? "" });
  };
  if (error) return <p role="alert">{error.message}</p>;
  if (!data) return <p className="muted">{t("Loading the lessons")}</p>;
  return (
    <div className="stack gap-5">
      {data.sections.length === 0 && (
        <p className="muted">
          {t("Begin with a section: a theme, a week, or a step towards the goal.")}
        </p>
      )}
      {data.sections.map(({ uid, title, position, facts, lessons }) => (
        <section key={uid} className="unit" aria-labelledby={`wizard-${uid}`}>
          <header className="wizard__unit">
            <h3 className="h5" id={`wizard-${uid}`}>
              <span className="acc__n">{position}</span> <span>{title}</span>
            </h3>
            <p className="small faint">{facts}</p>
          </header>
          <ol>
            {lessons.map((lesson) => (
              <li key={lesson.uid}>
                <a className="wizard__lesson" href={`${lectures}/${lesson.slug}#panel`}>
                  <Icon name={iconOf.get(lesson.kind) ?? "file-text"} />
                  <span className="num faint">{lesson.number}</span>
                  <span>{lesson.title}</span>
                  <span className="small faint num">
                    {lesson.is_ready
                      ? lesson.duration > 0 && duration(lesson.duration)
                      : lesson.state}
                  </span>
                </a>
              </li>
            ))}
          </ol>
          {!isDisabled && (
            <form
              className="wizard__add"
              onSubmit={(event: FormEvent<HTMLFormElement>) => {
                event.preventDefault();
                add(uid, "text");
              }}
            >
              <input
                className="input"
                value={titles[uid] ?? ""}
                maxLength={120}
                placeholder={t("New lesson title")}
                aria-label={t("Title of a new lesson in section {number}", { number: position })}
                onChange={({ target }) => setTitle(uid, () => target.value)}
              />
              <div className="wizard__kinds" role="group" aria-label={t("Add the lesson as")}>
                {kinds.map(([kind, icon, label]) => (
                  <button
                    key={kind}
                    type={kind === "text" ? "submit" : "button"}
                    className="btn btn--sm"
                    disabled={addingLesson.isPending}
                    onClick={() => {
                      if (kind !== "text") add(uid, kind);
                    }}
                  >
                    <Icon name={icon} />
                    {label()}
                  </button>
                ))}
              </div>
            </form>
          )}
        </section>
      ))}
      {!isDisabled && (
        <form
          className="wizard__add wizard__addsection"
          onSubmit={(event: FormEvent) => {
            event.preventDefault();
            if (!addingSection.isPending) addingSection.mutate(section);
          }}
        >
          <input
            className="input"
            value={section}
            maxLength={120}
            placeholder={t("New section title")}
            aria-label={t("Title of a new section")}
            onChange={({ target }) => setSection(target.value)}
          />
          <button type="submit" className="btn btn--sm" disabled={addingSection.isPending}>
            <Icon name="plus" />
            {t("Add a section")}
          </button>
        </form>
      )}
      <div>
        <a className="btn btn--sm btn--quiet wizard__more" href={lectures}>
          {t("Order lessons, make them of files, add videos, captions and quizzes")}
          <Icon name="arrow-right" />
        </a>
      </div>
    </div>
  );
}
