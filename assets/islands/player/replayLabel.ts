import { t } from "../../shared/i18n";

/** The label of the button that plays a finished lesson again. */
export function replayLabel(isAudioOnly: boolean): string {
  return isAudioOnly ? t("Listen again") : t("Watch again");
}
