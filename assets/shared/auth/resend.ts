/** Ask for the mail that proves one's email once more. */
import { api, unwrap } from "../api/client";
import { t } from "../i18n";
import { toast } from "../toasts";

export async function resendVerification(): Promise<void> {
  const type = { label: t("Type the code"), onPress: () => location.assign("/auth/verify-email") };
  try {
    const { wait } = await unwrap(api.POST("/api/v1/auth/resend-verification/"));
    const words =
      wait > 0
        ? t("The last mail is on its way. Another one is possible in {seconds} s.", {
            seconds: wait,
          })
        : t("A new link and a new code are on their way.");
    toast(words, { action: type });
  } catch (failure) {
    toast(failure instanceof Error ? failure.message : t("That did not work. Try again."));
  }
}
