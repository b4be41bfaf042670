/** A websocket of this site: reopened when it breaks, closed while the page is in the back/forward cache. */
export type LiveSocketEvents = {
  onMessage: (message: Record<string, unknown>) => void;
  /** It is open, for the first time or again: what happened before was not heard. */
  onOpen?: () => void;
  /** The session of this browser has ended. */
  onSignedOut?: () => void;
  /** The user was removed from what the page shows; it isn't opened again. */
  onRemoved?: () => void;
  /** Ends it. */
  signal?: AbortSignal;
};

export type OpenSocket = (address: string) => WebSocket;

const FIRST_DELAY_MS = 2_000;
const MAX_DELAY_MS = 120_000;
const MAX_FAILURES = 8;
const SIGNED_OUT = 4401;
const REMOVED = 4403;
/** Attempts after the session has ended: the cookie of the next one may still be on its way. */
const ATTEMPTS_AFTER_END = 3;

function messageOf(data: unknown): Record<string, unknown> {
  try {
    const message: unknown = JSON.parse(String(data));
    return typeof message === "object" && message !== null
      ? (message as Record<string, unknown>)
      : {};
  } catch {
    return {};
  }
}

/**
 * Listen until the session ends. After several failures in a row (a proxy without websockets) it gives up, until the
 * browser is online again or the page comes back.
 *
 * @returns a function that sends an object if the socket is open, and says whether it was
 */
export function openLiveSocket(
  path: string,
  { onMessage, onOpen, onSignedOut, onRemoved, signal }: LiveSocketEvents,
  open: OpenSocket = (address) => new WebSocket(address),
): (message: object) => boolean {
  const address = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${path}`;
  let socket: WebSocket | null = null;
  let failures = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isAway = false;
  let attemptsLeft = Infinity;

  const connect = (): void => {
    clearTimeout(timer);
    if (isAway || socket) return;
    const mine = open(address);
    socket = mine;
    mine.addEventListener("open", () => {
      failures = 0;
      attemptsLeft = Infinity;
      onOpen?.();
    });
    mine.addEventListener("message", ({ data }) => {
      onMessage(messageOf(data));
    });
    mine.addEventListener("close", ({ code }) => {
      if (socket !== mine) return;
      socket = null;
      if (code === REMOVED) {
        leave();
        onRemoved?.();
        return;
      }
      failures += 1;
      if (!isAway) dispatchEvent(new Event("connection:doubt")); // heard by shared/connection.ts
      if (code === SIGNED_OUT && !isAway) onSignedOut?.();
      // Signed out, or signed in again in another tab, as after a new password: a few more attempts show which.
      attemptsLeft = code === SIGNED_OUT ? ATTEMPTS_AFTER_END : attemptsLeft - 1;
      if (isAway || attemptsLeft < 1 || failures > MAX_FAILURES) return;
      const wait = Math.min(FIRST_DELAY_MS * 2 ** (failures - 1), MAX_DELAY_MS);
      timer = setTimeout(connect, wait * (0.75 + Math.random() / 2)); // jitter: not all tabs at the same time
    });
  };
  const leave = (): void => {
    isAway = true;
    clearTimeout(timer);
    const mine = socket;
    socket = null;
    mine?.close();
  };
  const options = signal && { signal };
  // An open socket would keep the page out of the back/forward cache.
  window.addEventListener("pagehide", leave, options);
  window.addEventListener(
    "pageshow",
    ({ persisted }) => {
      if (!persisted) return;
      isAway = false;
      failures = 0;
      attemptsLeft = Infinity;
      connect();
    },
    options,
  );
  window.addEventListener(
    "online",
    () => {
      failures = 0;
      connect();
    },
    options,
  );
  signal?.addEventListener("abort", leave);
  connect();
  return (message) => {
    if (socket?.readyState !== WebSocket.OPEN) return false;
    socket.send(JSON.stringify(message));
    return true;
  };
}
