/**
 * Saves files of stored lessons. Not every browser asks the service worker for what a link downloads, so the page reads
 * the file itself.
 */
import { lookup } from "../../shared/api/errors";
import { toast } from "../../shared/toasts";
import { MEDIA_PATH } from "../names";

/** After this time the browser has begun to save. */
const REVOKE_DELAY_MS = 60_000;

export function startSavingFiles(): void {
  document.addEventListener("click", (event) => {
    const { target } = event;
    if (!(target instanceof Element) || event.defaultPrevented) return;
    const link = target.closest<HTMLAnchorElement>(`a[download][href^="${MEDIA_PATH}"]`);
    if (!link) return;
    event.preventDefault();
    void save(link).catch(() => {
      toast(lookup("LECTURE_UNAVAILABLE").message, { icon: "circle-alert" });
    });
  });
}

async function save({ href, download }: HTMLAnchorElement): Promise<void> {
  const response = await fetch(href);
  if (!response.ok) throw new Error(`${href}: ${response.status}`);
  const address = URL.createObjectURL(await response.blob());
  Object.assign(document.createElement("a"), { href: address, download }).click();
  setTimeout(() => URL.revokeObjectURL(address), REVOKE_DELAY_MS);
}
