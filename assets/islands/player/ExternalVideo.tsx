import { useEffect, useMemo, useRef, useState } from "react";

import { announce } from "../../shared/announce";
import { clock } from "../../shared/format";
import { t } from "../../shared/i18n";
import { seekTargetOf } from "../../shared/seekTarget";
import { Icon } from "../../shared/ui/Icon";
import type { External, PlayerProps } from "./api";
import type { CreateStream, Sources } from "../../shared/video/stream";
import { LessonPlayer } from "./LessonPlayer";
import { Stage } from "./Stage";
import { createExternalHlsStream, createFileStream } from "./engine/fileStream";
import { ExternalFoot } from "./ExternalFoot";
import { FrameStage } from "./FrameStage";
import { FrameStream } from "./engine/frameStream";
import { speakVimeo } from "./engine/vimeo";
import { speakYouTube } from "./engine/youtube";

type Props = { lesson: PlayerProps; external: External; person: string };
/** The second at which the learner stopped, or which the address names. */
type Start = { startsFrom: number };

/**
 * A video that another host plays or sends. Nothing of that host is loaded before the learner presses Play on our own
 * plate, which says whom the browser will contact.
 */
export function ExternalVideo({ lesson, external, person, startsFrom }: Props & Start) {
  const [startAt, setStartAt] = useState(startsFrom > 0 ? startsFrom : external.start);
  const [isAllowed, setAllowed] = useState(takePressedStart);
  if (isAllowed)
    return <Player lesson={lesson} external={external} person={person} startAt={startAt} />;
  return (
    <Plate
      title={lesson.title}
      external={external}
      startAt={startAt}
      onSeek={setStartAt}
      onPlay={() => setAllowed(true)}
    />
  );
}

/** Whether Play was pressed on the plate of the server before this code was there (site/islandStart.ts). */
function takePressedStart(): boolean {
  const spot = document.querySelector<HTMLElement>("[data-island=player]");
  const isPressed = spot?.dataset.start === "";
  if (spot && !isPressed) delete spot.dataset.start; // a time of the transcript: not a permission
  return isPressed;
}

type PlateProps = {
  title: string;
  external: External;
  startAt: number;
  onSeek: (second: number) => void;
  onPlay: () => void;
};

function Plate({ title, external, startAt, onSeek, onPlay }: PlateProps) {
  const [isOffline, setOffline] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    document.documentElement.dataset.player = ""; // from here on, this code answers presses
    const onClick = (event: MouseEvent): void => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || !(event.target instanceof Element))
        return;
      const second = seekTargetOf(event.target);
      if (second === null) return;
      event.preventDefault();
      onSeek(Number(second));
      button.current?.focus();
      announce(t("Press Play to start at {time}", { time: clock(Number(second)) }));
    };
    const onOnline = (): void => setOffline(false);
    document.addEventListener("click", onClick);
    addEventListener("online", onOnline);
    return () => {
      document.removeEventListener("click", onClick);
      removeEventListener("online", onOnline);
    };
  }, [onSeek]);
  const { name, contacts: host, address, media } = external;
  return (
    <section className="stage stage--plate" aria-label={t("Video player")}>
      <p className="plate__title" aria-hidden="true">
        {title}
      </p>
      <button
        className="stage__start"
        type="button"
        ref={button}
        data-start
        data-begin={Math.floor(startAt)}
        aria-describedby="plate-says"
        onClick={() => {
          if (navigator.onLine) onPlay();
          else setOffline(true);
        }}
      >
        <Icon name="play" className="i--fill" />
        <span>{startAt >= 1 ? t("Resume at {time}", { time: clock(startAt) }) : t("Play")}</span>
      </button>
      <p className="plate__says" id="plate-says">
        {media
          ? t("This video comes from {host}. Your browser contacts it only when you press Play.", {
              host,
            })
          : t("This video is on {name}. Your browser contacts {host} only when you press Play.", {
              name,
              host,
            })}{" "}
        <a href={address} rel="noopener noreferrer" target="_blank">
          {t("Open it on {name}", { name })}
        </a>
      </p>
      <p className="plate__offline" role="status">
        {isOffline &&
          t("You're offline. This video plays once you're connected, as {host} sends it.", {
            host,
          })}
      </p>
    </section>
  );
}

type PlayerPartProps = Props & { startAt: number };

/** What plays after the press: the host's player in a frame, or ours. */
function Player({ lesson, external, person, startAt }: PlayerPartProps) {
  const [isComplete, setComplete] = useState(lesson.completed);
  const [by] = useState(() => {
    const stream = frameStreamOf(lesson, external);
    const createStream: CreateStream = stream
      ? stream.create
      : external.host === "hls"
        ? createExternalHlsStream
        : createFileStream;
    return { stream, createStream };
  });
  const Shown = useMemo(() => {
    const { stream } = by;
    return function ShownExternal(props: Parameters<typeof Stage>[0]) {
      return (
        <>
          {stream ? <FrameStage {...props} stream={stream} /> : <Stage {...props} />}
          <ExternalFoot
            player={props.player}
            lesson={props.lesson}
            external={external}
            stream={stream}
            onComplete={() => setComplete(true)}
          />
        </>
      );
    };
  }, [by, external]);
  const parts = useMemo(
    () => ({
      createStream: by.createStream,
      Shown,
      onSaved: ({ completed }: { completed: boolean }) => completed && setComplete(true),
    }),
    [by, Shown],
  );
  const sources: NonNullable<PlayerProps["sources"]> = useMemo(
    () => ({
      ...plainSources(external),
      poster: null,
      storyboard: null,
      captions: [],
      expires_at: "",
    }),
    [external],
  );
  return (
    <LessonPlayer
      lesson={{ ...lesson, completed: isComplete }}
      sources={sources}
      person={person}
      startAt={startAt}
      startsAtOnce
      isAudioOnly={false}
      external={parts}
    />
  );
}

function plainSources({ media }: External): Sources {
  return { master: media, audio: null, sound: null };
}

function frameStreamOf(lesson: PlayerProps, external: External): FrameStream | null {
  if (!external.frame) return null;
  const frame = document.createElement("iframe");
  const { name } = external;
  frame.title = t("{name} player: {title}", { name, title: lesson.title });
  frame.allow = "autoplay; encrypted-media; fullscreen; picture-in-picture";
  // YouTube plays nothing for a page that hides its origin.
  frame.referrerPolicy = "strict-origin-when-cross-origin";
  return new FrameStream(
    frame,
    external.frame,
    external.host === "vimeo" ? speakVimeo : speakYouTube,
  );
}
