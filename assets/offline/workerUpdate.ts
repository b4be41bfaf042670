/** Offers a new version of the service worker. It waits until the learner agrees, and until nothing plays. */
import { t } from "../shared/i18n";
import { toast } from "../shared/toasts";
import { UPDATE_MESSAGE } from "./names";
import { isAnythingPlaying } from "./playing";

/** How long to wait before asking again while something plays. */
const WAIT_WHILE_PLAYING_MS = 60_000;

/** The worker that is installed and waits for the present one to end; null if there is none. */
function waitingOf(registration: ServiceWorkerRegistration): ServiceWorker | null {
  return registration.active ? registration.waiting : null;
}

let isOffered = false;

async function offer(registration: ServiceWorkerRegistration): Promise<void> {
  if (isOffered || !waitingOf(registration)) return;
  if (await isAnythingPlaying()) {
    setTimeout(() => void offer(registration), WAIT_WHILE_PLAYING_MS);
    return;
  }
  isOffered = true;
  toast(t("An update for offline learning is ready."), {
    icon: "info",
    stays: true,
    action: { label: t("Update"), onPress: () => void apply(registration) },
  });
}

/** Let the waiting worker take over, unless something has started to play: then it is offered again. */
async function apply(registration: ServiceWorkerRegistration): Promise<void> {
  isOffered = false;
  if (await isAnythingPlaying()) setTimeout(() => void offer(registration), WAIT_WHILE_PLAYING_MS);
  else waitingOf(registration)?.postMessage(UPDATE_MESSAGE);
}

/** Offer a version that waits now, or is installed while the page is open. */
export async function offerWorkerUpdate(): Promise<void> {
  if (!("serviceWorker" in navigator)) return;
  const registration = await navigator.serviceWorker.getRegistration("/");
  if (!registration) return;
  await offer(registration);
  registration.addEventListener("updatefound", () => {
    const { installing } = registration;
    installing?.addEventListener("statechange", () => {
      if (installing.state === "installed") void offer(registration);
    });
  });
}

/** Use the newest worker at once: for a browser that stores its first lesson, whose old worker knows nothing of them. */
export async function useNewestWorker(): Promise<void> {
  const registration = await navigator.serviceWorker.getRegistration("/");
  registration?.waiting?.postMessage(UPDATE_MESSAGE);
}
