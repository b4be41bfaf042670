/** A page that waits for a job: `[data-waits]`. Its part is fetched again; when the wait is over, the whole page. */
const PAUSE_MS = 2000;
/** The server answers so while the job works. */
const STILL_WAITING = 202;

async function look(place: Element): Promise<boolean> {
  const response = await fetch(location.href, { credentials: "same-origin" });
  if (response.status !== STILL_WAITING) return false;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const fresh = page.querySelector("[data-waits]");
  if (fresh) place.replaceChildren(...fresh.childNodes);
  return true;
}

/** Follow the wait, also when the network fails for a while. */
export function followWaiting(place: Element, reload = (): void => location.reload()): void {
  setTimeout(() => {
    look(place).then(
      (isWaiting) => (isWaiting ? followWaiting(place, reload) : reload()),
      () => followWaiting(place, reload),
    );
  }, PAUSE_MS);
}
