import { useState, useSyncExternalStore } from "react";

import { clock } from "../../shared/format";
import { t } from "../../shared/i18n";
import { Icon } from "../../shared/ui/Icon";
import { type Cues, cueAt } from "./cues";
import { formatTime } from "./time";
import type { PlayedVideo } from "../../shared/video/playedVideo";

type Props = {
  video: PlayedVideo;
  shown: Cues;
  language: string;
  poster: string | null;
  duration: number;
  onReplay: () => void;
  /** Make the frame that is shown the cover; null if the course can't be edited. */
  onCover: ((second: number) => Promise<void>) | null;
};

const SPEEDS = [0.5, 0.75, 1, 1.25, 1.5];

/** The video with the caption as it is being edited. */
export function VideoPane({ video, shown, language, poster, duration, onReplay, onCover }: Props) {
  const { time, isPlaying, isLooping, speed, failure } = useSyncExternalStore(
    video.subscribe,
    video.state,
  );
  const [isCovering, setCovering] = useState(false);
  const cue = cueAt(shown, time);
  return (
    <div className="capstage" role="group" aria-label={t("Video")}>
      {/* eslint-disable-next-line jsx-a11y/media-has-caption -- the caption is shown below, as it is edited */}
      <video
        ref={video.attach}
        playsInline
        preload="none"
        poster={poster ?? undefined}
        tabIndex={-1}
      />
      {cue && cue.text.trim() !== "" && (
        <p className="capstage__cap" lang={language} dir="auto">
          <span>{cue.text.replace(/<[^<>]*>/g, "")}</span>
        </p>
      )}
      <div className="capstage__ui">
        <input
          className="capstage__seek"
          type="range"
          min={0}
          max={Math.max(duration, 0.1)}
          step={0.1}
          value={Math.min(time, duration)}
          aria-label={t("Position in the video")}
          aria-valuetext={formatTime(time)}
          onChange={({ target }) => video.seek(Number(target.value))}
        />
        <div className="row row--tight">
          <button
            className="icon-btn icon-btn--sm"
            type="button"
            aria-label={isPlaying ? t("Pause") : t("Play")}
            onClick={() => video.toggle()}
          >
            <Icon name={isPlaying ? "pause" : "play"} />
          </button>
          <button
            className="icon-btn icon-btn--sm"
            type="button"
            aria-label={t("Play this caption")}
            onClick={onReplay}
          >
            <Icon name="rotate-ccw" />
          </button>
          {onCover && (
            <button
              className="icon-btn icon-btn--sm"
              type="button"
              aria-label={t("Use this frame as the cover")}
              title={t("Use this frame as the cover")}
              disabled={isCovering}
              onClick={() => {
                setCovering(true);
                void onCover(time).finally(() => setCovering(false));
              }}
            >
              <Icon name="image" />
            </button>
          )}
          <span className="small num">
            {formatTime(time)} / {clock(duration)}
          </span>
          <span className="right row row--tight">
            <label className="vh" htmlFor="captions-speed">
              {t("Speed")}
            </label>
            <select
              className="capstage__speed"
              id="captions-speed"
              value={speed}
              onChange={({ target }) => video.setSpeed(Number(target.value))}
            >
              {SPEEDS.map((one) => (
                <option key={one} value={one}>{`${one}×`}</option>
              ))}
            </select>
            <button
              className="icon-btn icon-btn--sm"
              type="button"
              aria-pressed={isLooping}
              aria-label={t("Repeat the caption that is played")}
              onClick={() => video.setLooping(!isLooping)}
            >
              <Icon name="repeat-1" />
            </button>
          </span>
        </div>
      </div>
      {failure && (
        <p className="capstage__failed" role="status">
          {t("The video couldn't be loaded. Captions can be edited all the same.")}
        </p>
      )}
    </div>
  );
}
