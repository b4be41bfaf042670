/** On phones the timeline is a sheet over the page: the focus stays in it, and Escape closes it from anywhere. */

/** Whether the panel lies over the page. */
export function isSheet(place: HTMLElement): boolean {
  return getComputedStyle(place).position === "fixed";
}

export function close(place: HTMLElement): void {
  place.querySelector<HTMLElement>("[data-notes-close]")?.click();
}

/** Handle the keys of the sheet. Returns a function that stops it. */
export function handleSheetKeys(place: HTMLElement): () => void {
  const listening = new AbortController();
  const { signal } = listening;
  place.addEventListener(
    "keydown",
    (event) => {
      if (event.key === "Tab" && isSheet(place)) keepInside(place, event);
    },
    { signal },
  );
  document.addEventListener(
    "keydown",
    (event) => {
      if (event.key !== "Escape" || event.defaultPrevented || place.hidden) return;
      const inUse = document.activeElement?.closest("dialog, [role=menu], .stage");
      if (!isSheet(place) || inUse) return;
      event.preventDefault();
      close(place);
    },
    { signal },
  );
  return () => listening.abort();
}

/** Go from the last control of the sheet to the first, and back. */
function keepInside(place: HTMLElement, event: KeyboardEvent): void {
  const all = [
    ...place.querySelectorAll<HTMLElement>("a[href], button, input, textarea, [tabindex='0']"),
  ].filter((one) => one.getClientRects().length > 0 && !one.matches(":disabled"));
  const first = all[0];
  const last = all.at(-1);
  const { activeElement } = document;
  const isFirst = activeElement === first || activeElement === place;
  const goal = event.shiftKey ? isFirst && last : activeElement === last && first;
  if (!goal) return;
  event.preventDefault();
  goal.focus();
}
