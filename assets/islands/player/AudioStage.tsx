import { usePending } from "../../shared/hooks/usePending";
import { t } from "../../shared/i18n";
import { Icon } from "../../shared/ui/Icon";
import { Spinner } from "../../shared/ui/Spinner";
import type { LessonLink, PlayerProps } from "./api";
import { Controls } from "./Controls";
import type { Player } from "./engine/player";
import { EndScreen } from "./onDemand";
import { usePlayback, useStore } from "./usePlayback";
import { Scrubber } from "./Scrubber";
import { Failure, MediaHost, useEndScreen } from "./Stage";
import { useShortcuts } from "./useShortcuts";

type Props = {
  player: Player;
  lesson: PlayerProps;
  certificate: string | null;
  onNext: (lesson: LessonLink) => void;
};

/** The player of a lesson as audio: a cover instead of the video. Its controls are always visible. */
export function AudioStage({ player, lesson, certificate, onNext }: Props) {
  const { playback, video } = player;
  const status = usePlayback(playback, (state) => state.status);
  const hasFailed = usePlayback(playback, (state) => state.error !== null);
  const isWaiting = usePending(status === "loading" || status === "buffering");
  const lines = useStore(player.captionLines);
  const poster = lesson.sources?.poster;
  const { captionSize, playsNext } = useStore(player.choices);
  useShortcuts(player, lesson, null);
  useEndScreen(playback);

  return (
    <section className="stage stage--listen" aria-label={t("Audio player")}>
      <MediaHost media={video} className="listen__media" />
      <div className="listen__art">
        {poster ? <img src={poster} alt="" /> : <Icon name="headphones" />}
        {isWaiting && (
          <div className="stage__wait">
            <Spinner label={status === "loading" ? t("Loading") : t("Buffering")} />
          </div>
        )}
      </div>
      <div className="listen__words">
        <p className="listen__course">{lesson.course.title}</p>
        <p className="listen__title">{`${lesson.number} ${lesson.title}`.trim()}</p>
        {lesson.sources?.captions.length !== 0 && (
          <p className="listen__said" data-size={captionSize} dir="auto">
            {lines.join(" ")}
          </p>
        )}
      </div>
      <Failure playback={playback} maySave={lesson.may_save} />
      {status === "ended" && !hasFailed && (
        <EndScreen
          lesson={lesson}
          isEnrolled={lesson.may_save}
          certificate={certificate}
          isAudioOnly
          playsNext={playsNext}
          onNext={onNext}
          onAgain={() => void playback.play()}
        />
      )}
      <div className="stage__ui">
        <Scrubber playback={playback} chapters={lesson.chapters} storyboard={null} />
        <Controls player={player} lesson={lesson} view={null} />
      </div>
    </section>
  );
}
