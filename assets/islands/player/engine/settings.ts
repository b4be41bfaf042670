/** The settings of the player, stored in this browser for all lessons. */
export const SPEEDS = [0.5, 0.75, 1, 1.25, 1.5, 2] as const;

export type Quality = "auto" | "1080p" | "720p" | "480p" | "audio";
export const QUALITIES: readonly Quality[] = ["auto", "1080p", "720p", "480p", "audio"];

export type Settings = {
  speed: number;
  volume: number;
  isMuted: boolean;
  quality: Quality;
  /** On until the user turns captions off, which applies to every lesson. */
  hasCaptions: boolean;
  captionLanguage: string;
};

const KEY = "study.player";

export const defaults: Settings = {
  speed: 1,
  volume: 1,
  isMuted: false,
  quality: "auto",
  hasCaptions: true,
  captionLanguage: "",
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
  const boolean = (key: "isMuted" | "hasCaptions"): boolean =>
    typeof stored[key] === "boolean" ? stored[key] : defaults[key];
  const { volume, captionLanguage } = stored;
  return {
    speed: SPEEDS.find((speed) => speed === stored.speed) ?? defaults.speed,
    volume: typeof volume === "number" && volume >= 0 && volume <= 1 ? volume : defaults.volume,
    quality: QUALITIES.find((quality) => quality === stored.quality) ?? defaults.quality,
    captionLanguage: typeof captionLanguage === "string" ? captionLanguage : "",
    isMuted: boolean("isMuted"),
    hasCaptions: boolean("hasCaptions"),
  };
}

export function writeSettings(storage: Pick<Storage, "setItem">, settings: Settings): void {
  try {
    storage.setItem(KEY, JSON.stringify(settings));
  } catch {
    // Storage is blocked: the settings apply to this page only.
  }
}
