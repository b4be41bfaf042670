/** Whether an element takes room on the page: neither hidden nor inside something closed. */
export function isShown(element: Element): boolean {
  return element.getClientRects().length > 0;
}
