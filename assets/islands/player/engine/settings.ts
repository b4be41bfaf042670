/** The settings of the player, stored in this browser for all lessons. */
import type { Quality } from "../../../shared/video/stream";

export const SPEEDS = [0.5, 0.75, 1, 1.25, 1.5, 2] as const;

export type { Quality };
export const QUALITIES: readonly Quality[] = ["auto", "1080p", "720p", "480p", "audio"];

export const CAPTION_SIZES = ["small", "normal", "large", "huge"] as const;
export type CaptionSize = (typeof CAPTION_SIZES)[number];
/** What is behind the captions: a dark veil, black, or only a shadow of the letters. */
export const CAPTION_BACKS = ["veil", "black", "none"] as const;
export type CaptionBack = (typeof CAPTION_BACKS)[number];

export type Settings = {
  speed: number;
  volume: number;
  isMuted: boolean;
  quality: Quality;
  /** On until the user turns captions off, which applies to every lesson. */
  hasCaptions: boolean;
  captionLanguage: string;
  captionSize: CaptionSize;
  captionBack: CaptionBack;
  /** Whether the next lesson starts by itself at the end of a video. */
  playsNext: boolean;
};

const KEY = "study.player";

export const defaults: Settings = {
  speed: 1,
  volume: 1,
  isMuted: false,
  quality: "auto",
  hasCaptions: true,
  captionLanguage: "",
  captionSize: "normal",
  captionBack: "veil",
  playsNext: true,
};

/** The stored settings, with the default for anything missing or invalid. */
export function readSettings(storage: Pick<Storage, "getItem">): Settings {
  let stored: Partial<Record<keyof Settings, unknown>> = {};
  try {
    const value: unknown = JSON.parse(storage.getItem(KEY) ?? "{}");
    if (typeof value === "object" && value !== null) stored = value;
  } catch {
    // Storage is blocked, or the value is not JSON.
  }
  const boolean = (key: "isMuted" | "hasCaptions" | "playsNext"): boolean =>
    typeof stored[key] === "boolean" ? stored[key] : defaults[key];
  const { volume, captionLanguage } = stored;
  return {
    speed: SPEEDS.find((speed) => speed === stored.speed) ?? defaults.speed,
    volume: typeof volume === "number" && volume >= 0 && volume <= 1 ? volume : defaults.volume,
    quality: QUALITIES.find((quality) => quality === stored.quality) ?? defaults.quality,
    captionLanguage: typeof captionLanguage === "string" ? captionLanguage : "",
    isMuted: boolean("isMuted"),
    hasCaptions: boolean("hasCaptions"),
    captionSize: CAPTION_SIZES.find((size) => size === stored.captionSize) ?? defaults.captionSize,
    captionBack: CAPTION_BACKS.find((back) => back === stored.captionBack) ?? defaults.captionBack,
    playsNext: boolean("playsNext"),
  };
}

export function writeSettings(storage: Pick<Storage, "setItem">, settings: Settings): void {
  try {
    storage.setItem(KEY, JSON.stringify(settings));
  } catch {
    // Storage is blocked: the settings apply to this page only.
  }
}
