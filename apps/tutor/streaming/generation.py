"""An answer while this process generates it."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from django.utils import timezone

from apps.tutor.errors import QuestionRefused, TutorTechnicalError
from apps.tutor.models import Answer
from apps.tutor.providers import Usage
from apps.tutor.services import generating, preparing
from apps.tutor.streaming.desk import Desk
from apps.tutor.streaming.threads import in_tables
from apps.tutor.streaming.units import storable, units
from studyplatform.kit.errors import AppError

logger = logging.getLogger(__name__)

MOST_TEXT = 60_000
"""Characters of an answer; a provider that sends more is cut off."""


class Follower(Protocol):
    """Receives what is written."""

    async def tell(self, message: dict[str, Any]) -> None: ...


class Generation:
    """Collects what the provider sends. The engine writes it to the table, and then sends it to the followers."""

    def __init__(self, claim: generating.Claim, desk: Desk, wake: Callable[[], None]) -> None:
        self.claim = claim
        self.followers: set[Follower] = set()
        self.written = claim.written
        """What is in the table and was sent."""
        self.sent_units = units(claim.written)
        self.is_lost = False
        """Somebody stopped it, or another process claimed it."""
        self.is_complete = False
        """The provider has ended: nothing is canceled any more."""
        self.is_ending = False
        """Only the end is saved and told: nothing else is written any more."""
        self.written_at = asyncio.get_running_loop().time()
        self.task: asyncio.Task[None] | None = None
        self._new: list[str] = []
        self._size = len(claim.written)
        self._usage = Usage()
        self._desk, self._wake = desk, wake

    @property
    def text(self) -> str:
        """What the provider has sent so far."""
        if len(self._new) > 1:
            self._new[:] = ["".join(self._new)]  # in place: the provider's pieces are appended to this list
        return self.written + self._new[0] if self._new else self.written

    @property
    def has_news(self) -> bool:
        return bool(self._new)

    @property
    def is_first(self) -> bool:
        """Whether nothing of what the provider says now was sent yet."""
        return self.written is self.claim.written or self.written == self.claim.written

    def settle(self, text: str) -> str:
        """Note that the text up to here is in the table; return what of it is new."""
        new, rest = text[len(self.written) :], self.text[len(text) :]
        self.written, self._new[:] = text, [rest] if rest else []
        self.sent_units += units(new)
        return new

    def cancel(self) -> None:
        """Stop the provider."""
        if self.task is not None and not (self.is_complete or self.is_ending):
            self.task.cancel()

    async def run(self, flushed: Callable[[], Awaitable[None]]) -> None:
        """Generate the answer to its end. ``flushed`` waits until everything is written and sent."""
        try:
            ready = await self._desk.prepare(self.claim)
            await self._read(ready)
            await flushed()
            self.is_complete = True
            checked = await self._desk.check(self.text, ready)  # the lease is renewed meanwhile
            self.is_ending = True
            await in_tables(generating.finish, self.claim, checked, self._usage, timezone.now())
        except asyncio.CancelledError:
            # A task that was canceled may still wait, unless it is canceled again.
            await self._end(Answer.State.INTERRUPTED, "")
        except QuestionRefused as error:  # a complete answer: asking again changes nothing
            await self._end(Answer.State.FINISHED, error.code)
        except AppError as error:
            await self._end(Answer.State.FAILED, error.code)
        except Exception:
            logger.exception("Generating answer %s failed", self.claim.uid)
            await self._end(Answer.State.FAILED, TutorTechnicalError.code)

    async def _read(self, ready: preparing.Ready) -> None:
        stream = ready.provider.stream(ready.prompt)
        add = self._new.append
        try:
            async for piece in stream:
                if isinstance(piece, Usage):
                    self._usage = piece
                elif piece := storable(piece):
                    if not self._new and self.is_first:
                        self._wake()
                    add(piece)
                    self._size += len(piece)
                    if self._size > MOST_TEXT:
                        break
        finally:
            close = getattr(stream, "aclose", None)
            if close is not None:
                await close()

    async def _end(self, state: str, code: str) -> None:
        """Keep what was written. Of an answer that is no longer ours only what it used is saved."""
        self.is_ending = True
        end = generating.end
        await in_tables(end, self.claim, self.text, state=state, error_code=code, usage=self._usage, now=timezone.now())
