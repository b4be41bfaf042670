import { announce } from "../shared/announce";
import { expire } from "../shared/toasts";

/** Messages that the server put into the page (`[data-toast]`) leave like all others. */
export function startToasts(): void {
  for (const toast of document.querySelectorAll<HTMLElement>("[data-toast]")) {
    expire(toast);
    // What is there when the page arrives is not spoken by itself.
    announce(toast.querySelector("p")?.textContent ?? "");
    toast.querySelector("[data-dismiss]")?.addEventListener("click", () => toast.remove());
  }
}
