/** Spoken status: the page has one polite and one assertive live region (base template). */
export type Politeness = "polite" | "assertive";

function region(politeness: Politeness): HTMLElement {
  const found = document.querySelector<HTMLElement>(`[data-live="${politeness}"]`);
  if (found) return found;
  const made = document.createElement("div");
  made.className = "vh";
  made.dataset.live = politeness;
  made.setAttribute("aria-live", politeness);
  document.body.append(made);
  return made;
}

/** Say a text. The same text twice is said twice. */
export function announce(text: string, politeness: Politeness = "polite"): void {
  const place = region(politeness);
  // An unchanged text would stay silent: the no-break space makes it another one.
  place.textContent = place.textContent === text ? `${text}\u00a0` : text;
}
