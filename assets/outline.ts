// The outline of a course in the studio: rows are dragged, or moved by their arrows without a reload.
// site.ts has brought these: named here too, the build makes one file of them, not one per user.
import "./shared/announce";
import "./shared/format";

import { authenticatedApi, unwrap } from "./shared/api/client";
import { startDragging } from "./outline/drag";
import { watchGoing } from "./outline/going";
import { makeMover } from "./outline/moves";

const outline = document.querySelector<HTMLElement>("[data-outline]");
if (outline) {
  const mover = makeMover(outline, {
    lesson: (uid, section, position) =>
      unwrap(
        authenticatedApi.POST("/api/v1/lessons/{uid}/move/", {
          params: { path: { uid } },
          body: { section, position },
        }),
      ),
    section: (uid, position) =>
      unwrap(
        authenticatedApi.POST("/api/v1/sections/{uid}/move/", {
          params: { path: { uid } },
          body: { position },
        }),
      ),
  });
  mover.startArrows();
  startDragging(outline, mover.move);
  watchGoing();
}
