"""The answers that this process generates: written to the table, then sent to who follows them.

One task writes for all of them, several times a second, with two statements: a token costs no query of its own.
"""

import asyncio
import contextlib
import logging
from collections.abc import Iterable
from uuid import UUID
from weakref import WeakKeyDictionary

from django.utils import timezone

from apps.tutor.services import generating
from apps.tutor.streaming.desk import Desk
from apps.tutor.streaming.generation import Follower, Generation
from apps.tutor.streaming.threads import in_tables
from apps.tutor.streaming.units import after

logger = logging.getLogger(__name__)

WRITE_EVERY = 0.25  # seconds between two writes of what is new, after the first piece of an answer
RENEW_EVERY = 2.5  # seconds between two writes of an answer of which nothing is new
SLOW = 0.1  # seconds in which the followers of a write take it, before the next write may begin
PATIENCE = 0.4  # seconds in which a browser may come back before the provider is canceled


class Engine:
    """The generations of one event loop."""

    def __init__(self) -> None:
        self.running: dict[UUID, Generation] = {}
        self._desk = Desk()
        self._urgent = asyncio.Event()
        self._writing = asyncio.Lock()
        self._writer: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, claim: generating.Claim, followers: Iterable[Follower]) -> Generation:
        """Generate a claimed answer."""
        one = Generation(claim, self._desk, self._urgent.set)
        one.followers.update(followers)
        self.running[claim.uid] = one
        one.task = asyncio.create_task(self._generate(one))
        self._tasks.add(one.task)
        one.task.add_done_callback(self._tasks.discard)
        if self._writer is None or self._writer.done():
            self._writer = asyncio.create_task(self._write_on())
        return one

    async def join(self, uid: UUID, follower: Follower, offset: int) -> bool:
        """Tell the follower what is written after the offset, and what follows; False: it isn't generated here."""
        one = self.running.get(uid)
        if one is None or one.is_lost:
            return False
        missing, begin = after(one.written, offset), min(offset, one.sent_units)
        one.followers.add(follower)
        if missing:
            await follower.tell({"type": "text", "answer": str(uid), "offset": begin, "text": missing})
        return True

    def leave(self, uid: UUID, follower: Follower) -> None:
        """The last one to leave stops the provider, unless somebody comes back within :data:`PATIENCE`."""
        one = self.running.get(uid)
        if one is None:
            return
        one.followers.discard(follower)
        if not one.followers:
            asyncio.get_running_loop().call_later(PATIENCE, self._cancel_if_alone, one)

    def claim_of(self, uid: UUID) -> int | None:
        """Return the number of the claim by which the answer is generated here; None: it isn't."""
        one = self.running.get(uid)
        return None if one is None or one.is_lost else one.claim.number

    def lose(self, uid: UUID) -> None:
        """Somebody stopped the answer, so that nothing is to be written any more."""
        one = self.running.get(uid)
        if one is not None:
            one.is_lost = True
            one.cancel()

    def _cancel_if_alone(self, one: Generation) -> None:
        if not one.followers:
            one.cancel()

    async def _generate(self, one: Generation) -> None:
        uid = one.claim.uid
        try:
            await one.run(self.flush)
        finally:
            if self.running.get(uid) is one:
                del self.running[uid]
            told = [follower.tell({"type": "_ended", "answer": str(uid)}) for follower in list(one.followers)]
            await asyncio.gather(*told, return_exceptions=True)

    async def _write_on(self) -> None:
        """Write what is new of all answers at the same moments: many small writes would cost more than the tokens."""
        loop = asyncio.get_running_loop()
        tick = loop.time() + WRITE_EVERY
        while self.running:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout_at(tick):
                    await self._urgent.wait()  # first pieces that come while others are written share a write
            self._urgent.clear()
            is_tick = loop.time() >= tick
            if is_tick:
                tick = loop.time() + WRITE_EVERY
            try:
                await self._flush_due(is_tick=is_tick)
            except Exception:  # the database doesn't answer: the text stays here until it does
                logger.exception("Writing the tutor's answers failed")

    async def _flush_due(self, *, is_tick: bool) -> None:
        """Write the first pieces at once, what follows every :data:`WRITE_EVERY`, and renew leases."""
        now = asyncio.get_running_loop().time()
        due = [one for one in self.running.values() if self._is_due(one, now, is_tick=is_tick)]
        if due:
            await self._write(due)

    def _is_due(self, one: Generation, now: float, *, is_tick: bool) -> bool:
        if one.is_lost or one.is_ending:
            return False
        if one.has_news:
            return is_tick or one.is_first
        return now - one.written_at >= RENEW_EVERY

    async def flush(self) -> None:
        """Write and send everything that is new.

        :raises OperationalError: the database doesn't answer.
        """
        news = [one for one in self.running.values() if one.has_news and not (one.is_lost or one.is_ending)]
        if news:
            await self._write(news)

    async def _write(self, due: list[Generation]) -> None:
        async with self._writing:  # what is sent first was written first
            texts = [(one, one.text) for one in due]
            ours = await in_tables(generating.write, [(one.claim, text) for one, text in texts], timezone.now())
            told = list[asyncio.Task[None]]()
            for one, text in texts:
                if one.claim.uid not in ours:
                    one.is_lost = True
                    one.cancel()
                    continue
                one.written_at = asyncio.get_running_loop().time()
                begin = one.sent_units
                if new := one.settle(text):
                    message = {"type": "text", "answer": str(one.claim.uid), "offset": begin, "text": new}
                    told += [asyncio.create_task(follower.tell(message)) for follower in one.followers]
            if told:
                for task in told:
                    self._tasks.add(task)
                    task.add_done_callback(self._tasks.discard)
                await asyncio.wait(told, timeout=SLOW)  # a browser that doesn't read must not hold up the others


_engines: WeakKeyDictionary[asyncio.AbstractEventLoop, Engine] = WeakKeyDictionary()


def current_engine() -> Engine:
    """Return the engine of the running event loop."""
    loop = asyncio.get_running_loop()
    if loop not in _engines:
        _engines[loop] = Engine()
    return _engines[loop]
