/** Encryption of what is stored: AES-GCM with a new nonce each time. What is sealed for one place opens in no other. */
import type { Sealed } from "./database";

const ALGORITHM = "AES-GCM";
const NONCE_BYTES = 12;

const encoder = new TextEncoder();

/** The key of a device, as the server sends it. No script can read it again. */
export async function importKey(base64url: string): Promise<CryptoKey> {
  const text = atob(base64url.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
  return crypto.subtle.importKey("raw", bytes, ALGORITHM, false, ["encrypt", "decrypt"]);
}

/** Where something is stored, such as account, lesson, name and index. */
export type Place = readonly (string | number)[];

const parametersOf = (place: Place, iv: Uint8Array<ArrayBuffer>): AesGcmParams => ({
  name: ALGORITHM,
  iv,
  additionalData: encoder.encode(JSON.stringify(place)),
});

export async function seal(key: CryptoKey, place: Place, bytes: BufferSource): Promise<Sealed> {
  const iv = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  return { iv, data: await crypto.subtle.encrypt(parametersOf(place, iv), key, bytes) };
}

/** Rejects if it was sealed with another key or for another place, or has been changed. */
export function unseal(key: CryptoKey, place: Place, { iv, data }: Sealed): Promise<ArrayBuffer> {
  return crypto.subtle.decrypt(parametersOf(place, iv), key, data);
}

export function sealValue(key: CryptoKey, place: Place, value: unknown): Promise<Sealed> {
  return seal(key, place, encoder.encode(JSON.stringify(value)));
}

export async function unsealValue<T>(key: CryptoKey, place: Place, sealed: Sealed): Promise<T> {
  return JSON.parse(new TextDecoder().decode(await unseal(key, place, sealed))) as T;
}
