import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";

import { clock } from "../../shared/format";
import { t } from "../../shared/i18n";
import type { IconName } from "../../shared/iconNames";
import { Icon } from "../../shared/ui/Icon";
import { Menu } from "../../shared/ui/Menu";
import { addressOf, type LessonLink, type PlayerProps } from "./api";
import type { Player } from "./engine/player";
import { type Quality, SPEEDS } from "./engine/settings";
import { SettingsPanel } from "./onDemand";
import { useOfferedQualities } from "./qualities";
import { replayLabel } from "./replayLabel";
import { chapterAt } from "./Scrubber";
import { usePlayback, useStore } from "./usePlayback";
import type { Switch, View } from "./view";

type Props = {
  player: Player;
  lesson: PlayerProps;
  /** Null for audio. */
  view: View | null;
};

/** How far one press seeks, as on a lock screen. */
export const LEAP_SECONDS = 10;

export function Controls({ player, lesson, view }: Props) {
  const { isAudioOnly } = player.lesson;
  const other = (one: LessonLink | null): LessonLink | null =>
    one && { ...one, url: addressOf(one, isAudioOnly) };
  return (
    <div className="stage__row">
      <PlayButton player={player} />
      <LeapButton player={player} by={-LEAP_SECONDS} isWide={!isAudioOnly} />
      <LeapButton player={player} by={LEAP_SECONDS} isWide={!isAudioOnly} />
      <LessonButton lesson={other(lesson.previous)} icon="skip-back" label={t("Previous lesson")} />
      <LessonButton lesson={other(lesson.next)} icon="skip-forward" label={t("Next lesson")} />
      <Volume player={player} />
      <Time player={player} />
      <ChapterMenu player={player} chapters={lesson.chapters} />
      <span className="right" />
      <CaptionsButton player={player} />
      <SpeedMenu player={player} />
      {!isAudioOnly && <QualityMenu player={player} />}
      <SettingsButton player={player} />
      <button
        className="icon-btn stage__roomy"
        type="button"
        aria-label={t("Keyboard shortcuts")}
        data-keys-help
      >
        <Icon name="keyboard" className="i--lg" />
      </button>
      {view?.picture && (
        <SwitchButton
          of={view.picture}
          icon="picture-in-picture-2"
          label={t("Picture in picture")}
          className="stage__roomy"
        />
      )}
      {view && !view.full.isOn && (
        <SwitchButton
          of={view.theater}
          icon="rectangle-horizontal"
          label={t("Wide view")}
          className="stage__theater"
        />
      )}
      {view && (
        <button
          className="icon-btn"
          type="button"
          aria-label={view.full.isOn ? t("Leave full screen") : t("Full screen")}
          onClick={view.full.toggle}
        >
          <Icon name={view.full.isOn ? "minimize" : "maximize"} className="i--lg" />
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
      data-play
      data-start={status === "idle" ? "" : undefined}
      onClick={() => player.playback.toggle()}
    >
      <Icon name={icon} className={status === "ended" ? "i--lg" : "i--lg i--fill"} />
    </button>
  );
}

/** Ten seconds back and forward beside the middle of the video: phones have no room for them below it. */
export function Leaps({ player }: { player: Player }) {
  return (
    <div className="stage__leaps">
      <LeapButton player={player} by={-LEAP_SECONDS} isWide={false} />
      <LeapButton player={player} by={LEAP_SECONDS} isWide={false} />
    </div>
  );
}

type LeapProps = { player: Player; by: number; isWide: boolean };

/** `isWide`: not on phones. */
function LeapButton({ player, by, isWide }: LeapProps) {
  const { playback } = player;
  const seconds = Math.abs(by);
  return (
    <button
      className={isWide ? "icon-btn leap stage__wide" : "icon-btn leap"}
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
    <a className="icon-btn stage__roomy" href={lesson.url} aria-label={name}>
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

function Time({ player }: { player: Player }) {
  const time = usePlayback(player.playback, ({ status, time, duration }) =>
    status === "ended" ? Math.round(duration) : Math.floor(time),
  );
  const duration = usePlayback(player.playback, (state) => Math.round(state.duration));
  return (
    <time>
      {clock(time)} <span>/ {clock(duration)}</span>
    </time>
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
  const { chosen, offered } = useOfferedQualities(playback);
  const name = offered.find(([id]) => id === chosen)?.[1] ?? "";
  return (
    <span className="stage__wide">
      <Menu
        label={t("Quality: {quality}", { quality: name })}
        heading={t("Quality")}
        button={name}
        buttonClass="stage__opt"
        items={offered.map(([id, title]) => ({
          id,
          title: checked(title),
          isChecked: id === chosen,
        }))}
        onChoose={(one) => playback.setQuality(one as Quality)}
      />
    </span>
  );
}

type ChapterMenuProps = { player: Player; chapters: PlayerProps["chapters"] };

/** The chapter that plays now; opens the list of all. */
function ChapterMenu({ player: { playback }, chapters }: ChapterMenuProps) {
  const now = usePlayback(playback, ({ time }) => chapterAt(chapters, time));
  if (chapters.length === 0) return null;
  const title = now?.title ?? t("Chapters");
  return (
    <span className="stage__chapters">
      <Menu
        label={t("Chapter: {title}", { title })}
        heading={t("Chapters")}
        button={
          <>
            <Icon name="list" className="i--lg" />
            <span className="stage__chapter">{title}</span>
          </>
        }
        buttonClass="stage__opt"
        items={chapters.map((one) => ({
          id: String(one.start),
          title: (
            <>
              <span className="stage__at">{clock(one.start)}</span>
              {one.title}
            </>
          ),
          isChecked: one === now,
        }))}
        onChoose={(start) => playback.seek(Number(start))}
      />
    </span>
  );
}

/** Opens the settings, which are fetched then. */
function SettingsButton({ player }: { player: Player }) {
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLSpanElement>(null);
  const id = useId();
  useEffect(() => {
    if (!isOpen) return undefined;
    const onPress = ({ target }: Event): void => {
      if (!root.current?.contains(target as Node)) setOpen(false);
    };
    document.addEventListener("pointerdown", onPress);
    return () => document.removeEventListener("pointerdown", onPress);
  }, [isOpen]);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!isOpen || event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    setOpen(false);
    root.current?.querySelector("button")?.focus();
  };
  return (
    // eslint-disable-next-line jsx-a11y/no-static-element-interactions -- Escape within it closes the panel
    <span className="menu" ref={root} onKeyDown={onKeyDown}>
      <button
        className="icon-btn"
        type="button"
        aria-label={t("Settings")}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onPointerEnter={() => void SettingsPanel.fetch()}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="settings" className="i--lg" />
      </button>
      {isOpen && <SettingsPanel player={player} id={id} />}
    </span>
  );
}

type SwitchButtonProps = { of: Switch; icon: IconName; label: string; className?: string };

function SwitchButton({ of, icon, label, className = "" }: SwitchButtonProps) {
  return (
    <button
      className={`icon-btn ${className} ${of.isOn ? "icon-btn--on" : ""}`}
      type="button"
      aria-label={label}
      aria-pressed={of.isOn}
      onClick={of.toggle}
    >
      <Icon name={icon} className="i--lg" />
    </button>
  );
}
