/** The question that is being written, kept for this tab: one for each chat. */
const keyOf = (place: string): string => `study.tutor.draft.${place}`;

export function readDraft(place: string): string {
  try {
    return sessionStorage.getItem(keyOf(place)) ?? "";
  } catch {
    return "";
  }
}

export function keepDraft(place: string, text: string): void {
  try {
    if (text) sessionStorage.setItem(keyOf(place), text);
    else sessionStorage.removeItem(keyOf(place));
  } catch {
    // Storage is full or blocked: the field still has the text.
  }
}
