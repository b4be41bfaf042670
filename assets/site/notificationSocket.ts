/** The socket /ws/notifications/: reopened when it breaks, closed while the page is in the back/forward cache. */
export type NotificationEvents = {
  onUnread: (unread: number, headline?: string) => void;
  /** The session of this browser has ended. */
  onSignedOut: () => void;
};

const FIRST_DELAY_MS = 2_000;
const MAX_DELAY_MS = 120_000;
const MAX_FAILURES = 8;
const SIGNED_OUT = 4401;

type Message = { type?: string; unread?: unknown; notice?: { headline?: unknown } };

function messageOf(data: unknown): Message {
  try {
    return (JSON.parse(String(data)) as Message | null) ?? {};
  } catch {
    return {};
  }
}

/**
 * Listen until the session ends. After several failures in a row (a proxy without websockets) it gives up, and the
 * number is updated with the next page.
 */
export function listenForNotifications(
  { onUnread, onSignedOut }: NotificationEvents,
  open: (address: string) => WebSocket = (address) => new WebSocket(address),
): void {
  const address = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws/notifications/`;
  let socket: WebSocket | null = null;
  let failures = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isAway = false;
  let isLastAttempt = false;

  const connect = (): void => {
    clearTimeout(timer);
    if (isAway || socket) return;
    const mine = open(address);
    socket = mine;
    mine.addEventListener("open", () => {
      failures = 0;
      isLastAttempt = false;
    });
    mine.addEventListener("message", ({ data }) => {
      const { type, unread, notice } = messageOf(data);
      if (type !== "unread" || typeof unread !== "number") return;
      onUnread(unread, typeof notice?.headline === "string" ? notice.headline : undefined);
    });
    mine.addEventListener("close", ({ code }) => {
      if (socket !== mine) return;
      socket = null;
      failures += 1;
      if (code === SIGNED_OUT && !isAway) onSignedOut();
      if (isAway || isLastAttempt || failures > MAX_FAILURES) return;
      // Signed out, or signed in again in another tab, as after a new password: one more attempt shows which.
      isLastAttempt = code === SIGNED_OUT;
      const wait = Math.min(FIRST_DELAY_MS * 2 ** (failures - 1), MAX_DELAY_MS);
      timer = setTimeout(connect, wait * (0.75 + Math.random() / 2)); // jitter: not all tabs at the same time
    });
  };
  // An open socket would keep the page out of the back/forward cache.
  window.addEventListener("pagehide", () => {
    isAway = true;
    clearTimeout(timer);
    const mine = socket;
    socket = null;
    mine?.close();
  });
  window.addEventListener("pageshow", ({ persisted }) => {
    if (!persisted) return;
    isAway = false;
    failures = 0;
    isLastAttempt = false;
    connect();
  });
  window.addEventListener("online", () => {
    failures = 0;
    connect();
  });
  connect();
}
