"""Generate an answer that no socket follows: for browsers that poll, and for seeding."""

import asyncio
from collections.abc import Callable
from uuid import UUID

from asgiref.sync import async_to_sync, sync_to_async
from django.utils import timezone

from apps.tutor.services import generating
from apps.tutor.streaming.engine import current_engine
from apps.tutor.streaming.threads import in_callers_thread


def generate(uid: UUID, *, extend_lease: Callable[[], object] = lambda: None) -> bool:
    """Generate a waiting answer to its end. Return False if it isn't waiting."""
    claim = generating.claim(uid, timezone.now())
    if claim is None:
        return False
    async_to_sync(_generate)(claim, extend_lease)
    return True


async def _generate(claim: generating.Claim, extend_lease: Callable[[], object]) -> None:
    in_callers_thread.set(True)
    task = current_engine().start(claim, ()).task
    while task is not None and not task.done():
        await asyncio.wait({task}, timeout=2)
        await sync_to_async(extend_lease)()
