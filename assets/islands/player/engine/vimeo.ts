/**
 * The messages of Vimeo's player: methods and events by the names of
 * https://developer.vimeo.com/player/sdk/reference, each message an object.
 */
import { type Link, parseMessage, type Problem, type Protocol } from "./protocol";
import { type Facts, secondsFrom } from "./remoteMedia";
import { withParameters } from "./youtube";

const EVENTS = [
  ...["play", "playing", "pause", "ended", "timeupdate", "seeked", "bufferstart", "bufferend"],
  ...["playbackratechange", "volumechange", "error"],
] as const;

/** Errors after which nothing plays, by the names of `error`; others concern one call. */
const problems: Record<string, Problem> = {
  NotFoundError: "gone",
  PrivacyError: "forbidden",
  PasswordError: "forbidden",
  NotPlayableError: "failed",
};

export function speakVimeo(frame: string, { post, media, onProblem }: Link): Protocol {
  const call = (method: string, value?: unknown): void =>
    post(value === undefined ? { method } : { method, value });

  const readData = (event: string, data: Record<string, unknown>): void => {
    const told: Partial<Facts> = {};
    const time = secondsFrom(data.seconds);
    const duration = secondsFrom(data.duration);
    if (time !== null) told.time = time;
    if (duration !== null && duration > 0) told.duration = duration;
    if (typeof data.playbackRate === "number") told.rate = data.playbackRate;
    if (typeof data.volume === "number") told.volume = Math.min(1, Math.max(0, data.volume));
    Object.assign(told, states[event]);
    if (Object.keys(told).length > 0) media().report(told);
  };
  return {
    addressAt(second) {
      const address = withParameters(frame, { autoplay: "1" });
      return second >= 1 ? `${address}#t=${Math.floor(second)}s` : address;
    },
    greet: () => call("ping"),
    subscribe() {
      for (const event of EVENTS) call("addEventListener", event);
      call("getDuration");
    },
    receive({ event, method, data, value }) {
      const duration = method === "getDuration" ? secondsFrom(value) : null;
      if (duration !== null && duration > 0) media().report({ duration });
      if (typeof event !== "string") return;
      const facts = parseMessage(data) ?? {};
      if (event === "error") {
        const problem = typeof facts.name === "string" ? problems[facts.name] : undefined;
        if (problem) onProblem(problem);
        else if (facts.method === "setPlaybackRate") media().report({ rate: 1 }); // not in this owner's plan
      } else readData(event, facts);
    },
    play: () => call("play"),
    pause: () => call("pause"),
    seek: (second) => call("setCurrentTime", second),
    setRate: (rate) => call("setPlaybackRate", rate),
    setVolume: (volume) => call("setVolume", volume),
    setMuted: (isMuted) => call("setMuted", isMuted),
  };
}

const playing: Partial<Facts> = { isPaused: false, hasEnded: false, isBuffering: false };
const states: Record<string, Partial<Facts>> = {
  play: playing,
  playing,
  pause: { isPaused: true },
  ended: { isPaused: true, hasEnded: true, isBuffering: false },
  bufferstart: { isBuffering: true },
  bufferend: { isBuffering: false },
};
