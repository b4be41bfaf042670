import { api, unwrap } from "../api/client";
import { t } from "../i18n";
import { toast } from "../toasts";

/** Request the verification email again, and show the outcome. */
export async function resendVerification(): Promise<void> {
  const type = { label: t("Enter code"), onPress: () => location.assign("/auth/verify-email") };
  try {
    const { wait } = await unwrap(api.POST("/api/v1/auth/resend-verification/"));
    const words =
      wait > 0
        ? t("An email is already on its way. You can request another one in {seconds} s.", {
            seconds: wait,
          })
        : t("We've sent you a new link and code.");
    toast(words, { action: type });
  } catch (failure) {
    toast(failure instanceof Error ? failure.message : t("Something went wrong. Try again."));
  }
}
