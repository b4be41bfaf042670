const WAIT_MS = 500;

/** Run something once the page has loaded and the browser has nothing else to do. */
export function whenIdle(run: () => void): void {
  const plan = (): unknown =>
    "requestIdleCallback" in window ? requestIdleCallback(run) : setTimeout(run, WAIT_MS);
  if (document.readyState === "complete") plan();
  else addEventListener("load", plan, { once: true });
}
