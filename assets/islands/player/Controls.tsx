import type { ReactNode } from "react";

import { clock } from "../../shared/format";
import { t } from "../../shared/i18n";
import type { IconName } from "../../shared/iconNames";
import { Icon } from "../../shared/ui/Icon";
import { Menu } from "../../shared/ui/Menu";
import { addressOf, type LessonLink, type PlayerProps } from "./api";
import { replayLabel } from "./EndScreen";
import type { Player } from "./engine/player";
import { QUALITIES, type Quality, SPEEDS } from "./engine/settings";
import { usePlayback, useStore } from "./usePlayback";
import { chapterAt } from "./Scrubber";

type Props = {
  player: Player;
  lesson: PlayerProps;
  /** Null for audio. */
  full: { isFull: boolean; toggle: () => void } | null;
};

/** How far one press seeks in the audio player, as on a lock screen. */
const LEAP_SECONDS = 10;

export function Controls({ player, lesson, full }: Props) {
  const { isAudioOnly } = player.lesson;
  const other = (one: LessonLink | null): LessonLink | null =>
    one && { ...one, url: addressOf(one, isAudioOnly) };
  return (
    <div className="stage__row">
      <PlayButton player={player} />
      {isAudioOnly && <LeapButton player={player} by={-LEAP_SECONDS} />}
      {isAudioOnly && <LeapButton player={player} by={LEAP_SECONDS} />}
      <LessonButton lesson={other(lesson.previous)} icon="skip-back" label={t("Previous lesson")} />
      <LessonButton lesson={other(lesson.next)} icon="skip-forward" label={t("Next lesson")} />
      <Volume player={player} />
      <Time player={player} chapters={lesson.chapters} />
      <span className="right" />
      <CaptionsButton player={player} />
      <SpeedMenu player={player} />
      {!isAudioOnly && <QualityMenu player={player} />}
      <button
        className="icon-btn stage__wide"
        type="button"
        aria-label={t("Keyboard shortcuts")}
        data-keys-help
      >
        <Icon name="keyboard" className="i--lg" />
      </button>
      {full && (
        <button
          className="icon-btn"
          type="button"
          aria-label={full.isFull ? t("Leave full screen") : t("Full screen")}
          onClick={full.toggle}
        >
          <Icon name={full.isFull ? "minimize" : "maximize"} className="i--lg" />
        </button>
      )}
    </div>
  );
}

function PlayButton({ player }: { player: Player }) {
  const status = usePlayback(player.playback, (state) => state.status);
  const runs = status === "playing" || status === "buffering" || status === "loading";
  const [label, icon]: [string, IconName] = runs
    ? [t("Pause"), "pause"]
    : status === "ended"
      ? [replayLabel(player.lesson.isAudioOnly), "rotate-ccw"]
      : [t("Play"), "play"];
  return (
    <button
      className="icon-btn"
      type="button"
      aria-label={label}
      data-start={status === "idle" ? "" : undefined}
      onClick={() => player.playback.toggle()}
    >
      <Icon name={icon} className={status === "ended" ? "i--lg" : "i--lg i--fill"} />
    </button>
  );
}

function LeapButton({ player: { playback }, by }: { player: Player; by: number }) {
  const seconds = Math.abs(by);
  return (
    <button
      className="icon-btn leap"
      type="button"
      aria-label={
        by < 0
          ? t("Back {seconds} seconds", { seconds })
          : t("Forward {seconds} seconds", { seconds })
      }
      onClick={() => playback.seek(playback.state.time + by)}
    >
      <Icon name={by < 0 ? "rotate-ccw" : "rotate-cw"} className="i--lg" />
      <span aria-hidden="true">{seconds}</span>
    </button>
  );
}

type LessonButtonProps = {
  lesson: LessonLink | null;
  icon: IconName;
  label: string;
};

function LessonButton({ lesson, icon, label }: LessonButtonProps) {
  if (!lesson || lesson.state === "locked") return null;
  const name = `${label}: ${lesson.title}`;
  return (
    <a className="icon-btn stage__wide" href={lesson.url} aria-label={name}>
      <Icon name={icon} />
    </a>
  );
}

