import type { KeyboardEvent, RefObject } from "react";

import { actionOf, historyOf, isFind } from "./keys";
import type { CueActions } from "./useCueActions";
import type { Editing } from "./useEditing";
import type { PlayedVideo } from "../../shared/video/playedVideo";

type Options = {
  root: RefObject<HTMLElement | null>;
  current: string | null;
  isLocked: boolean;
  video: PlayedVideo;
  actions: CueActions;
  editing: Editing;
  setFinding: (isFinding: boolean) => void;
  onShift: () => void;
};

/** What the keys do (keys.ts), wherever the focus is in the editor. */
export function useCaptionKeys({
  root,
  current,
  isLocked,
  video,
  actions,
  editing,
  setFinding,
  onShift,
}: Options): (event: KeyboardEvent) => void {
  return (event) => {
    const back = historyOf(event.nativeEvent);
    if (back && root.current?.querySelector(".capcues")?.contains(event.target as Node)) {
      if ((event.target as HTMLElement).closest(".findline")) return;
      event.preventDefault();
      if (back === "undo") actions.undo();
      else editing.redo();
      return;
    }
    if (isFind(event.nativeEvent) && !isLocked) {
      event.preventDefault();
      setFinding(true);
      requestAnimationFrame(() => {
        const field = document.getElementById("captions-find");
        if (field instanceof HTMLInputElement) field.select();
      });
      return;
    }
    if (event.key === "Escape" && (event.target as HTMLElement).closest(".findline")) {
      setFinding(false);
      if (current !== null) actions.goTo(current, "text");
      return;
    }
    const action = actionOf(event.nativeEvent);
    if (!action) return;
    event.preventDefault();
    const { time } = video;
    switch (action) {
      case "toggle":
        return video.toggle();
      case "replay":
        return actions.replay();
      case "back":
        return video.seek(time - 1);
      case "forth":
        return video.seek(time + 1);
      case "next":
        return actions.step(1);
      case "previous":
        return actions.step(-1);
      case "warning":
        return actions.goToNextWarning();
      case "add":
        return actions.add();
      case "shift":
        return isLocked ? undefined : onShift();
      default:
    }
    if (current === null) return;
    if (action === "begin" || action === "end") editing.setTime(current, action, time);
    else if (action === "split") actions.split(current);
    else if (action === "merge") actions.merge(current);
    else if (action === "delete") actions.remove(current);
    else editing.check(current);
  };
}
