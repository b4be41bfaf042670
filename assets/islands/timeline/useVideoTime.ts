import { useEffect, useState } from "react";

import { secondOfVideo } from "../../shared/notes/video";

/** The whole second of the video on this page. */
export function useVideoTime(hasVideo: boolean): number {
  const [second, setSecond] = useState(() => (hasVideo ? secondOfVideo() : 0));
  useEffect(() => {
    if (!hasVideo) return undefined;
    const read = (): void => setSecond(secondOfVideo());
    // These events don't bubble, and the player may be loaded later.
    const events = ["timeupdate", "seeked", "loadedmetadata"];
    for (const event of events) document.addEventListener(event, read, true);
    return () => {
      for (const event of events) document.removeEventListener(event, read, true);
    };
  }, [hasVideo]);
  return second;
}
