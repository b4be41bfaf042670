/** An avatar whose image does not load shows its letter. */
function showLetter(image: HTMLImageElement): void {
  const avatar = image.closest<HTMLElement>("[data-avatar]");
  if (avatar) avatar.textContent = avatar.dataset.avatar ?? "U";
}

/** Watch for avatars that fail to load, and replace those that already have. */
export function startAvatarFallback(): void {
  document.addEventListener(
    "error", // does not bubble
    ({ target }) => {
      if (target instanceof HTMLImageElement) showLetter(target);
    },
    { capture: true },
  );
  for (const image of document.querySelectorAll<HTMLImageElement>("[data-avatar] img")) {
    if (image.complete && image.naturalWidth === 0) showLetter(image);
  }
}
