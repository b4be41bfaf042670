/** The completions that wait for a connection, on pages that are not their own. */
import { authenticatedApi, unwrap } from "../shared/api/client";
import { t } from "../shared/i18n";
import { celebrate } from "../shared/milestones";
import { toast } from "../shared/toasts";
import { type Delivery, Outbox } from "./outbox";

/** Complete a lesson that is a text. */
export const complete = (uid: string) =>
  unwrap(authenticatedApi.POST("/api/v1/lessons/{uid}/complete/", { params: { path: { uid } } }));

/** Say what came of a completion that was kept. */
export function tell({ title, outcome }: Delivery): void {
  if ("progress" in outcome) {
    toast(t("Sent: {title} is complete.", { title }));
    celebrate(outcome.progress);
  } else {
    const { message } = outcome.error;
    toast(t("{title} couldn't be marked as complete. {reason}", { title, reason: message }), {
      icon: "alert",
      stays: true,
    });
  }
}

/** The shelf of the person for whom the page was made. */
export function openOutbox(onDelivered: (delivery: Delivery) => void = tell): Outbox {
  const person = document.querySelector<HTMLMetaElement>('meta[name="study-user"]')?.content ?? "";
  return new Outbox(() => localStorage, person, complete, onDelivered);
}
