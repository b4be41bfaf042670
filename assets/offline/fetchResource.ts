/** Fetches a resource and hands it on in pieces, from where it was interrupted. */
import { retryAfterOf } from "../shared/api/errors";
import type { Resource } from "./packages";
import { PIECE_BYTES } from "./pieces";

/** A connection without a byte for this time counts as lost. */
const MAX_SILENCE_MS = 30_000;

/** The connection was lost, or the server asks to wait: it continues later. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
  /**
   * @param wait seconds, if the server says how many
   * @param isServerError there was a response: perhaps only this file fails
   */
  constructor(
    readonly wait?: number,
    readonly isServerError = false,
  ) {
    super("The connection was lost");
  }
}

/** The address has expired, or the file is not there as it was described: the package is to be asked for again. */
export class Unavailable extends Error {
  override readonly name = "Unavailable";
}

/** Somebody has paused or removed the lesson. */
export class Stopped extends Error {
  override readonly name = "Stopped";
}

/** Stores a piece; `size` is that of the whole resource with its last piece, null before. */
export type StorePiece = (
  index: number,
  bytes: Uint8Array<ArrayBuffer>,
  size: number | null,
) => Promise<void>;

/** Cuts a stream of chunks into pieces. Its first `skipped` bytes are left out. */
function cutter(skipped: number) {
  let piece = new Uint8Array(PIECE_BYTES);
  let filled = 0;
  let left = skipped;
  return {
    /** The pieces that are full with these bytes. */
    *push(bytes: Uint8Array): Generator<Uint8Array<ArrayBuffer>> {
      let from = Math.min(left, bytes.length);
      left -= from;
      while (from < bytes.length) {
        const part = bytes.subarray(from, from + PIECE_BYTES - filled);
        piece.set(part, filled);
        filled += part.length;
        from += part.length;
        if (filled < PIECE_BYTES) continue;
        yield piece;
        piece = new Uint8Array(PIECE_BYTES);
        filled = 0;
      }
    },
    /** What is left at the end. */
    rest: () => piece.slice(0, filled),
  };
}

async function request(source: string, offset: number, signal: AbortSignal): Promise<Response> {
  const headers = offset > 0 ? { Range: `bytes=${offset}-` } : undefined;
  const response = await fetch(source, {
    credentials: "same-origin",
    cache: "no-store",
    signal,
    ...(headers && { headers }),
  });
  const { status, type } = response;
  if (status === 429 || status >= 500)
    throw new Interrupted(retryAfterOf(response.headers.get("Retry-After")), status >= 500);
  // An opaque response is of no use: whether it succeeded can't be seen.
  if (type === "opaque" || !response.ok) throw new Unavailable(`Status ${status}`);
  const start = /^bytes (\d+)-/.exec(response.headers.get("Content-Range") ?? "")?.[1];
  if (status === 206 && start !== undefined && Number(start) !== offset)
    throw new Unavailable("Other bytes than asked for");
  return response;
}

/** The bytes that a response announces; null if it does not, or announces those of a compressed body. */
function readLength({ headers }: Response): number | null {
  const length = headers.get("Content-Length");
  return length === null || headers.has("Content-Encoding") ? null : Number(length);
}

/** Wait for something of the connection, unless it is silent for too long. */
function hear<T>(answer: Promise<T>, controller: AbortController): Promise<T> {
  const silence = setTimeout(() => controller.abort(new Interrupted()), MAX_SILENCE_MS);
  return answer.finally(() => clearTimeout(silence));
}

async function* readChunks(
  response: Response,
  controller: AbortController,
): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader();
  if (!reader) return;
  for (;;) {
    const { done, value } = await hear(reader.read(), controller);
    if (done) return;
    yield value;
  }
}

/**
 * Fetch what is missing of a resource.
 * @param pieces how many of its pieces are stored
 * @throws Interrupted, Unavailable, Stopped, or what `store` throws
 */
export async function fetchResource(
  { source, size }: Pick<Resource, "source" | "size">,
  pieces: number,
  { store, signal }: { store: StorePiece; signal: AbortSignal },
): Promise<void> {
  // Without a known size nobody can tell whether a stored part ends where the file does.
  let index = size === null ? 0 : pieces;
  const offset = index * PIECE_BYTES;
  const controller = new AbortController();
  const stop = () => controller.abort(new Stopped());
  if (signal.aborted) throw new Stopped();
  signal.addEventListener("abort", stop, { once: true });
  try {
    const response = await hear(request(source, offset, controller.signal), controller);
    const start = response.status === 206 ? offset : 0;
    const cut = cutter(offset - start);
    let total = start;
    for await (const chunk of readChunks(response, controller)) {
      total += chunk.length;
      if (size !== null && total > size) throw new Unavailable("Larger than it was described");
      for (const piece of cut.push(chunk)) {
        const isLast = size !== null && (index + 1) * PIECE_BYTES === size;
        await store(index, piece, isLast ? size : null);
        index += 1;
      }
    }
    const announced = readLength(response);
    if (announced !== null && total - start < announced) throw new Interrupted();
    if (size !== null && total < size) {
      if (announced !== null) throw new Unavailable("Smaller than it was described");
      throw new Interrupted();
    }
    const rest = cut.rest();
    if (rest.length > 0 || size === null || size === 0) await store(index, rest, total);
  } catch (reason) {
    controller.abort(); // leave the rest of the body
    throw explain(reason, controller.signal);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** What a failed fetch means. */
function explain(reason: unknown, signal: AbortSignal): unknown {
  const why: unknown = signal.reason;
  if (why instanceof Stopped || why instanceof Interrupted) return why;
  // `fetch` and readers throw a TypeError when the connection fails, or the other site allows no access.
  return reason instanceof TypeError ? new Interrupted() : reason;
}
