/** Sends, from any page, notes that were kept on this device (lesson/completions.ts). */
import { toApiError } from "../api/errors";
import { t } from "../i18n";
import { toast } from "../toasts";
import { isTemporary, saveNote, storedNotes } from "./noteApi";

/** Send what this user has stored, now and when the connection returns. */
export async function sendStoredNotes(): Promise<void> {
  for (const note of storedNotes.all()) {
    if (note.isRefused) continue;
    try {
      storedNotes.settle(note.uid, await saveNote(note));
    } catch (reason) {
      if (isTemporary(reason)) {
        addEventListener("online", () => void sendStoredNotes(), { once: true });
        return;
      }
      storedNotes.add({ ...note, isRefused: true });
      const { message } = toApiError(reason);
      toast(t("A note on this device couldn't be saved. {reason}", { reason: message }), {
        icon: "circle-alert",
        stays: true,
      });
    }
  }
}
