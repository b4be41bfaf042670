/** Which connection this device has, as far as the browser says. */
import type { Preferences } from "./types";

type Connection = { type?: string };

/** Networks that cost nothing by the byte. */
const UNMETERED = ["wifi", "ethernet"];

function readType(): string | null {
  return (navigator as { connection?: Connection }).connection?.type ?? null;
}

/** Whether the browser says if it is connected by Wi-Fi. Only then can lessons wait for it. */
export const knowsWifi = (): boolean => readType() !== null;

/** Whether the browser says that this connection costs by the byte. */
export function isMetered(): boolean {
  const type = readType();
  return type !== null && !UNMETERED.includes(type);
}

/** Whether lessons may be fetched now. */
export function connectionAllows({ isWifiOnly }: Pick<Preferences, "isWifiOnly">): boolean {
  if (!navigator.onLine) return false;
  return !isWifiOnly || !isMetered();
}

/** Whether the site has switched its service worker off, which alone can open stored lessons. */
export const isWorkerOff = (): boolean =>
  document.querySelector('meta[name="study-worker"]') !== null;
