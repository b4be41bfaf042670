/**
 * One lesson being watched: the element, its playback, captions, progress and the page around it,
 * joined. Nothing here draws; nothing here knows React.
 */
import { announce } from "../../../shared/announce";
import { spokenTime } from "../../../shared/format";
import { t } from "../../../shared/i18n";
import { seekTargetOf } from "../../../shared/seekTarget";
import { followCaptions, pickLanguage } from "./captions";
import { Playback, type PlaybackOptions } from "./playback";
import { StoredProgress, type Post, ProgressSender, type Saved, ThrottledSink } from "./progress";
import { readSettings, type Settings, writeSettings } from "./settings";
import { Store } from "./store";
import { createStream } from "./createStream";
import type { CreateStream, Sources } from "./stream";
import { followTranscript } from "./transcript";
import { reportProgress } from "./reportProgress";

export type Lesson = {
  uid: string;
  duration: number;
  startAt: number;
  poster: string | null;
  sources: Sources;
  /** Whether only the sound is played, by an audio element: phones go on with it while they are locked. */
  isAudioOnly: boolean;
  captions: { language: string; label: string; url: string }[];
};

export type PlayerPorts = {
  storage: Storage;
  refresh: PlaybackOptions["refresh"];
  /** Null for those whose watching is not kept: visitors of a preview, staff without a seat. */
  progress: {
    person: string;
    post: Post;
    isTemporary: (reason: unknown) => boolean;
    onSaved: (saved: Saved) => void;
  } | null;
  createStream?: CreateStream;
};

export class Player {
  /** What plays: a video element, or an audio element for those who only listen. */
  readonly video: HTMLMediaElement;
  readonly playback: Playback;
  readonly words = new Store<string[]>([]);
  readonly choices: Store<Settings>;

  constructor(
    readonly lesson: Lesson,
    private readonly ports: PlayerPorts,
  ) {
    const settings = readSettings(ports.storage);
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
      createStream: ports.createStream ?? createStream,
      refresh: ports.refresh,
    });
  }

  /** Take part in the page. Returns how to leave it. */
  attach(): () => void {
    const leave = [
      this.playback.attach(),
      this.#rememberChoices(),
      this.#drawCaptions(),
      this.#leadTranscript(),
      this.#listenToPage(),
      this.#keepProgress(),
      speak(this.playback),
    ];
    return () => {
      for (const end of leave.reverse()) end();
    };
  }

  /** Play from a second, as a line of the transcript asks. */
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

  /** A language, or none. */
  chooseCaptions(language: string | null): void {
    this.choices.change({
      hasCaptions: language !== null,
      ...(language !== null && { captionLanguage: language }),
    });
  }

  #rememberChoices(): () => void {
    const write = (): void => {
      const { speed, volume, isMuted, quality } = this.playback.state;
      this.choices.change({ speed, volume, isMuted });
      // Listening to one lesson says nothing about the picture quality wanted for the next.
      if (!this.lesson.isAudioOnly) this.choices.change({ quality });
      writeSettings(this.ports.storage, this.choices.state);
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
      this.choices.subscribe(() => writeSettings(this.ports.storage, this.choices.state)),
    ];
    return () => ends.forEach((end) => end());
  }

  #drawCaptions(): () => void {
    let shown = "";
    let stop = (): void => undefined;
    const follow = (): void => {
      const { hasCaptions, captionLanguage } = this.choices.state;
      const wanted = hasCaptions ? captionLanguage : "";
      if (wanted === shown) return;
      shown = wanted;
      stop();
      stop = followCaptions(this.video, wanted, (words) => this.words.set(words));
    };
    follow();
    const end = this.choices.subscribe(follow);
    return () => {
      end();
      stop();
    };
  }

  #leadTranscript(): () => void {
    const transcript = followTranscript(document);
    const end = this.playback.subscribe(() => {
      if (this.playback.state.status !== "idle") transcript.at(this.playback.state.time);
    });
    return () => {
      end();
      transcript.destroy();
    };
  }

  #listenToPage(): () => void {
    const onClick = (event: MouseEvent): void => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || !(event.target instanceof Element))
        return;
      const second = seekTargetOf(event.target);
      if (second === null) return;
      event.preventDefault(); // it is a link for those without scripts
      this.playFrom(Number(second));
    };
    document.addEventListener("click", onClick);
    return () => document.removeEventListener("click", onClick);
  }

  #keepProgress(): () => void {
    const { progress, storage } = this.ports;
    if (!progress) return () => undefined;
    const { person, post, onSaved, isTemporary } = progress;
    const kept = new StoredProgress(storage, person);
    const sender = new ProgressSender(this.lesson.uid, kept, post, onSaved, isTemporary);
    const sendStored = (): void => void sender.sendStored();
    sendStored();
    addEventListener("online", sendStored);
    const stop = reportProgress(this.video, {
      sink: new ThrottledSink(sender.send),
      leave: (last) => sender.leave(last),
    });
    return () => {
      removeEventListener("online", sendStored);
      stop();
    };
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

/** Says what cannot be seen: that it plays, and where it stopped. */
function speak(playback: Playback): () => void {
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
