/** The stream of a video that plays in a frame of another host: loads the frame and connects it with the media element. */
import { Store } from "./store";
import type { CreateStream, Stream } from "../../../shared/video/stream";
import { type Link, parseMessage, type Problem, type Protocol } from "./protocol";
import { RemoteMedia } from "./remoteMedia";

/** How often the player is asked to tell until it does, and after how long without an answer learners are told. */
const GREET_MS = 300;
const SILENCE_MS = 10_000;

export type FrameState = {
  /** Nothing plays, and why. */
  problem: Problem | null;
  /** The host's player tells nothing, so nothing can be counted. */
  isSilent: boolean;
};

type Speak = (frame: string, link: Link) => Protocol;

export class FrameStream {
  readonly state = new Store<FrameState>({ problem: null, isSilent: false });

  constructor(
    readonly frame: HTMLIFrameElement,
    private readonly address: string,
    private readonly speak: Speak,
  ) {}

  create: CreateStream = (video, events) => {
    const { frame, state } = this;
    const { origin } = new URL(this.address);
    let hasAnswered = false;
    let waiting: ((protocol: Protocol) => void)[] = [];
    let greeting = 0;
    let loadedAt = 0;
    const listening = new AbortController();
    const protocol = this.speak(this.address, {
      // Not before the page is there: a message to another origin is an error in the console.
      post: (message) => loadedAt > 0 && frame.contentWindow?.postMessage(message, origin),
      media: () => media,
      onProblem: (problem) => state.change({ problem }),
    });
    // What is asked before the player listens is asked again when it does.
    const ask = (order: (protocol: Protocol) => void): void => {
      if (hasAnswered) order(protocol);
      else waiting.push(order);
    };
    const media = new RemoteMedia(video, {
      play: () => ask((one) => one.play()),
      pause: () => ask((one) => one.pause()),
      seek: (second) => ask((one) => one.seek(second)),
      setRate: (rate) => ask((one) => one.setRate(rate)),
      setVolume: (volume) => ask((one) => one.setVolume(volume)),
      setMuted: (isMuted) => ask((one) => one.setMuted(isMuted)),
    });
    const stopGreeting = (): void => clearInterval(greeting);
    const greet = (): void => {
      protocol.greet();
      if (Date.now() - loadedAt > SILENCE_MS) state.change({ isSilent: true });
    };
    const open = (second: number): void => {
      stopGreeting();
      hasAnswered = false;
      waiting = [];
      loadedAt = 0;
      media.forget();
      state.set({ problem: null, isSilent: false });
      frame.src = protocol.addressAt(second);
    };
    const onMessage = ({ source, origin: from, data }: MessageEvent): void => {
      if (source !== frame.contentWindow || from !== origin) return;
      const message = parseMessage(data);
      if (!message) return;
      if (!hasAnswered) {
        hasAnswered = true;
        stopGreeting();
        state.change({ isSilent: false });
        protocol.subscribe();
        for (const order of waiting.splice(0)) order(protocol);
        events.onLoaded();
      }
      protocol.receive(message);
    };
    const { signal } = listening;
    addEventListener("message", onMessage, { signal });
    frame.addEventListener(
      "load",
      () => {
        if (!frame.src) return;
        loadedAt = Date.now();
        stopGreeting();
        greeting = window.setInterval(greet, GREET_MS);
      },
      { signal },
    );
    const stream: Stream = {
      load: (_, at) => open(at),
      choose: () => false,
      retry: (at) => open(at),
      destroy() {
        stopGreeting();
        listening.abort();
        frame.removeAttribute("src");
      },
    };
    this.#retry = () => open(video.currentTime);
    return Promise.resolve(stream);
  };

  #retry = (): void => undefined;

  /** Load the host's player again, from where it was. */
  retry = (): void => this.#retry();
}
