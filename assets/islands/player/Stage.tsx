import { useEffect, useRef, useState } from "react";

import { usePending } from "../../shared/hooks/usePending";
import { clock } from "../../shared/format";
import { t } from "../../shared/i18n";
import { ErrorPanel } from "../../shared/ui/ErrorPanel";
import { Icon } from "../../shared/ui/Icon";
import { Spinner } from "../../shared/ui/Spinner";
import type { LessonLink, PlayerProps } from "./api";
import { Controls } from "./Controls";
import { EndScreen } from "./EndScreen";
import type { Playback } from "./engine/playback";
import type { Player } from "./engine/player";
import { parseStoryboard, type Tile } from "./engine/storyboard";
import { useFullscreen } from "./useFullscreen";
import { useHiddenControls } from "./useHiddenControls";
import { usePlayback, useStore } from "./usePlayback";
import { QualityNotice } from "./QualityNotice";
import { Scrubber } from "./Scrubber";
import { useShortcuts } from "./useShortcuts";

type Props = {
  player: Player;
  lesson: PlayerProps;
  certificate: string | null;
  onNext: (lesson: LessonLink) => void;
};

/** The video and everything on top of it. */
export function Stage({ player, lesson, certificate, onNext }: Props) {
  const { playback, video } = player;
  const [stage, setStage] = useState<HTMLElement | null>(null);
  const [isFull, toggleFull] = useFullscreen(stage, video);
  const [tiles, fetchTiles] = useTiles(lesson.sources?.storyboard ?? null);
  const status = usePlayback(playback, (state) => state.status);
  const error = usePlayback(playback, (state) => state.error);
  const isAudio = usePlayback(playback, (state) => state.quality === "audio" && state.hasAudio);
  const isQuiet = useHiddenControls(stage, status === "playing");
  const isWaiting = usePending(status === "loading" || status === "buffering");
  const lines = useStore(player.captionLines);
  useShortcuts(player, lesson, toggleFull);
  usePresses(video, player, toggleFull);

  const classes = [
    "stage",
    isQuiet && "is-quiet",
    isFull && "is-full",
    status === "idle" && "is-idle",
  ];
  return (
    <section
      className={classes.filter(Boolean).join(" ")}
      aria-label={t("Video player")}
      ref={setStage}
    >
      <MediaHost media={video} className="stage__video" />
      {isAudio && status !== "idle" && (
        <p className="stage__audio">
          <Icon name="headphones" />
          {t("Audio only")}
        </p>
      )}
      {status === "idle" && <StartButton player={player} />}
      {isWaiting && (
        <div className="stage__wait">
          <Spinner label={status === "loading" ? t("Loading") : t("Buffering")} />
        </div>
      )}
      {lines.length > 0 && status !== "ended" && (
        <p className="stage__cap">
          {lines.map((line) => (
            <span key={line}>{line}</span>
          ))}
        </p>
      )}
      <Failure playback={playback} />
      {!error && <QualityNotice playback={playback} />}
      {status === "ended" && !error && (
        <EndScreen
          course={lesson.course}
          next={lesson.next}
          isEnrolled={lesson.may_save}
          certificate={certificate}
          isAudioOnly={false}
          onNext={onNext}
          onAgain={() => void playback.play()}
        />
      )}
      {status !== "idle" && (
        <div className="stage__ui">
          <Scrubber
            playback={playback}
            chapters={lesson.chapters}
            tiles={tiles}
            onNear={fetchTiles}
          />
          <Controls player={player} lesson={lesson} full={{ isFull, toggle: toggleFull }} />
        </div>
      )}
    </section>
  );
}

/** The error, over a video that has stopped or at the top of one that still plays. */
export function Failure({ playback }: { playback: Playback }) {
  const status = usePlayback(playback, (state) => state.status);
  const error = usePlayback(playback, (state) => state.error);
  // The user may seek while offline, so the message names the current position.
  const time = usePlayback(playback, (state) => Math.floor(state.time));
  if (!error) return null;
  return (
    <div className={status === "error" ? "stage__over" : "stage__top"}>
      <ErrorPanel
        error={error}
        onRetry={playback.retry}
        message={t("{sentence} Your place at {time} is saved.", {
          sentence: firstSentence(error.message),
          time: clock(time),
        })}
      />
    </div>
  );
}

function firstSentence(text: string): string {
  return /^.*?[.!?](?=\s|$)/.exec(text)?.[0] ?? text;
}

/** Shows the media element, which outlives each rendering. */
export function MediaHost({ media, className }: { media: HTMLMediaElement; className: string }) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    host.current?.replaceChildren(media);
  }, [media]);
  return <div className={className} ref={host} />;
}

function StartButton({ player: { playback } }: { player: Player }) {
  const time = usePlayback(playback, (state) => state.time);
  return (
    <button className="stage__start" type="button" data-start onClick={() => void playback.play()}>
      <Icon name="play" className="i--fill" />
      <span>{time > 0 ? t("Resume at {time}", { time: clock(time) }) : t("Play")}</span>
    </button>
  );
}

/** A mouse click on the video plays and pauses; a touch only shows the controls. */
function usePresses(video: HTMLMediaElement, player: Player, onFullscreen: () => void): void {
  const full = useRef(onFullscreen);
  useEffect(() => {
    full.current = onFullscreen;
  });
  useEffect(() => {
    const listening = new AbortController();
    const { signal } = listening;
    video.addEventListener(
      "click",
      (event) => {
        if (event.pointerType !== "touch") player.playback.toggle();
      },
      { signal },
    );
    video.addEventListener("dblclick", () => full.current(), { signal });
    return () => listening.abort();
  }, [video, player]);
}

/** The thumbnails of the scrubber, fetched on the first call of `fetchTiles`. */
function useTiles(address: string | null): [tiles: readonly Tile[], fetchTiles: () => void] {
  const [tiles, setTiles] = useState<readonly Tile[]>([]);
  const isRequested = useRef(false);
  const fetchTiles = (): void => {
    if (address === null || isRequested.current) return;
    isRequested.current = true;
    fetch(address)
      .then((response) => (response.ok ? response.text() : ""))
      .then((text) => setTiles(parseStoryboard(text, address)))
      .catch(() => (isRequested.current = false)); // retried on the next call
  };
  return [tiles, fetchTiles];
}
