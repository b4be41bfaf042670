/** The texts of a transfer. */
import { bytes } from "../format";
import { t } from "../i18n";
import type { Transfer } from "./transfers";

/** A rounded estimate: "about 40 s left", "about 3 min left", "about 2 h left"; empty if unknown. */
export function timeLeft(seconds: number): string {
  if (!Number.isFinite(seconds) || seconds <= 0) return "";
  if (seconds < 10) return t("a few seconds left");
  if (seconds < 90) return t("about {count} s left", { count: Math.round(seconds / 10) * 10 });
  if (seconds < 90 * 60) return t("about {count} min left", { count: Math.round(seconds / 60) });
  return t("about {count} h left", { count: Math.round(seconds / 3600) });
}

export type Message = { main: string; aside: string };

/** The state of a transfer as text. */
export function messageOfTransfer(transfer: Transfer): Message {
  const size = transfer.file.size;
  switch (transfer.state) {
    case "waiting":
      return { main: t("Waiting to start."), aside: "" };
    case "paused":
      return {
        main: t("Paused. {sent} uploaded.", { sent: bytes(transfer.sent) }),
        aside: t("kept for 7 days"),
      };
    case "interrupted":
      if (transfer.error?.problem.code === "STORE_FULL")
        return {
          main: t("{reason} {sent} uploaded and saved.", {
            reason: transfer.error.message,
            sent: bytes(transfer.sent),
          }),
          aside: "",
        };
      return {
        main: t("The connection was lost. {sent} uploaded and saved.", {
          sent: bytes(transfer.sent),
        }),
        aside: "",
      };
    case "refused":
      return {
        main: transfer.error?.message ?? "",
        aside: transfer.sent > 0 ? "" : t("Nothing was uploaded."),
      };
    default: {
      const speed = transfer.speed > 0 ? `, ${bytes(transfer.speed)}/s` : "";
      return {
        main: t("{sent} of {size}{speed}", {
          sent: bytes(transfer.sent),
          size: bytes(size),
          speed,
        }),
        aside: transfer.speed > 0 ? timeLeft((size - transfer.sent) / transfer.speed) : "",
      };
    }
  }
}
