import { useState } from "react";

import { toApiError } from "../../shared/api/errors";
import { useAuth } from "../../shared/auth/AuthProvider";
import { t } from "../../shared/i18n";
import { ErrorPanel } from "../../shared/ui/ErrorPanel";
import { Editor } from "./Editor";
import type { CaptionsProps } from "./props";
import { useChapters } from "./useChapters";
import { useSheet } from "./useSheet";
import { PlayedVideo } from "../../shared/video/playedVideo";

/** Captions beside the playing video, in one language or two, and the chapters. */
export function Island(props: CaptionsProps) {
  const { isLoading } = useAuth();
  const [language, setLanguage] = useState(props.language);
  const [second, setSecond] = useState("");
  const [video] = useState(() => new PlayedVideo(props.sources));
  // Outside of the editor, which begins again with another language.
  const chapters = useChapters(
    props.lesson,
    props.author,
    props.chapters,
    props.are_chapters_locked,
  );
  const first = useSheet(props.lesson, isLoading ? "" : language, props.author);
  const other = useSheet(props.lesson, second, props.author);
  const failed = first.failure ?? other.failure;
  if (failed !== null)
    return (
      <ErrorPanel
        error={toApiError(failed)}
        onRetry={() => (first.failure === null ? other : first).retry()}
      />
    );
  if (!first.sheet)
    return (
      <p className="muted" role="status">
        {t("Loading the captions")}
      </p>
    );
  return (
    <Editor
      key={language}
      props={props}
      video={video}
      chapters={chapters}
      sheet={first.sheet}
      second={second === "" ? null : other.sheet}
      secondLanguage={second}
      onLanguage={(tag) => {
        if (tag === second) setSecond("");
        setLanguage(tag);
      }}
      onSecond={setSecond}
      onReload={() => first.retry()}
    />
  );
}
