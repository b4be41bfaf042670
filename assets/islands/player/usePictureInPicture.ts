import { useSyncExternalStore } from "react";

import { announce } from "../../shared/announce";
import { t } from "../../shared/i18n";
import type { Switch } from "./view";

/** Whether the video is in a small window of its own, and how to change it; null where the browser cannot do it. */
export function usePictureInPicture(video: HTMLMediaElement): Switch | null {
  const isOn = useSyncExternalStore(
    (listener) => {
      const events = ["enterpictureinpicture", "leavepictureinpicture"];
      for (const event of events) video.addEventListener(event, listener);
      return () => {
        for (const event of events) video.removeEventListener(event, listener);
      };
    },
    () => "pictureInPictureElement" in document && document.pictureInPictureElement === video,
  );
  const canDo = "pictureInPictureEnabled" in document && document.pictureInPictureEnabled;
  if (!canDo || !(video instanceof HTMLVideoElement)) return null;
  const toggle = (): void => {
    const change = isOn ? document.exitPictureInPicture() : video.requestPictureInPicture();
    // Refused before the first frame has loaded.
    change.then(
      () => undefined,
      () => announce(t("Picture in picture isn't possible right now")),
    );
  };
  return { isOn, toggle };
}
