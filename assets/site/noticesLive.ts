/** The socket /ws/notifications/: opened again when it breaks, let go while the page sleeps. */
export type NoticeEvents = {
  onUnread: (unread: number, headline?: string) => void;
  /** The server says that this browser's session is no more. */
  onSignedOut: () => void;
};

const FIRST_WAIT = 2_000;
const LONGEST_WAIT = 120_000;
const MOST_FAILURES = 8;
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
 * Listen until the session ends. A door that stays shut (no websockets on the way here) is left alone after a while:
 * the number then waits for the next page.
 */
export function listenForNotices(
  { onUnread, onSignedOut }: NoticeEvents,
  open: (address: string) => WebSocket = (address) => new WebSocket(address),
): void {
  const address = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws/notifications/`;
  let socket: WebSocket | null = null;
  let failures = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isAway = false;
  let isDoubted = false;

  const connect = (): void => {
    clearTimeout(timer);
    if (isAway || socket) return;
    const mine = open(address);
    socket = mine;
    mine.addEventListener("open", () => {
      failures = 0;
      isDoubted = false;
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
      if (isAway || isDoubted || failures > MOST_FAILURES) return;
      // Signed out, or signed in anew in another tab (a new password does that): one more knock tells.
      isDoubted = code === SIGNED_OUT;
      const wait = Math.min(FIRST_WAIT * 2 ** (failures - 1), LONGEST_WAIT);
      timer = setTimeout(connect, wait * (0.75 + Math.random() / 2)); // not all tabs of the world at once
    });
  };
  // An open socket would keep the page out of the browser's memory of pages.
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
    isDoubted = false;
    connect();
  });
  window.addEventListener("online", () => {
    failures = 0;
    connect();
  });
  connect();
}
