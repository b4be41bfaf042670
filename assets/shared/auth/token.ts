/** A token that expires sooner than this is not used, as the call may arrive too late. */
export const LEEWAY_SECONDS = 60;

/** The payload of a JWT, or null if it is not one. The server verifies it, not the browser. */
export function readPayload(token: unknown): Record<string, unknown> | null {
  if (typeof token !== "string") return null;
  const parts = token.split(".");
  const encoded = parts[1];
  if (parts.length !== 3 || encoded === undefined) return null;
  try {
    const binary = atob(encoded.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
    const payload: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    const isObject = typeof payload === "object" && payload !== null && !Array.isArray(payload);
    return isObject ? (payload as Record<string, unknown>) : null;
  } catch {
    return null; // not base64url, not UTF-8 or not JSON
  }
}

/** When the token ends, in milliseconds since 1970; null if it never does or cannot be read. */
export function expiresAt(token: unknown): number | null {
  const exp = readPayload(token)?.["exp"];
  return typeof exp === "number" ? exp * 1000 : null;
}

/**
 * Three parts, a payload that decodes, and an expiry later than `now` plus the leeway.
 * A token without an expiry counts as valid in the browser; the server never accepts one.
 * @param now milliseconds since 1970
 */
export function isTokenValid(token: unknown, now: number = Date.now()): token is string {
  const payload = readPayload(token);
  if (!payload) return false;
  const exp = payload["exp"];
  if (exp === undefined || exp === null) return true;
  return typeof exp === "number" && exp * 1000 > now + LEEWAY_SECONDS * 1000;
}
