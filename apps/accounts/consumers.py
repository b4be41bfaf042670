"""New notifications of the signed-in user, as they arrive: /ws/notifications/."""

from typing import Self

from channels.db import database_sync_to_async

from apps.accounts import queries
from studyplatform.kit.sockets import Socket


class NotificationsConsumer(Socket):
    """Sends ``{"type": "unread", "unread": 3}`` first and on each change, with ``notice`` if a notification is new."""

    name = "notifications"
    unread: int | None = None
    newest = 0

    @classmethod
    async def refresh(cls, sockets: list[Self]) -> None:
        """Two queries for all sockets: unread counts, and the texts of new notifications."""
        states = await database_sync_to_async(queries.unread_states)({socket.user.pk for socket in sockets})
        current = {socket: states.get(socket.user.pk, (0, 0)) for socket in sockets}
        fresh = {newest for socket, (_, newest) in current.items() if socket.has_news(newest)}
        notices = await database_sync_to_async(_notices)(list(fresh)) if fresh else {}
        for socket, (unread, newest) in current.items():
            notice = notices.get(newest) if socket.has_news(newest) else None
            if socket.unread != unread or socket.has_news(newest):
                message = {"type": "unread", "unread": unread} | ({"notice": notice} if notice else {})
                await socket.send_quietly(message)
            socket.unread, socket.newest = unread, max(newest, socket.newest)

    def has_news(self, newest: int) -> bool:
        """What was there before the socket opened is no news."""
        return self.unread is not None and newest > self.newest


def _notices(pks: list[int]) -> dict[int, dict[str, str]]:
    return {
        pk: {"uid": str(notice.uid), "headline": notice.headline, "link": notice.link}
        for pk, notice in queries.notices_by_pk(pks).items()
    }
