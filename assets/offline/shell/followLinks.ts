/** Links of the shell: pages of the server open once they can show what was done here. */

/** The link that a click follows in this tab to another page of the site; null for all other clicks. */
function linkOf(event: MouseEvent): HTMLAnchorElement | null {
  const { target, button, metaKey, ctrlKey, shiftKey, altKey } = event;
  if (event.defaultPrevented || button !== 0 || metaKey || ctrlKey || shiftKey || altKey)
    return null;
  const link = target instanceof Element ? target.closest<HTMLAnchorElement>("a[href]") : null;
  if (!link || link.hasAttribute("download") || (link.target && link.target !== "_self"))
    return null;
  if (link.origin !== location.origin) return null;
  const isHere = link.pathname === location.pathname && link.search === location.search;
  return isHere && link.hash !== "" ? null : link;
}

/**
 * @param isOnline without a connection the shell shows the other page, too
 * @param onLeave does what is to be done before, and calls `go`, or resolves with false
 */
export function followLinks(
  isOnline: () => boolean,
  onLeave: (go: () => void) => Promise<boolean>,
): void {
  document.addEventListener("click", (event) => {
    const link = isOnline() ? linkOf(event) : null;
    if (!link) return;
    event.preventDefault();
    const go = (): void => location.assign(link.href);
    void onLeave(go).then((isLeaving) => isLeaving || go(), go);
  });
}
