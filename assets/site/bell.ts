/** The bell of the header. What it does comes later, in a chunk of its own: no page waits for it. */
import type { startNotices } from "./notices";

type Load = () => Promise<{ startNotices: typeof startNotices }>;

/** Start the bell once the page is at rest, or at once when somebody opens it. */
export function startBell(
  tools: Parameters<typeof startNotices>[0],
  load: Load = () => import("./notices"),
): void {
  if (!document.querySelector("[data-bell]")) return;
  let begun: Promise<void> | undefined;
  const begin = (): Promise<void> =>
    (begun ??= load().then(
      ({ startNotices }) => startNotices(tools),
      () => (begun = undefined), // offline: the panel has its link, the next opening tries again
    ));
  document.addEventListener(
    "toggle", // does not bubble
    ({ target }) => {
      if (target instanceof HTMLDetailsElement && "bell" in target.dataset && !begun) void begin();
    },
    { capture: true },
  );
  const rest = (): unknown =>
    "requestIdleCallback" in window
      ? requestIdleCallback(() => void begin())
      : setTimeout(() => void begin(), 500);
  if (document.readyState === "complete") rest();
  else addEventListener("load", rest, { once: true });
}
