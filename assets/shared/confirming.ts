/** Asks in the dialog that every page has (site/confirm.ts), so that its code is loaded once. */

export type Question = { title: string; text?: string; confirm?: string; keep?: string };
export type Confirming = { question: Question; answer: (isYes: boolean) => void };

/** Ask in a dialog whose focus is on the safe answer. Closing the dialog means no. */
export function confirmFirst(question: Question): Promise<boolean> {
  return new Promise((answer) => {
    const detail: Confirming = { question, answer };
    dispatchEvent(new CustomEvent("study:confirm", { detail }));
  });
}

/** Whether a part of the page can be replaced without losing what is written in it (site/forms.ts). */
export function isReplaceable(part: Element): boolean {
  return part.dispatchEvent(new Event("study:replace", { bubbles: true, cancelable: true }));
}
