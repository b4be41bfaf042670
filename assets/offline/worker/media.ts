/** Answers `/offline/media/{lesson}/{name}`: decrypts what is stored of a lesson, piece by piece. */
import { readNow } from "../clock";
import { type Copy, openDatabase } from "../database";
import { MEDIA_PATH } from "../names";
import { readResources, type Resource } from "../packages";
import { countPieces, PIECE_BYTES, placeOfPiece } from "../pieces";
import { unseal } from "../sealing";
import { type Range, readRange } from "./range";

type Found = {
  user: string;
  key: CryptoKey;
  lesson: string;
  resource: Resource;
  size: number;
};

/** The lists of resources that were read last, by account, lesson and copy. A player asks for segment after segment. */
const lists = new Map<string, Promise<Resource[]>>();
const MAX_CACHED_LISTS = 4;

function listResources(
  account: { user: string; key: CryptoKey },
  lesson: string,
  copy: Copy,
): Promise<Resource[]> {
  // A lesson that was removed and stored again begins with the same version.
  const name = `${account.user}/${lesson}/${copy.version}/${copy.askedAt}`;
  const known = lists.get(name) ?? readResources(account, lesson, copy);
  lists.delete(name);
  lists.set(name, known);
  known.catch(() => lists.delete(name));
  for (const oldest of [...lists.keys()].slice(0, -MAX_CACHED_LISTS)) lists.delete(oldest);
  return known;
}

const say = (status: number, headers: Record<string, string> = {}): Response =>
  new Response(null, { status, headers: { "Cache-Control": "no-store", ...headers } });

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path; // not an address that a page has
  }
}

/** The resource; or the answer that it is not there (404) or has expired (410). */
async function find(pathname: string): Promise<Found | Response> {
  const [lesson = "", ...rest] = pathname.slice(MEDIA_PATH.length).split("/");
  const name = decode(rest.join("/"));
  const database = await openDatabase();
  const user = (await database.get("values", "current")) as string | undefined;
  const account = user === undefined ? undefined : await database.get("accounts", user);
  const record = account && (await database.get("lessons", [account.user, lesson]));
  if (!account?.key || !record?.ready) return say(404);
  if (record.expiresAt <= (await readNow())) return say(410);
  const { key } = account;
  const resources = await listResources({ user: account.user, key }, lesson, record.ready);
  const resource = resources.find((one) => one.name === name);
  const size = resource && (resource.size ?? record.sizes[resource.id]);
  if (!resource || size === undefined) return say(404);
  return { user: account.user, key, lesson, resource, size };
}

async function readPiece(found: Found, index: number): Promise<Uint8Array<ArrayBuffer> | null> {
  const { user, key, lesson, resource } = found;
  const record = await (await openDatabase()).get("pieces", [user, lesson, resource.id, index]);
  if (!record) return null;
  return new Uint8Array(await unseal(key, placeOfPiece(user, lesson, resource.id, index), record));
}

/** The bytes of a range, decrypted as they are read. Null if the first of them are not there. */
async function streamRange(found: Found, { start, end }: Range): Promise<ReadableStream | null> {
  let index = Math.floor(start / PIECE_BYTES);
  let first = await readPiece(found, index);
  if (!first) return null;
  const last = Math.min(Math.floor(end / PIECE_BYTES), countPieces(found.size) - 1);
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const piece = first ?? (await readPiece(found, index));
      first = null;
      // Removed, or locked by signing out, while it was read.
      if (!piece) {
        controller.error(new Error("A piece is missing"));
        return;
      }
      const offset = index * PIECE_BYTES;
      const part = piece.subarray(Math.max(0, start - offset), end + 1 - offset);
      if (part.length > 0) controller.enqueue(part);
      if (index >= last) controller.close();
      index += 1;
    },
  });
}

/** A name for a header (RFC 8187). */
const encodeName = (name: string): string =>
  encodeURIComponent(name).replace(
    /['()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );

function headersOf({ resource, size }: Found): Headers {
  const { media_type: type, filename } = resource;
  const headers = new Headers({
    "Content-Type": type,
    "Content-Length": String(size),
    "Accept-Ranges": "bytes",
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
  });
  if (filename)
    headers.set("Content-Disposition", `attachment; filename*=UTF-8''${encodeName(filename)}`);
  // What somebody uploaded must not act as this site. The viewers of PDF don't work in a sandbox, and run no scripts of it.
  if (type !== "application/pdf")
    headers.set(
      "Content-Security-Policy",
      "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    );
  return headers;
}

/** The answer to a request for a resource: whole, a range of it (206, 416), or why there is none (404, 410). */
export async function answerMedia(request: Request): Promise<Response> {
  const found = await find(new URL(request.url).pathname);
  if (found instanceof Response) return found;
  const { size } = found;
  const range = readRange(request.headers.get("Range"), size);
  if (range === "none") return say(416, { "Content-Range": `bytes */${size}` });
  const headers = headersOf(found);
  const { start, end } = range ?? { start: 0, end: size - 1 };
  if (range) {
    headers.set("Content-Range", `bytes ${start}-${end}/${size}`);
    headers.set("Content-Length", String(end - start + 1));
  }
  const status = range ? 206 : 200;
  if (request.method === "HEAD" || size === 0) return new Response(null, { status, headers });
  const body = await streamRange(found, { start, end });
  return body ? new Response(body, { status, headers }) : say(404);
}
