"""The state of one's own videos, as it changes: /ws/videos/."""

import logging
from datetime import datetime, timedelta
from typing import Any, Self

from channels.db import database_sync_to_async
from django.utils import timezone

from apps.accounts.guards import SessionKey
from apps.accounts.models import User
from apps.files import queries
from apps.files.api.serializers import video_out
from apps.files.models import VideoAsset
from studyplatform.kit.sockets import Socket

logger = logging.getLogger(__name__)

RECENT = timedelta(minutes=10)
MOST = 50


class VideosConsumer(Socket):
    """Sends an owner what changes: ``{"type": "video", "video": VideoOut}`` and ``{"type": "gone", "uid"}``.

    The first messages are the unfinished videos and those that ended within ten minutes.
    """

    name = "videos"

    async def authorize(self) -> None:
        self._since = timezone.now()
        self._sent: dict[str, tuple[Any, ...]] = {}

    @classmethod
    async def refresh(cls, sockets: list[Self]) -> None:
        """One query per socket, and one more for what changed."""
        for socket in sockets:
            try:
                changed, gone = await database_sync_to_async(socket.read)()
            except Exception:  # the database does not answer: read again in a second
                logger.exception("Reading the videos of user %s failed", socket.user.pk)
                continue
            for video in changed:
                await socket.send_quietly({"type": "video", "video": video})
            for uid in gone:
                await socket.send_quietly({"type": "gone", "uid": uid})

    def read(self) -> tuple[list[dict[str, Any]], list[str]]:
        """The videos to send, and the uids of deleted ones."""
        now = timezone.now()
        states = _states_of(self.user, since=self._since - RECENT)
        changed = [uid for uid, state in states.items() if self._sent.get(uid) != state]
        gone = [uid for uid in self._sent if uid not in states]
        if gone:  # ended long ago, or deleted?
            there = set(map(str, VideoAsset.objects.filter(uid__in=gone).values_list("uid", flat=True)))
            gone = [uid for uid in gone if uid not in there]
            states |= {uid: self._sent[uid] for uid in there}
        videos = queries.videos_of(self.user.pk).filter(uid__in=changed) if changed else []
        session_key = SessionKey(self.session_key)
        fresh = [video_out(video, self.user, now=now, session_key=session_key) for video in videos]
        self._sent = states  # last: what could not be read is sent the next time
        return fresh, gone


def _states_of(user: User, *, since: datetime) -> dict[str, tuple[Any, ...]]:
    """The fields of each recent video that can change, by uid. One query."""
    rows = VideoAsset.objects.of(user.pk).filter(updated_at__gte=since) | VideoAsset.objects.of(user.pk).unfinished()
    fields = (
        "uid", "stage", "step", "percent", "failure", "is_playable", "filename", "duration", "directory",
        "replacement_failure", "picture_lost", "sound_lost",
    )  # fmt: skip
    return {str(row[0]): row[1:] for row in rows.order_by("-updated_at").values_list(*fields)[:MOST]}
