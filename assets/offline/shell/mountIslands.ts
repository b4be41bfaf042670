/**
 * Mounts the islands of a page that the shell shows. Their code is on this device, so none waits for an input; a panel
 * that is closed loads its island once it is open, as on a page of the server.
 */
export async function mountIslands(root: ParentNode): Promise<void> {
  const spots = [...root.querySelectorAll<HTMLElement>("[data-island]")];
  if (spots.length === 0) return;
  const { mount } = await import("../../shared/mount");
  const seen = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      seen.unobserve(target);
      void mount(target as HTMLElement);
    }
  });
  const isClosed = (spot: HTMLElement): boolean => spot.closest("[hidden], [popover]") !== null;
  for (const spot of spots) if (isClosed(spot)) seen.observe(spot);
  await Promise.all(spots.filter((spot) => !isClosed(spot)).map((spot) => mount(spot)));
}
