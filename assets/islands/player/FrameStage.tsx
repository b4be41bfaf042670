import { useEffect, useRef } from "react";

import { clock } from "../../shared/format";
import { t } from "../../shared/i18n";
import { Button } from "../../shared/ui/Button";
import { Icon } from "../../shared/ui/Icon";
import type { PlayerProps } from "./api";
import { SPEEDS } from "./engine/settings";
import { EndScreen } from "./onDemand";
import { MediaHost, type Stage, useEndScreen } from "./Stage";
import { usePlayback, useStore } from "./usePlayback";
import { useShortcuts } from "./useShortcuts";
import type { FrameStream } from "./engine/frameStream";
import type { Problem } from "./engine/protocol";

type Props = Parameters<typeof Stage>[0] & { stream: FrameStream };

const LEAP_SECONDS = 10;

/**
 * The player of another host in its frame. Nothing of ours lies over it, as the hosts ask; our controls are below, so
 * that nobody has to move into the frame to pause, seek or change the speed.
 */
export function FrameStage({ player, lesson, stream, certificate, onNext }: Props) {
  const { playback, video } = player;
  const status = usePlayback(playback, (state) => state.status);
  const { problem } = useStore(stream.state);
  const { playsNext } = useStore(player.choices);
  const host = useRef<HTMLDivElement>(null);
  useShortcuts(player, lesson, null);
  useEndScreen(playback);
  useEffect(() => {
    host.current?.replaceChildren(stream.frame);
  }, [stream]);
  const isOver = status === "ended" || problem !== null;

  return (
    <>
      <section className="stage stage--frame" aria-label={t("Video player")}>
        <div className="plate__frame" ref={host} hidden={isOver} />
        <div hidden>
          <MediaHost media={video} className="plate__media" />
        </div>
        {problem !== null && <Trouble problem={problem} lesson={lesson} onRetry={stream.retry} />}
        {problem === null && status === "ended" && (
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
      </section>
      <Bar player={player} external={lesson.external} />
    </>
  );
}

function Bar({ player, external }: Pick<Props, "player"> & { external: PlayerProps["external"] }) {
  const { playback } = player;
  const status = usePlayback(playback, (state) => state.status);
  const time = usePlayback(playback, (state) => Math.floor(state.time));
  const duration = usePlayback(playback, (state) => Math.floor(state.duration));
  const speed = usePlayback(playback, (state) => state.speed);
  const first = useRef<HTMLButtonElement>(null);
  const [isPlaying, runs] = [status === "playing" || status === "buffering", status === "loading"];
  useEffect(() => {
    // The button that was pressed on the plate is gone: this one takes its focus.
    if (document.activeElement === document.body) first.current?.focus({ preventScroll: true });
  }, []);
  return (
    <div className="plate__bar" role="group" aria-label={t("Controls")}>
      <button
        className="icon-btn"
        type="button"
        ref={first}
        aria-label={isPlaying ? t("Pause") : t("Play")}
        aria-busy={runs}
        onClick={() => playback.toggle()}
      >
        <Icon name={isPlaying ? "pause" : "play"} className="i--fill" />
      </button>
      <button
        className="icon-btn"
        type="button"
        aria-label={t("Back 10 s")}
        onClick={() => playback.seek(time - LEAP_SECONDS)}
      >
        <Icon name="rotate-ccw" />
      </button>
      <button
        className="icon-btn"
        type="button"
        aria-label={t("Forward 10 s")}
        onClick={() => playback.seek(time + LEAP_SECONDS)}
      >
        <Icon name="rotate-cw" />
      </button>
      <span className="plate__time num">
        {clock(time)}
        {duration > 0 && ` / ${clock(duration)}`}
      </span>
      <label className="plate__speed">
        <span className="small">{t("Speed")}</span>
        <select
          className="select"
          value={speed}
          onChange={({ target }) => playback.setSpeed(Number(target.value))}
        >
          {SPEEDS.map((one) => (
            <option key={one} value={one}>{`${one}×`}</option>
          ))}
        </select>
      </label>
      {external && (
        <a
          className="btn btn--sm"
          href={external.address}
          rel="noopener noreferrer"
          target="_blank"
        >
          <Icon name="external-link" />
          {t("Open it on {name}", { name: external.name })}
        </a>
      )}
    </div>
  );
}

const reasons: Record<Problem, (name: string) => string> = {
  gone: (name) => t("{name} says that this video was removed or is private.", { name }),
  forbidden: (name) =>
    t(
      "{name} doesn't play this video here. Its owner may not allow it on other sites or in your country.",
      {
        name,
      },
    ),
  failed: (name) => t("{name} couldn't play this video here.", { name }),
};

type TroubleProps = { problem: Problem; lesson: PlayerProps; onRetry: () => void };

function Trouble({ problem, lesson, onRetry }: TroubleProps) {
  const [name, address] = [lesson.external?.name ?? "", lesson.external?.address ?? ""];
  return (
    <div className="stage__over">
      <div className="notice notice--warning" role="alert">
        <Icon name="triangle-alert" className="notice__icon" />
        <p className="notice__title">{t("This video doesn't play here")}</p>
        <p className="notice__body">{reasons[problem](name)}</p>
        <div className="notice__acts">
          <a className="btn btn--sm" href={address} rel="noopener noreferrer" target="_blank">
            {t("Open it on {name}", { name })}
          </a>
          <Button size="sm" onClick={onRetry}>
            {t("Try again")}
          </Button>
        </div>
      </div>
    </div>
  );
}
