/** The notification bell of the header. Its code is fetched after the page has loaded. */
import type { startNotifications } from "./notifications";

type Load = () => Promise<{ startNotifications: typeof startNotifications }>;

/** Start the bell when the browser is idle, or as soon as it is opened. */
export function startBell(
  actions: Parameters<typeof startNotifications>[0],
  load: Load = () => import("./notifications"),
): void {
  if (!document.querySelector("[data-bell]")) return;
  let started: Promise<void> | undefined;
  const start = (): Promise<void> =>
    (started ??= load().then(
      ({ startNotifications }) => startNotifications(actions),
      () => (started = undefined), // offline: the panel has a link to the page, and the next opening tries again
    ));
  document.addEventListener(
    "toggle", // does not bubble
    ({ target }) => {
      if (target instanceof HTMLDetailsElement && "bell" in target.dataset && !started)
        void start();
    },
    { capture: true },
  );
  const whenIdle = (): unknown =>
    "requestIdleCallback" in window
      ? requestIdleCallback(() => void start())
      : setTimeout(() => void start(), 500);
  if (document.readyState === "complete") whenIdle();
  else addEventListener("load", whenIdle, { once: true });
}
