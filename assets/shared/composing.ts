/**
 * Whether a key belongs to an input method that is composing characters, as for Japanese. Safari ends the composition
 * before the key that confirms it, and marks that key by its code alone.
 */
export function isComposing(event: KeyboardEvent): boolean {
  return event.isComposing || event.keyCode === 229;
}
