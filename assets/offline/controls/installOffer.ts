/** Keeps the offer of a browser to install the site as an app, which may come before anybody asks for it. */

/** The event of browsers that can install the site. */
export type InstallOffer = Event & { prompt: () => Promise<unknown> };

let offer: InstallOffer | null = null;
const listeners = new Set<() => void>();

function keep(next: InstallOffer | null): void {
  offer = next;
  for (const listener of listeners) listener();
}

/** The offer that can be used now; each can be used once. */
export const readOffer = (): InstallOffer | null => offer;

export function subscribeToOffer(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

/** Show the browser's dialog. */
export async function installApp(): Promise<void> {
  const used = offer;
  keep(null);
  await used?.prompt();
}

addEventListener("beforeinstallprompt", (event) => {
  event.preventDefault();
  keep(event as InstallOffer);
});
addEventListener("appinstalled", () => keep(null));
