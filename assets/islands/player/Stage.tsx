import { useEffect, useRef, useState } from "react";

import { usePending } from "../../shared/hooks/usePending";
import { clock } from "../../shared/format";
import { lookup } from "../../shared/api/errors";
import { t } from "../../shared/i18n";
import { ErrorPanel } from "../../shared/ui/ErrorPanel";
import { Icon } from "../../shared/ui/Icon";
import { Spinner } from "../../shared/ui/Spinner";
import type { LessonLink, PlayerProps } from "./api";
import { Controls, Leaps } from "./Controls";
import type { Playback } from "./engine/playback";
import type { Player } from "./engine/player";
import { useFullscreen } from "./useFullscreen";
import { useHiddenControls } from "./useHiddenControls";
import { EndScreen, QualityNotice } from "./onDemand";
import { usePictureInPicture } from "./usePictureInPicture";
import { usePlayback, useStore } from "./usePlayback";
import { Scrubber } from "./Scrubber";
import { useShortcuts } from "./useShortcuts";
import { useTheater } from "./useTheater";
import type { View } from "./view";

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
  const picture = usePictureInPicture(video);
  const theater = useTheater();
  const status = usePlayback(playback, (state) => state.status);
  const error = usePlayback(playback, (state) => state.error);
  const isAudio = usePlayback(playback, (state) => state.quality === "audio" && state.hasAudio);
  const isQuiet = useHiddenControls(stage, status === "playing");
  const isWaiting = usePending(status === "loading" || status === "buffering");
  const isLowered = usePlayback(playback, (state) => state.lowered !== "");
  const lines = useStore(player.captionLines);
  const { captionSize, captionBack, playsNext } = useStore(player.choices);
  const view: View = { full: { isOn: isFull, toggle: toggleFull }, picture, theater };
  useShortcuts(player, lesson, view);
  useEndScreen(playback);
  usePresses(video, player, toggleFull);
  const [wasStarted, setWasStarted] = useState(false);
  const isIdle = status === "idle";
  useEffect(() => {
    // The button that started the video is gone: the one that pauses it takes its focus.
    if (wasStarted && !isIdle && document.activeElement === document.body)
      stage?.querySelector<HTMLElement>("[data-play]")?.focus({ preventScroll: true });
  }, [wasStarted, isIdle, stage]);

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
      {status === "idle" && <StartButton player={player} onStart={() => setWasStarted(true)} />}
      {isWaiting && (
        <div className="stage__wait">
          <Spinner label={status === "loading" ? t("Loading") : t("Buffering")} />
        </div>
      )}
      {lines.length > 0 && status !== "ended" && (
        <p className="stage__cap" data-size={captionSize} data-back={captionBack}>
          {lines.map((line, at) => (
            // Two cues that are shown together can have the same line.
            <span key={`${at} ${line}`} dir="auto">
              {line}
            </span>
          ))}
        </p>
      )}
      <Failure playback={playback} maySave={lesson.may_save} />
      {!error && isLowered && <QualityNotice playback={playback} />}
      {status === "ended" && !error && (
        <EndScreen
          lesson={lesson}
          isEnrolled={lesson.may_save}
          certificate={certificate}
          isAudioOnly={false}
          playsNext={playsNext}
          onNext={onNext}
          onAgain={() => void playback.play()}
        />
      )}
      {status !== "idle" && status !== "ended" && status !== "error" && <Leaps player={player} />}
      {status !== "idle" && (
        <div className="stage__ui">
          <Scrubber
            playback={playback}
            chapters={lesson.chapters}
            storyboard={lesson.sources?.storyboard ?? null}
          />
          <Controls player={player} lesson={lesson} view={view} />
        </div>
      )}
    </section>
  );
}

/** The error, over a video that has stopped or at the top of one that still plays. */
export function Failure({ playback, maySave }: { playback: Playback; maySave: boolean }) {
  const status = usePlayback(playback, (state) => state.status);
  const error = usePlayback(playback, (state) => state.error);
  // The user may seek while offline, so the message names the current position.
  const time = usePlayback(playback, (state) => Math.floor(state.time));
  if (!error) return null;
  // Others need a new page, a sign-in or an enrollment: trying again changes nothing.
  const isTransient = lookup(error.problem.code).autoRetry;
  const sentence = firstSentence(error.message);
  return (
    <div className={status === "error" ? "stage__over" : "stage__top"}>
      <ErrorPanel
        error={error}
        {...(isTransient && {
          onRetry: playback.retry,
          message: maySave
            ? t("{sentence} Your place at {time} is saved.", { sentence, time: clock(time) })
            : sentence,
        })}
      />
    </div>
  );
}

/** Seconds before the end in which its code is fetched. */
const NEAR_END = 20;

/** Fetch the code of the end screen before it is needed. */
export function useEndScreen(playback: Playback): void {
  const isNear = usePlayback(
    playback,
    ({ status, time, duration }) => status !== "idle" && time > duration - NEAR_END,
  );
  useEffect(() => {
    if (isNear) void EndScreen.fetch();
  }, [isNear]);
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

function StartButton({ player: { playback }, onStart }: { player: Player; onStart: () => void }) {
  const time = usePlayback(playback, (state) => state.time);
  return (
    <button
      className="stage__start"
      type="button"
      data-start
      data-begin={Math.floor(time)}
      onClick={() => {
        onStart();
        void playback.play();
      }}
    >
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
