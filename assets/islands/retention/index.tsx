import { useState, useSyncExternalStore } from "react";

import { clock } from "../../shared/format";
import { t } from "../../shared/i18n";
import { Icon } from "../../shared/ui/Icon";
import { PlayedVideo } from "../../shared/video/playedVideo";
import { Curve } from "./Curve";
import { Moments } from "./Moments";
import type { RetentionProps } from "./props";

/** The retention curve beside the video that it is about. */
export function Island(props: RetentionProps) {
  const [video] = useState(() => new PlayedVideo(props.sources));
  const { time, isPlaying, failure } = useSyncExternalStore(video.subscribe, video.state);
  const play = (second: number): void => void video.play(second);
  const length = props.percents.length;
  return (
    <div className="retention">
      <div className="retention__pair">
        <div className="retention__stage" role="group" aria-label={t("Video")}>
          {/* eslint-disable-next-line jsx-a11y/media-has-caption -- its captions are the tracks below, if it has any */}
          <video
            ref={video.attach}
            playsInline
            preload="none"
            poster={props.poster ?? undefined}
            tabIndex={-1}
          >
            {props.captions.map((track) => (
              <track
                key={track.url}
                kind="captions"
                src={track.url}
                srcLang={track.language}
                label={track.label}
              />
            ))}
          </video>
          <div className="row row--tight retention__ui">
            <button
              className="icon-btn icon-btn--sm"
              type="button"
              aria-label={isPlaying ? t("Pause") : t("Play")}
              disabled={props.sources === null}
              onClick={() => video.toggle()}
            >
              <Icon name={isPlaying ? "pause" : "play"} />
            </button>
            <span className="small num">{`${clock(time)} / ${clock(length)}`}</span>
          </div>
          {(failure !== null || props.sources === null) && (
            <p className="retention__failed" role="status">
              {t("The video couldn't be loaded. Its curve is shown all the same.")}
            </p>
          )}
        </div>
        <Curve
          percents={props.percents}
          band={props.band}
          moments={props.moments}
          time={time}
          onPlay={play}
        />
      </div>
      <p className="small faint">
        {t("Click the curve, or move along it with the arrow keys, to play there.")}
      </p>
      <Moments moments={props.moments} onPlay={play} />
    </div>
  );
}
