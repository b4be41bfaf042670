/** A JWT (base64url without padding) with an invalid signature. */
export function tokenOf(payload: Record<string, unknown>): string {
  const encode = (value: unknown): string => {
    const bytes = new TextEncoder().encode(JSON.stringify(value));
    const letters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
    return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  };
  return `${encode({ alg: "HS256", typ: "JWT" })}.${encode(payload)}.c2lnbmF0dXJl`;
}

/** A token that expires in this many seconds. */
export function tokenFor(seconds: number, more: Record<string, unknown> = {}): string {
  return tokenOf({ ...more, exp: Date.now() / 1000 + seconds });
}
