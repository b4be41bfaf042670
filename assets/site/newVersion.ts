/** A version of the course that is published while a lesson is open: the page says so in place, and is not changed. */
import { announce } from "../shared/announce";
import { type OpenSocket, openLiveSocket } from "../shared/liveSocket";

/** `place` is `[data-new-version="/address of the socket"]`, with one hidden notice for each case. */
export function startNewVersion(place: HTMLElement, open?: OpenSocket): void {
  openLiveSocket(
    place.dataset.newVersion ?? "",
    {
      onMessage: ({ type, note, is_removed: isRemoved }) => {
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
