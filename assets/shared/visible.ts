/** Whether an element is laid out: neither hidden nor inside a closed element. */
export function isShown(element: Element): boolean {
  return element.getClientRects().length > 0;
}
