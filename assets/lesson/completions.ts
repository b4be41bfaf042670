/** Lesson completions, notes and progress that were stored while offline, sent from any page. */
import { authenticatedApi, unwrap } from "../shared/api/client";
import { makeError } from "../shared/api/errors";
import { session } from "../shared/auth/browser";
import { t } from "../shared/i18n";
import { celebrate } from "../shared/milestones";
import { toast } from "../shared/toasts";
import { type Delivery, Outbox } from "./outbox";

/** Complete a text or file lesson. */
export const complete = (uid: string) =>
  unwrap(authenticatedApi.POST("/api/v1/lessons/{uid}/complete/", { params: { path: { uid } } }));

/** Complete a lesson as this user; throws if another user has signed in in another tab in the meantime. */
export async function completeAs(userId: string, uid: string) {
  await session.requireBearer();
  const { user } = session.state;
  if (user?.id !== undefined && user.id !== userId) throw makeError("NOT_AUTHENTICATED"); // stays stored until the user is back
  return complete(uid);
}

/** Show the outcome of a stored completion. */
export function showDelivery({ title, outcome }: Delivery): void {
  if ("progress" in outcome) {
    toast(t("Synced: {title} is complete.", { title }));
    celebrate(outcome.progress);
  } else {
    const { message } = outcome.error;
    toast(t("{title} couldn't be marked as complete. {reason}", { title, reason: message }), {
      icon: "circle-alert",
      stays: true,
    });
  }
}

/** The outbox of the user for whom the page was rendered. Notes and progress of videos that wait on this device are sent along. */
export function openOutbox(onDelivered: (delivery: Delivery) => void = showDelivery): Outbox {
  const userId = document.querySelector<HTMLMetaElement>('meta[name="study-user"]')?.content ?? "";
  void import("../shared/notes/sendStored").then((notes) => notes.sendStoredNotes());
  void import("./sendProgress").then((videos) => videos.sendStoredProgress(userId));
  return new Outbox(
    () => localStorage,
    userId,
    (uid) => completeAs(userId, uid),
    onDelivered,
  );
}