function Volume({ player: { playback } }: { player: Player }) {
  const volume = usePlayback(playback, (state) => state.volume);
  const isMuted = usePlayback(playback, (state) => state.isMuted);
  return (
    <span className="volume stage__wide">
      <button
        className="icon-btn"
        type="button"
        aria-label={isMuted ? t("Unmute") : t("Mute")}
        onClick={() => playback.toggleMute()}
      >
        <Icon name={isMuted ? "volume-x" : "volume-2"} className="i--lg" />
      </button>
      <input
        className="volume__range"
        type="range"
        min={0}
        max={100}
        step={5}
        aria-label={t("Volume")}
        value={isMuted ? 0 : Math.round(volume * 100)}
        onChange={({ target }) => playback.setVolume(Number(target.value) / 100)}
      />
    </span>
  );
}

function Time({ player, chapters }: { player: Player; chapters: PlayerProps["chapters"] }) {
  const time = usePlayback(player.playback, ({ status, time, duration }) =>
    status === "ended" ? Math.round(duration) : Math.floor(time),
  );
  const duration = usePlayback(player.playback, (state) => Math.round(state.duration));
  const chapter = chapterAt(chapters, time);
  return (
    <>
      <time>
        {clock(time)} <span>/ {clock(duration)}</span>
      </time>
      {chapter && <span className="stage__chapter small stage__wide">{chapter.title}</span>}
    </>
  );
}

function checked(title: ReactNode): ReactNode {
  return (
    <>
      <Icon name="check" className="menu__check" />
      {title}
    </>
  );
}

function CaptionsButton({ player }: { player: Player }) {
  const { hasCaptions, captionLanguage } = useStore(player.choices);
  const tracks = player.lesson.captions;
  const icon = <Icon name="captions" className="i--lg" />;
  if (tracks.length === 0) return null;
  if (tracks.length === 1) {
    return (
      <button
        className={hasCaptions ? "icon-btn icon-btn--on" : "icon-btn"}
        type="button"
        aria-pressed={hasCaptions}
        aria-label={t("Captions")}
        onClick={() => player.toggleCaptions()}
      >
        {icon}
      </button>
    );
  }
  const items = tracks.map(({ language, label }) => ({
    id: language,
    title: checked(label),
    isChecked: hasCaptions && language === captionLanguage,
  }));
  return (
    <Menu
      label={t("Captions")}
      heading={t("Captions")}
      button={icon}
      buttonClass={hasCaptions ? "icon-btn icon-btn--on" : "icon-btn"}
      items={[{ id: "", title: checked(t("Off")), isChecked: !hasCaptions }, ...items]}
      onChoose={(language) => player.chooseCaptions(language || null)}
    />
  );
}

function SpeedMenu({ player: { playback } }: { player: Player }) {
  const speed = usePlayback(playback, (state) => state.speed);
  return (
    <Menu
      label={t("Speed: {speed}×", { speed })}
      heading={t("Speed")}
      button={`${speed}×`}
      buttonClass="stage__opt"
      items={SPEEDS.map((one) => ({
        id: String(one),
        title: checked(one === 1 ? t("Normal") : `${one}×`),
        isChecked: one === speed,
      }))}
      onChoose={(one) => playback.setSpeed(Number(one))}
    />
  );
}

function QualityMenu({ player: { playback } }: { player: Player }) {
  const quality = usePlayback(playback, (state) => state.quality);
  const height = usePlayback(playback, (state) => state.height);
  const heights = usePlayback(playback, (state) => state.heights);
  const hasAudio = usePlayback(playback, (state) => state.hasAudio);
  const names: Record<Quality, string> = {
    auto: height === "" ? t("Auto") : t("Auto {height}", { height }),
    "1080p": "1080p",
    "720p": "720p",
    "480p": "480p",
    audio: t("Audio only"),
  };
  const offered = QUALITIES.filter(
    (one) =>
      one === "auto" ||
      (one === "audio" ? hasAudio : heights.length === 0 || heights.includes(one)),
  );
  const isOffered = offered.includes(quality);
  const chosen = isOffered ? quality : "auto";
  return (
    <Menu
      label={t("Quality: {quality}", { quality: names[chosen] })}
      heading={t("Quality")}
      button={
        <>
          <span className="stage__wide">{names[chosen]}</span>
          <span className="stage__narrow">
            {chosen === "auto" && height !== "" ? height : names[chosen]}
          </span>
        </>
      }
      buttonClass="stage__opt"
      items={offered.map((one) => ({
        id: one,
        title: checked(names[one]),
        isChecked: one === chosen,
      }))}
      onChoose={(one) => playback.setQuality(one as Quality)}
    />
  );
}
