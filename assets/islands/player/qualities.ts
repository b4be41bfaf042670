import { t } from "../../shared/i18n";
import type { Playback } from "./engine/playback";
import { QUALITIES, type Quality } from "./engine/settings";
import { usePlayback } from "./usePlayback";

type Offered = {
  chosen: Quality;
  /** The quality that plays now where it is chosen automatically, such as "720p"; empty while unknown. */
  height: string;
  offered: (readonly [id: Quality, name: string])[];
};

/** The qualities of this video with their names, and the one that is chosen. */
export function useOfferedQualities(playback: Playback): Offered {
  const quality = usePlayback(playback, (state) => state.quality);
  const height = usePlayback(playback, (state) => state.height);
  const heights = usePlayback(playback, (state) => state.heights);
  const hasAudio = usePlayback(playback, (state) => state.hasAudio);
  const names: Record<Quality, string> = {
    auto: height === "" ? t("Auto") : t("Auto {height}", { height }),
    "1080p": "1080p",
    "720p": "720p",
    "480p": "480p",
    audio: t("Audio only"),
  };
  const offered = QUALITIES.filter(
    (one) =>
      one === "auto" ||
      (one === "audio" ? hasAudio : heights.length === 0 || heights.includes(one)),
  );
  return {
    chosen: offered.includes(quality) ? quality : "auto",
    height,
    offered: offered.map((one) => [one, names[one]] as const),
  };
}
