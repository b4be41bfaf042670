/** Live updates of videos: the socket /ws/videos/, reopened when it closes. */
import type { Video } from "./api";

export type LiveEvents = {
  onVideo: (video: Video) => void;
  onGone: (uid: string) => void;
  /** Whether the socket is open; otherwise the caller has to poll. */
  onLive: (isLive: boolean) => void;
};

const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 30_000;

type Message = { type: "video"; video: Video } | { type: "gone"; uid: string };

function messageOf(data: unknown): Message | null {
  try {
    return JSON.parse(String(data)) as Message;
  } catch {
    return null;
  }
}

/** Listen until the returned function is called. */
export function listenToVideos(
  { onVideo, onGone, onLive }: LiveEvents,
  open: (address: string) => WebSocket = (address) => new WebSocket(address),
): () => void {
  const address = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws/videos/`;
  let socket: WebSocket | null = null;
  let wait = FIRST_DELAY_MS;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;

  const connect = (): void => {
    if (isOver) return;
    const mine = open(address);
    socket = mine;
    mine.addEventListener("open", () => {
      wait = FIRST_DELAY_MS;
      onLive(true);
    });
    mine.addEventListener("message", ({ data }) => {
      const message = messageOf(data);
      if (message?.type === "video") onVideo(message.video);
      else if (message?.type === "gone") onGone(message.uid);
    });
    mine.addEventListener("close", () => {
      if (isOver || socket !== mine) return;
      onLive(false);
      timer = setTimeout(connect, wait);
      wait = Math.min(wait * 2, MAX_DELAY_MS);
    });
  };
  connect();
  return () => {
    isOver = true;
    clearTimeout(timer);
    socket?.close();
  };
}
