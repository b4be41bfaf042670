import { useEffect, useState } from "react";

import { toApiError } from "../../shared/api/errors";
import { t } from "../../shared/i18n";
import { Icon } from "../../shared/ui/Icon";
import { complete } from "./completeLesson";
import type { External, PlayerProps } from "./api";
import type { Player } from "./engine/player";
import { Store } from "./engine/store";
import { usePlayback, useStore } from "./usePlayback";
import type { FrameState, FrameStream } from "./engine/frameStream";
import { saveLength } from "./saveLength";

type Props = {
  player: Player;
  lesson: PlayerProps;
  external: External;
  stream: FrameStream | null;
  onComplete: () => void;
};

/** A file is played here, so everything about it is told. */
const TOLD = new Store<FrameState>({ problem: null, isSilent: false });

/** The line below the video: where it comes from, and marking it as complete where watching can't be counted. */
export function ExternalFoot({ player, lesson, external, stream, onComplete }: Props) {
  const { problem, isSilent } = useStore(stream?.state ?? TOLD);
  const status = usePlayback(player.playback, (state) => state.status);
  const length = usePlayback(player.playback, (state) => Math.round(state.duration));
  const { name, address, may_tell_length: mayTellLength } = external;
  useEffect(() => {
    if (mayTellLength && length >= 1 && lesson.duration === 0) void saveLength(lesson.uid, length);
  }, [mayTellLength, length, lesson]);

  const isUnmeasured = lesson.duration === 0;
  const isWrong = problem !== null || isSilent || status === "error";
  const mayMark = lesson.may_save && !lesson.completed;
  const marks = mayMark && (isUnmeasured || isWrong || status === "ended");
  return (
    <div className="plate__foot small">
      {!stream && (
        <p>
          <a className="link" href={address} rel="noopener noreferrer" target="_blank">
            {t("Open it on {name}", { name })}
          </a>
        </p>
      )}
      {mayMark && (
        <p className="muted" role="status">
          {marks && reasonToMark(name, { isSilent, isUnmeasured, isWrong })}
        </p>
      )}
      {marks && <MarkButton lesson={lesson} onComplete={onComplete} />}
      {lesson.may_save && lesson.completed && (
        <p className="row row--tight">
          <Icon name="circle-check" className="ok" />
          {t("You've completed this lesson.")}
        </p>
      )}
    </div>
  );
}

type Reasons = { isSilent: boolean; isUnmeasured: boolean; isWrong: boolean };

function reasonToMark(name: string, { isSilent, isUnmeasured, isWrong }: Reasons): string {
  if (isSilent)
    return t(
      "{name} doesn't tell us what you watch. Mark the lesson as complete when you've watched it.",
      {
        name,
      },
    );
  if (isWrong) return t("Watch the video on {name}, then mark the lesson as complete.", { name });
  if (isUnmeasured)
    return t(
      "We don't know how long this video is. Mark the lesson as complete when you've watched it.",
    );
  return t("If you've watched it all, you can mark the lesson as complete.");
}

function MarkButton({ lesson, onComplete }: Pick<Props, "lesson" | "onComplete">) {
  const [refusal, setRefusal] = useState("");
  const [isBusy, setBusy] = useState(false);
  const mark = async (): Promise<void> => {
    setBusy(true);
    setRefusal("");
    try {
      const saved = await complete(lesson.uid);
      onComplete();
      const { showCompletion } = await import("./showCompletion");
      await showCompletion(lesson, saved);
    } catch (reason) {
      setRefusal(toApiError(reason).message);
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className="plate__mark">
      <button className="btn btn--sm" type="button" aria-busy={isBusy} onClick={() => void mark()}>
        <Icon name="check" />
        {t("Mark as complete")}
      </button>
      <p className="small" role="status">
        {refusal}
      </p>
    </div>
  );
}
