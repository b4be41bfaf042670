/** The socket /ws/tutor/: follows answers while they are written; reopened when it closes. */
export type SocketEvents = {
  onMessage: (message: Record<string, unknown>) => void;
  /** Whether it is open: what is written meanwhile must be fetched. */
  onLive: (isLive: boolean) => void;
};

export type OpenSocket = (address: string) => WebSocket;
export type TutorSocket = { send: (message: object) => void; close: () => void };

const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 30_000;

function messageOf(data: unknown): Record<string, unknown> {
  try {
    const message: unknown = JSON.parse(String(data));
    return typeof message === "object" && message !== null ? { ...message } : {};
  } catch {
    return {};
  }
}

/** Open it, and keep it open until `close` is called. */
export function openTutorSocket(
  { onMessage, onLive }: SocketEvents,
  open: OpenSocket = (address) => new WebSocket(address),
): TutorSocket {
  const address = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws/tutor/`;
  const listening = new AbortController();
  let socket: WebSocket | null = null;
  let wait = FIRST_DELAY_MS;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const connect = (): void => {
    clearTimeout(timer);
    if (listening.signal.aborted || socket) return;
    const mine = open(address);
    socket = mine;
    mine.addEventListener("open", () => {
      wait = FIRST_DELAY_MS;
      onLive(true);
    });
    mine.addEventListener("message", ({ data }) => onMessage(messageOf(data)));
    mine.addEventListener("close", () => {
      if (socket !== mine) return;
      socket = null;
      onLive(false);
      timer = setTimeout(connect, wait * (0.75 + Math.random() / 2)); // not all tabs at once
      wait = Math.min(wait * 2, MAX_DELAY_MS);
    });
  };
  const leave = (): void => {
    clearTimeout(timer);
    const mine = socket;
    socket = null;
    mine?.close();
  };
  const { signal } = listening;
  // An open socket would keep the page out of the back/forward cache.
  addEventListener(
    "pagehide",
    () => {
      leave();
      onLive(false);
    },
    { signal },
  );
  addEventListener("pageshow", ({ persisted }) => persisted && connect(), { signal });
  addEventListener(
    "online",
    () => {
      wait = FIRST_DELAY_MS;
      connect();
    },
    { signal },
  );
  connect();
  return {
    send: (message) => {
      if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
    },
    close: () => {
      listening.abort();
      leave();
    },
  };
}
