/** Caption tracks of the media element: which one is shown, and its current text. */
export type CaptionSource = { language: string; label: string; url: string };

/** The lines of the cues as plain text. */
export function linesOf(cues: TextTrackCueList | null): string[] {
  return Array.from(cues ?? []).flatMap((cue) => {
    if (!("text" in cue) || typeof cue.text !== "string") return [];
    // Readings of ruby characters follow in parentheses, as in the transcript.
    const text = cue.text
      .replace(/<rt>/g, "(")
      .replace(/<\/rt>/g, ")")
      .replace(/<[^>]*>/g, "");
    return text.split("\n").map((line) => decode(line.trim()));
  });
}

/** Resolve the character references of a text. A text area holds text only, whatever looks like a tag in it. */
function decode(text: string): string {
  if (!text.includes("&")) return text;
  const area = document.createElement("textarea");
  area.innerHTML = text;
  return area.value;
}

/** The language to show: the chosen one, else that of the page, else the first. */
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
 * Report the current lines of one track. The browser loads the track but does not show it, as the stage shows the
 * lines above its controls. Returns a function that stops it.
 */
export function followCaptions(
  video: HTMLMediaElement,
  language: string,
  onLines: (lines: string[]) => void,
): () => void {
  const track = Array.from(video.textTracks).find((one) => one.language === language);
  if (!track) return () => undefined;
  const report = (): void => onLines(linesOf(track.activeCues));
  track.mode = "hidden";
  track.addEventListener("cuechange", report);
  report();
  return () => {
    track.removeEventListener("cuechange", report);
    track.mode = "disabled";
    onLines([]);
  };
}
