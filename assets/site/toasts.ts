import { expire } from "../shared/toasts";

/** Messages that the server put into the page (`[data-toast]`) leave like all others. */
export function startToasts(): void {
  for (const toast of document.querySelectorAll<HTMLElement>("[data-toast]")) {
    expire(toast);
    toast.querySelector("[data-dismiss]")?.addEventListener("click", () => toast.remove());
  }
}
