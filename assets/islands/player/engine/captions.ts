/** Caption tracks of the element: which are shown, and the words of this moment. */
export type CaptionSource = { language: string; label: string; url: string };

/** Plain words of a cue; the stage draws them itself. */
export function wordsOf(cues: TextTrackCueList | null): string[] {
  return Array.from(cues ?? []).flatMap((cue) => {
    if (!("text" in cue) || typeof cue.text !== "string") return [];
    const text = cue.text.replace(/<[^>]*>/g, "");
    return text.split("\n").map((line) => decode(line.trim()));
  });
}

const entities: Record<string, string> = {
  amp: "&",
  lt: "<",
  gt: ">",
  nbsp: "\u00a0",
  lrm: "",
  rlm: "",
};

function decode(text: string): string {
  return text.replace(/&(\w+);/g, (whole, name: string) => entities[name] ?? whole);
}

/** The language to show: the chosen one, else the reader's, else the first. */
export function pickLanguage(
  sources: readonly CaptionSource[],
  wanted: string,
  own: string,
): string {
  const has = (language: string): boolean => sources.some((source) => source.language === language);
  if (has(wanted)) return wanted;
  const short = own.split("-")[0] ?? own;
  const similar = sources.find(({ language }) => language.split("-")[0] === short);
  return (has(own) ? own : similar?.language) ?? sources[0]?.language ?? "";
}

/**
 * Follow the cues of one track. It is loaded, not painted by the browser: the words are drawn in
 * the stage's own type, above its controls. Returns how to stop.
 */
export function followCaptions(
  video: HTMLMediaElement,
  language: string,
  onWords: (words: string[]) => void,
): () => void {
  const track = Array.from(video.textTracks).find((one) => one.language === language);
  if (!track) return () => undefined;
  const tell = (): void => onWords(wordsOf(track.activeCues));
  track.mode = "hidden";
  track.addEventListener("cuechange", tell);
  tell();
  return () => {
    track.removeEventListener("cuechange", tell);
    track.mode = "disabled";
    onWords([]);
  };
}
