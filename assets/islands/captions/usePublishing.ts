import { useState } from "react";

import { ApiError, toApiError } from "../../shared/api/errors";
import { confirmFirst } from "../../shared/confirming";
import { t } from "../../shared/i18n";
import { toast } from "../../shared/toasts";
import { discardSheet, publishSheet } from "./api";
import type { History } from "./history";
import type { Sheet } from "./sheet";

export type Publishing = {
  isPublishing: boolean;
  /** Show learners the captions of a language as they are now. */
  publish: (sheet: Sheet) => Promise<void>;
  /** Go back to the published captions of the first language. */
  discard: () => Promise<void>;
  exportAs: (form: "vtt" | "srt", encoding?: string) => Promise<void>;
};

/** What is done with all captions of a language. @param address of a file, with LANGUAGE in it */
export function usePublishing(
  lesson: string,
  sheet: Sheet,
  history: History,
  address: string,
): Publishing {
  const [isPublishing, setPublishing] = useState(false);

  const publish = async (one: Sheet, replaces = false): Promise<void> => {
    setPublishing(true);
    try {
      await one.flush();
      if (one.isUnsaved) {
        toast(t("Not published: some changes aren't saved yet"));
        return;
      }
      await one.replaceBy(() => publishSheet(lesson, one.language, one.revision, replaces));
      history.forget(one);
      toast(t("{language} captions are published. Learners see them now.", { language: one.name }));
    } catch (reason) {
      const isReplaced = reason instanceof ApiError && reason.is("CAPTIONS_REPLACED");
      // What others have written is shown, so that it is seen before it is published.
      if (reason instanceof ApiError && reason.is("CAPTIONS_CHANGED"))
        await one.catchUp().catch(() => undefined);
      if (isReplaced && !replaces) {
        const isSure = await confirmFirst({
          title: t("Other captions were published meanwhile"),
          text: t("Publishing yours replaces them."),
          confirm: t("Publish mine"),
          keep: t("Cancel"),
        });
        if (isSure) await publish(one, true);
      } else toast(reason instanceof Error ? reason.message : t("Something went wrong"));
    } finally {
      setPublishing(false);
    }
  };

  return {
    isPublishing,
    publish: (one) => publish(one),
    discard: async () => {
      const isSure = await confirmFirst({
        title: t("Go back to the published captions?"),
        text: t("What was changed since, by you and others, is lost."),
        confirm: t("Discard changes"),
        keep: t("Keep editing"),
      });
      if (!isSure) return;
      try {
        await sheet.replaceBy(() => discardSheet(lesson, sheet.language), true);
        history.forget(sheet);
      } catch (reason) {
        toast(toApiError(reason).message, { icon: "triangle-alert" });
      }
    },
    exportAs: async (form, encoding = "utf-8") => {
      await sheet.flush();
      const file = address.replace("LANGUAGE", encodeURIComponent(sheet.language));
      location.assign(`${file}?format=${form}&encoding=${encoding}`);
    },
  };
}
