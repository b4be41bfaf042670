/**
 * Sends, from any page, progress of videos that the player could not send (islands/player/engine/progress.ts).
 *
 * It reads what the player stored with code of its own: shared code would be one more request of each video's page.
 */
import { authenticatedApi, reach, unwrap } from "../shared/api/client";
import { makeError, toApiError } from "../shared/api/errors";
import type { components } from "../shared/api/schema.gen";
import { session } from "../shared/auth/browser";
import { t } from "../shared/i18n";
import { celebrate } from "../shared/milestones";
import { isTemporary } from "../shared/notes/noteApi";
import { toast } from "../shared/toasts";

type Progress = components["schemas"]["SaveProgressInRequest"] & { at: string };
type Stored = Record<string, Progress>;

const keyOf = (userId: string): string => `study.progress.${userId}`;

function storedOf(userId: string): Stored {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(keyOf(userId)) ?? "{}");
    return typeof value === "object" && value !== null ? (value as Stored) : {};
  } catch {
    return {};
  }
}

/** Remove what the server has, unless a player has stored newer progress in the meantime. */
function remove(userId: string, lesson: string, at: string): void {
  const { [lesson]: found, ...others } = storedOf(userId);
  if (found?.at !== at) return;
  if (Object.keys(others).length === 0) localStorage.removeItem(keyOf(userId));
  else localStorage.setItem(keyOf(userId), JSON.stringify(others));
}

/** Save as this user; throws if another user has signed in in another tab in the meantime. */
async function saveAs(userId: string, uid: string, body: Progress) {
  await session.requireBearer();
  const { user } = session.state;
  if (user?.id !== undefined && user.id !== userId) throw makeError("NOT_AUTHENTICATED"); // stays stored until the user is back
  const params = { path: { uid } };
  return unwrap(
    authenticatedApi.POST("/api/v1/lessons/{uid}/progress/", { params, body, fetch: reach }),
  );
}

let isSending = false;

/** Send what this user has stored, now and when the connection returns. */
export async function sendStoredProgress(userId: string): Promise<void> {
  if (isSending || userId === "") return;
  isSending = true;
  let refusal = "";
  for (const [lesson, progress] of Object.entries(storedOf(userId))) {
    try {
      const saved = await saveAs(userId, lesson, progress);
      remove(userId, lesson, progress.at);
      if (!saved.newly_completed) continue;
      toast(t("Synced: a video you watched is complete."));
      celebrate(saved);
    } catch (reason) {
      if (isTemporary(reason)) {
        addEventListener("online", () => void sendStoredProgress(userId), { once: true });
        break;
      }
      remove(userId, lesson, progress.at);
      refusal = toApiError(reason).message;
    }
  }
  isSending = false;
  if (refusal)
    toast(t("The progress of a video couldn't be saved. {reason}", { reason: refusal }), {
      icon: "circle-alert",
      stays: true,
    });
}
