/**
 * The player of one lesson: connects the media element, its playback, captions, progress and the page around it.
 * Independent of React.
 */
import { announce } from "../../../shared/announce";
import { spokenTime } from "../../../shared/format";
import { t } from "../../../shared/i18n";
import { seekTargetOf } from "../../../shared/seekTarget";
import { followCaptions, pickLanguage } from "./captions";
import { Playback, type PlaybackOptions } from "./playback";
import { type Calls, ProgressSender, StoredProgress, ThrottledSink } from "./progress";
import { readSettings, type Settings, writeSettings } from "./settings";
import { Store } from "./store";
import { createStream } from "./createStream";
import type { CreateStream, Sources } from "../../../shared/video/stream";
import { followTranscript } from "./transcript";
import { reportProgress } from "./reportProgress";

export type Lesson = {
  uid: string;
  duration: number;
  startAt: number;
  poster: string | null;
  sources: Sources;
  /** Whether an audio element plays the sound only: phones keep playing it while they are locked. */
  isAudioOnly: boolean;
  captions: { language: string; label: string; url: string }[];
};

export type PlayerDependencies = {
  storage: Storage;
  refresh: PlaybackOptions["refresh"];
  /** Null if progress is not saved: previews, and staff who are not enrolled. */
  progress: (Calls & { person: string }) | null;
  createStream?: CreateStream;
};

export class Player {
  /** The media element: video, or audio in the audio player. */
  readonly video: HTMLMediaElement;
  readonly playback: Playback;
  readonly captionLines = new Store<string[]>([]);
  readonly choices: Store<Settings>;

  constructor(
    readonly lesson: Lesson,
    private readonly dependencies: PlayerDependencies,
  ) {
    const settings = readSettings(dependencies.storage);
    this.video = createMediaElement(lesson);
    this.choices = new Store({
      ...settings,
      captionLanguage: pickLanguage(
        lesson.captions,
        settings.captionLanguage,
        document.documentElement.lang || "en",
      ),
    });
    this.playback = new Playback({
      video: this.video,
      sources: lesson.sources,
      lesson: lesson.uid,
      duration: lesson.duration,
      startAt: lesson.startAt,
      settings: lesson.isAudioOnly ? { ...settings, quality: "audio" } : settings,
      createStream: dependencies.createStream ?? createStream,
      isAudioOnly: lesson.isAudioOnly,
      refresh: dependencies.refresh,
    });
  }

  /** Connect to the page. Returns a function that disconnects. */
  attach(): () => void {
    const disconnects = [
      this.playback.attach(),
      this.#storeChoices(),
      this.#showCaptions(),
      this.#followTranscript(),
      this.#handleSeekLinks(),
      this.#saveProgress(),
      announceStatus(this.playback),
    ];
    return () => {
      for (const end of disconnects.reverse()) end();
    };
  }

  /** Play from a second, as a line of the transcript does. */
  playFrom(time: number): void {
    this.playback.seek(time);
    void this.playback.play();
  }

  toggleCaptions(): void {
    if (this.lesson.captions.length === 0) return;
    const hasCaptions = !this.choices.state.hasCaptions;
    this.choices.change({ hasCaptions });
    announce(hasCaptions ? t("Captions on") : t("Captions off"));
  }

  /** Show captions in a language; null hides them. */
  chooseCaptions(language: string | null): void {
    this.choices.change({
      hasCaptions: language !== null,
      ...(language !== null && { captionLanguage: language }),
    });
  }

  #storeChoices(): () => void {
    const write = (): void => {
      const { speed, volume, isMuted, quality } = this.playback.state;
      this.choices.change({ speed, volume, isMuted });
      // Listening to one lesson says nothing about the picture quality wanted for the next.
      if (!this.lesson.isAudioOnly) this.choices.change({ quality });
      writeSettings(this.dependencies.storage, this.choices.state);
    };
    const key = (): string => {
      const { speed, volume, isMuted, quality } = this.playback.state;
      return [speed, volume, isMuted, quality].join();
    };
    let last = key();
    const ends = [
      this.playback.subscribe(() => {
        if (key() === last) return;
        last = key();
        write();
      }),
      this.choices.subscribe(() => writeSettings(this.dependencies.storage, this.choices.state)),
    ];
    return () => ends.forEach((end) => end());
  }

  #showCaptions(): () => void {
    let shown = "";
    let stop = (): void => undefined;
    const follow = (): void => {
      const { hasCaptions, captionLanguage } = this.choices.state;
      const wanted = hasCaptions ? captionLanguage : "";
      if (wanted === shown) return;
      shown = wanted;
      stop();
      stop = followCaptions(this.video, wanted, (lines) => this.captionLines.set(lines));
    };
    follow();
    const end = this.choices.subscribe(follow);
    return () => {
      end();
      stop();
    };
  }

  #followTranscript(): () => void {
    const transcript = followTranscript(document);
    const end = this.playback.subscribe(() => {
      if (this.playback.state.status !== "idle") transcript.at(this.playback.state.time);
    });
    return () => {
      end();
      transcript.destroy();
    };
  }

  #handleSeekLinks(): () => void {
    const onClick = (event: MouseEvent): void => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || !(event.target instanceof Element))
        return;
      const second = seekTargetOf(event.target);
      if (second === null) return;
      event.preventDefault(); // it is a link, for browsers without scripts
      this.playFrom(Number(second));
    };
    document.addEventListener("click", onClick);
    return () => document.removeEventListener("click", onClick);
  }

  #saveProgress(): () => void {
    const { progress, storage } = this.dependencies;
    if (!progress) return () => undefined;
    const stored = new StoredProgress(storage, progress.person);
    const sender = new ProgressSender(this.lesson.uid, stored, progress);
    return reportProgress(this.video, {
      sink: new ThrottledSink(sender.send),
      leave: (last) => sender.leave(last),
    });
  }
}

function createMediaElement({ poster, captions, isAudioOnly }: Lesson): HTMLMediaElement {
  const video = document.createElement(isAudioOnly ? "audio" : "video");
  if (video instanceof HTMLVideoElement) {
    video.playsInline = true;
    if (poster) video.poster = poster;
  }
  video.preload = "none";
  for (const { language, label, url } of captions) {
    const track = document.createElement("track");
    track.kind = "captions";
    track.srclang = language;
    track.label = label;
    track.src = url;
    video.append(track);
  }
  return video;
}

/** Announce that it plays, and where it was paused. */
function announceStatus(playback: Playback): () => void {
  let before = playback.state.status;
  return playback.subscribe(() => {
    const { status, time } = playback.state;
    if (status === before) return;
    const rested = before === "idle" || before === "paused" || before === "loading";
    if (status === "playing" && rested) announce(t("Playing"));
    if (status === "paused" && before === "playing")
      announce(t("Paused at {time}", { time: spokenTime(time) }));
    before = status;
  });
}
