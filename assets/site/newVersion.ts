/**
 * What changes while a lesson is open. Of a version of the course that is published, the page says so in place, and is
 * not changed. Of exceptions that were granted to the learner, the quiz hears (`study:exceptions`).
 */
import { announce } from "../shared/announce";
import { type OpenSocket, openLiveSocket } from "../shared/liveSocket";

/** `place` is `[data-new-version="/address of the socket"]`, with one hidden notice for each case. */
export function startNewVersion(place: HTMLElement, open?: OpenSocket): void {
  openLiveSocket(
    place.dataset.newVersion ?? "",
    {
      onMessage: ({ type, note, is_removed: isRemoved }) => {
        if (type === "exceptions") dispatchEvent(new Event("study:exceptions"));
        if (type !== "version") return;
        for (const one of place.querySelectorAll<HTMLElement>("[data-version]")) {
          one.hidden = (one.dataset.version === "gone") !== isRemoved;
          const said = one.querySelector("[data-note]");
          if (said && typeof note === "string" && note) said.textContent = note;
          if (!one.hidden) announce(one.querySelector(".notice__title")?.textContent ?? "");
        }
      },
    },
    open,
  );
}
