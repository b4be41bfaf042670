/** Announcements for screen readers. The page has one polite and one assertive live region (base template). */
export type Politeness = "polite" | "assertive";

function region(politeness: Politeness): HTMLElement {
  const found = document.querySelector<HTMLElement>(`[data-live="${politeness}"]`);
  if (found) return found;
  const created = document.createElement("div");
  created.className = "vh";
  created.dataset.live = politeness;
  created.setAttribute("aria-live", politeness);
  document.body.append(created);
  return created;
}

/** Announce a text. The same text twice is announced twice. */
export function announce(text: string, politeness: Politeness = "polite"): void {
  const place = region(politeness);
  // An unchanged text would not be announced: the no-break space changes it.
  place.textContent = place.textContent === text ? `${text}\u00a0` : text;
}
