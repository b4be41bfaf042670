/** The completions that wait for a connection, on pages that are not their own. */
import { authenticatedApi, unwrap } from "../shared/api/client";
import { makeError } from "../shared/api/errors";
import { session } from "../shared/auth/browser";
import { t } from "../shared/i18n";
import { celebrate } from "../shared/milestones";
import { toast } from "../shared/toasts";
import { type Delivery, Outbox } from "./outbox";

/** Complete a lesson that is a text. */
export const complete = (uid: string) =>
  unwrap(authenticatedApi.POST("/api/v1/lessons/{uid}/complete/", { params: { path: { uid } } }));

/** The same as this person only: somebody else may have signed in in another tab since the page was made. */
export async function completeAs(person: string, uid: string) {
  await session.requireBearer();
  const { user } = session.state;
  if (user?.id !== undefined && user.id !== person) throw makeError("NOT_AUTHENTICATED"); // kept until they are back
  return complete(uid);
}

/** Say what came of a completion that was kept. */
export function tell({ title, outcome }: Delivery): void {
  if ("progress" in outcome) {
    toast(t("Sent: {title} is complete.", { title }));
    celebrate(outcome.progress);
  } else {
    const { message } = outcome.error;
    toast(t("{title} couldn't be marked as complete. {reason}", { title, reason: message }), {
      icon: "circle-alert",
      stays: true,
    });
  }
}

/** The shelf of the person for whom the page was made. */
export function openOutbox(onDelivered: (delivery: Delivery) => void = tell): Outbox {
  const person = document.querySelector<HTMLMetaElement>('meta[name="study-user"]')?.content ?? "";
  return new Outbox(
    () => localStorage,
    person,
    (uid) => completeAs(person, uid),
    onDelivered,
  );
}
