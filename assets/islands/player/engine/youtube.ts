/**
 * The messages of YouTube's player, as its IFrame API sends and reads them: commands by the names of
 * https://developers.google.com/youtube/iframe_api_reference, states as `infoDelivery` and `onStateChange`.
 */
import { type Link, parseMessage, type Problem, type Protocol } from "./protocol";
import { type Facts, secondsFrom } from "./remoteMedia";

const ENDED = 0;
const PLAYING = 1;
const BUFFERING = 3;

/** Codes of `onError`; 101 and 150 also stand for a video that is blocked in the country. */
const problems: Record<number, Problem> = { 100: "gone", 101: "forbidden", 150: "forbidden" };

export function speakYouTube(frame: string, { post, media, onProblem }: Link): Protocol {
  const send = (event: string, more: object = {}): void =>
    post(JSON.stringify({ event, id: 1, channel: "widget", ...more }));
  const command = (func: string, ...args: unknown[]): void => send("command", { func, args });

  const readInfo = (info: Record<string, unknown>): void => {
    const told: Partial<Facts> = {};
    const time = secondsFrom(info.currentTime);
    const duration = secondsFrom(info.duration);
    const about = parseMessage(info.videoData);
    if (time !== null) told.time = time;
    // A live stream has no length: what is told is how long it has been running.
    if (about?.isLive === true) told.duration = Number.NaN;
    else if (duration !== null && duration > 0) told.duration = duration;
    if (typeof info.playbackRate === "number") told.rate = info.playbackRate;
    if (typeof info.volume === "number") told.volume = Math.min(1, Math.max(0, info.volume / 100));
    if (typeof info.muted === "boolean") told.isMuted = info.muted;
    if (typeof info.playerState === "number") Object.assign(told, stateOf(info.playerState));
    if (Object.keys(told).length > 0) media().report(told);
  };
  return {
    addressAt: (second) =>
      withParameters(frame, {
        autoplay: "1",
        origin: location.origin,
        ...(second >= 1 && { start: String(Math.floor(second)) }),
      }),
    greet: () => send("listening"),
    subscribe() {
      for (const event of ["onStateChange", "onError"]) command("addEventListener", event);
    },
    receive({ event, info }) {
      if (event === "onError") onProblem(problems[Number(info)] ?? "failed");
      else if (event === "onStateChange" && typeof info === "number") media().report(stateOf(info));
      else if (event === "infoDelivery" || event === "initialDelivery") {
        const facts = parseMessage(info);
        if (facts) readInfo(facts);
      }
    },
    play: () => command("playVideo"),
    pause: () => command("pauseVideo"),
    seek: (second) => command("seekTo", second, true),
    setRate: (rate) => command("setPlaybackRate", rate),
    setVolume: (volume) => command("setVolume", Math.round(volume * 100)),
    setMuted: (isMuted) => command(isMuted ? "mute" : "unMute"),
  };
}

function stateOf(state: number): Partial<Facts> {
  if (state === ENDED) return { isPaused: true, hasEnded: true, isBuffering: false };
  if (state === PLAYING) return { isPaused: false, hasEnded: false, isBuffering: false };
  // Waiting for data is no pause.
  if (state === BUFFERING) return { isBuffering: true };
  return { isPaused: true, isBuffering: false };
}

export function withParameters(address: string, more: Record<string, string>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(more)) url.searchParams.set(name, value);
  return url.href;
}
