import { iconAddress } from "./icons";

/**
 * Turn the locked next lesson at the foot of the page (`[data-next]`, its address) into a link.
 * @param url only if it is this lesson; without it, whichever lesson it is
 */
export function unlockNextLesson(root: ParentNode = document, url?: string): void {
  for (const locked of root.querySelectorAll<HTMLElement>("[data-next]")) {
    const address = locked.dataset.next;
    if (!address || (url !== undefined && address !== url)) continue;
    const link = document.createElement("a");
    link.href = address;
    link.rel = "next"; // the shortcut N opens it
    link.className = locked.className;
    link.classList.remove("faint");
    link.append(...locked.childNodes);
    const icon = link.querySelector("svg");
    icon?.querySelector("use")?.setAttribute("href", iconAddress("arrow-right"));
    icon?.removeAttribute("aria-label");
    icon?.removeAttribute("role");
    icon?.setAttribute("aria-hidden", "true");
    locked.replaceWith(link);
  }
}
