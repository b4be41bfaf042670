/** The video of the lesson page, for what stands beside the player. */

export function mediaOfPage(): HTMLMediaElement | null {
  return document.querySelector<HTMLMediaElement>("[data-island=player] :is(video, audio)");
}

/** The whole second that the video shows; before it was started, the one at which it will start. */
export function secondOfVideo(): number {
  const media = mediaOfPage();
  const place = document.querySelector<HTMLElement>("[data-timeline]");
  const begins = Number(place?.dataset.position ?? 0);
  const isStarted = media !== null && (media.currentTime > 0 || media.readyState > 0);
  return Math.floor(isStarted ? media.currentTime : begins);
}
