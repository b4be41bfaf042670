/** Whether a video or a sound plays in any tab: an update of the worker must not interrupt it. */
import { announceEvent, listenToEvents } from "./channel";
import { newUid } from "../shared/newUid";

/** How long other tabs may take to answer. */
const MAX_WAIT_FOR_TABS_MS = 500;

function playsHere(): boolean {
  const media = [...document.querySelectorAll<HTMLMediaElement>("video, audio")];
  return media.some((one) => !one.paused && !one.ended);
}

/** Answer other tabs that ask. Returns a function that stops it. */
export function answerAboutPlaying(): () => void {
  return listenToEvents((event) => {
    if (event.kind === "playing" && playsHere())
      announceEvent({ kind: "plays", question: event.question });
  });
}

/** Whether something plays in this tab or another one. Tabs that don't answer count as silent. */
export async function isAnythingPlaying(): Promise<boolean> {
  if (playsHere()) return true;
  const question = newUid();
  return new Promise((resolve) => {
    const finish = (plays: boolean): void => {
      stop();
      clearTimeout(timer);
      resolve(plays);
    };
    const stop = listenToEvents((event) => {
      if (event.kind === "plays" && event.question === question) finish(true);
    });
    const timer = setTimeout(() => finish(false), MAX_WAIT_FOR_TABS_MS);
    announceEvent({ kind: "playing", question });
  });
}
