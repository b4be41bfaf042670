"""The live state of one's own videos: /ws/videos/."""

import asyncio
import contextlib
import logging
from datetime import datetime, timedelta
from typing import Any
from weakref import WeakSet

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncJsonWebsocketConsumer
from django.utils import timezone

from apps.accounts.guards import Holder
from apps.accounts.models import User
from apps.accounts.queries import person_of_session
from apps.files import queries
from apps.files.api.serializers import video_out
from apps.files.models import VideoAsset
from studyplatform.kit.sockets import MOST_SOCKETS, SIGNED_OUT

logger = logging.getLogger(__name__)

EVERY = 1.0  # seconds between two looks at the table
RECENT = timedelta(minutes=10)
MOST = 50


class VideosConsumer(AsyncJsonWebsocketConsumer):
    """Tells an owner what changes: ``{"type": "video", "video": VideoOut}`` and ``{"type": "gone", "uid"}``.

    Looks at the table once a second while somebody is connected, instead of being told: so it is right
    with any number of web and worker processes, and nothing is lost when one of them is killed.
    The first messages are the unfinished videos and those that ended within ten minutes. Ended with 4401 when the
    browser is signed out, anywhere, or its person blocked.
    """

    _open: WeakSet["VideosConsumer"] = WeakSet()
    user: User

    async def connect(self) -> None:
        user = self.scope.get("user")
        if not isinstance(user, User) or not user.is_active:
            await self.close()  # before it is accepted: the handshake is refused
            return
        if sum(one.user.pk == user.pk for one in self._open) >= MOST_SOCKETS:
            await self.close()
            return
        self.user = user
        self._open.add(self)
        self._since = timezone.now()
        self._sent: dict[str, tuple[Any, ...]] = {}
        await self.accept()
        self._loop = asyncio.create_task(self._watch())

    async def disconnect(self, code: int) -> None:
        self._open.discard(self)
        loop = getattr(self, "_loop", None)
        if loop is not None:
            loop.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await loop

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None, **_: Any) -> None:
        """Nothing is asked through this socket."""

    async def _watch(self) -> None:
        while True:
            try:
                if not await database_sync_to_async(self._is_signed_in)():
                    await self.close(code=SIGNED_OUT)
                    return
                await self._tell()
            except Exception:  # the database is out of reach for a moment: look again
                logger.exception("Looking at the videos of %s failed", self.user)
            await asyncio.sleep(EVERY)

    async def _tell(self) -> None:
        changed, gone = await database_sync_to_async(self._look)()
        for video in changed:
            await self.send_json({"type": "video", "video": video})
        for uid in gone:
            await self.send_json({"type": "gone", "uid": uid})

    def _is_signed_in(self) -> bool:
        """Whether the browser's session still stands: signing out ends the socket too."""
        user = person_of_session(self.scope["session"].session_key or "", now=timezone.now())
        return user is not None and user.pk == self.user.pk

    def _look(self) -> tuple[list[dict[str, Any]], list[str]]:
        now = timezone.now()
        states = _states_of(self.user, since=self._since - RECENT)
        changed = [uid for uid, state in states.items() if self._sent.get(uid) != state]
        gone = [uid for uid in self._sent if uid not in states]
        if gone:  # ended long ago, or deleted?
            there = set(map(str, VideoAsset.objects.filter(uid__in=gone).values_list("uid", flat=True)))
            gone = [uid for uid in gone if uid not in there]
            states |= {uid: self._sent[uid] for uid in there}
        videos = queries.videos_of(self.user.pk).filter(uid__in=changed) if changed else []
        holder = Holder(self.scope["session"].session_key)
        fresh = [video_out(video, self.user, now=now, holder=holder) for video in videos]
        self._sent = states  # last: what could not be read is told the next time
        return fresh, gone


def _states_of(user: User, *, since: datetime) -> dict[str, tuple[Any, ...]]:
    """What could change of each recent video; one small query."""
    rows = VideoAsset.objects.of(user.pk).filter(updated_at__gte=since) | VideoAsset.objects.of(user.pk).unfinished()
    fields = (
        "uid", "stage", "step", "percent", "failure", "is_playable", "filename", "duration", "directory",
        "replacement_failure", "picture_lost", "sound_lost",
    )  # fmt: skip
    return {str(row[0]): row[1:] for row in rows.order_by("-updated_at").values_list(*fields)[:MOST]}
