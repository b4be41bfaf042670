import { announce } from "../shared/announce";
import { expire } from "../shared/toasts";

/** Announce toasts that the server rendered (`[data-toast]`), and let them expire. */
export function startServerToasts(): void {
  for (const toast of document.querySelectorAll<HTMLElement>("[data-toast]")) {
    expire(toast);
    // Screen readers do not announce live regions that are part of the loaded page.
    announce(toast.querySelector("p")?.textContent ?? "");
    toast.querySelector("[data-dismiss]")?.addEventListener("click", () => toast.remove());
  }
}
