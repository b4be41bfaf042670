// The lectures page of the studio: rows are moved by dragging or by their arrow buttons, without a reload.
import { authenticatedApi, unwrap } from "./shared/api/client";
import { startDragging } from "./outline/drag";
import { watchProcessing } from "./outline/watchProcessing";
import { createMover } from "./outline/moves";

const outline = document.querySelector<HTMLElement>("[data-outline]");
if (outline) {
  const mover = createMover(outline, {
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
  watchProcessing();
}
