/** When React has drawn the page without what was removed: at once, or later on a slow device. */
const DELAYS_MS = [50, 300, 1000];

/** After what had the focus is gone, such as the row of a removed lesson: to the title of the page. */
export function keepFocus(): void {
  for (const delay of DELAYS_MS)
    setTimeout(() => {
      const { activeElement: active, body } = document;
      if (!active || active === body) document.querySelector<HTMLElement>("#main h1")?.focus();
    }, delay);
}
