/** The socket /ws/notifications/: the number of unread notifications, as it changes. */
import { type OpenSocket, openLiveSocket } from "../shared/liveSocket";

export type NotificationEvents = {
  onUnread: (unread: number, headline?: string) => void;
  /** The session of this browser has ended. */
  onSignedOut: () => void;
};

/** Listen until the session ends. Without a socket the number is updated with the next page. */
export function listenForNotifications(
  { onUnread, onSignedOut }: NotificationEvents,
  open?: OpenSocket,
): void {
  const onMessage = ({ type, unread, notice }: Record<string, unknown>): void => {
    if (type !== "unread" || typeof unread !== "number") return;
    const headline = (notice as { headline?: unknown } | null | undefined)?.headline;
    onUnread(unread, typeof headline === "string" ? headline : undefined);
  };
  openLiveSocket("/ws/notifications/", { onMessage, onSignedOut }, open);
}
