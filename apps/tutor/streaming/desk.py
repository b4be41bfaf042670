"""Who uses the threads that find and compare: waiting questions first and together, then checks one by one."""

import asyncio
from collections import deque
from typing import NamedTuple

from django.utils import translation

from apps.tutor import grounding
from apps.tutor.services import generating, preparing
from apps.tutor.streaming.threads import FINDERS, to_prepare

MOST_TOGETHER = 24
"""Questions that are prepared together: enough to share what they can, so few that the first needn't wait long."""


class _Question(NamedTuple):
    wanted: preparing.Wanted
    ready: "asyncio.Future[preparing.Ready]"


class _Check(NamedTuple):
    turn: asyncio.Event
    done: asyncio.Event


class Desk:
    """The questions and checks of one event loop.

    A question begins at once if a thread is free; those that come while all threads work are prepared together.
    Somebody waits for the first word of an answer, but has read what is checked: checks come after the questions. Still
    one may go after each group of them, or none would end while there are always new questions.
    """

    def __init__(self) -> None:
        self._questions: deque[_Question] = deque()
        self._checks: deque[_Check] = deque()
        self._workers: set[asyncio.Task[None]] = set()

    async def prepare(self, claim: generating.Claim) -> preparing.Ready:
        """See ``preparing.prepare``."""
        wanted = preparing.Wanted(claim, translation.get_language() or "en")
        ready: asyncio.Future[preparing.Ready] = asyncio.get_running_loop().create_future()
        self._questions.append(_Question(wanted, ready))
        self._work()
        return await ready

    async def check(self, text: str, ready: preparing.Ready) -> grounding.Checked:
        """See ``preparing.check``."""
        one = _Check(asyncio.Event(), asyncio.Event())
        self._checks.append(one)
        self._work()
        try:
            await one.turn.wait()
            return await to_prepare(preparing.check, text, ready)
        finally:
            one.done.set()

    def _work(self) -> None:
        if len(self._workers) < len(FINDERS):
            worker = asyncio.create_task(self._serve())
            self._workers.add(worker)
            worker.add_done_callback(self._workers.discard)

    async def _serve(self) -> None:
        await asyncio.sleep(0)  # questions that come in the same moment
        while self._questions or self._checks:
            if self._questions:
                await self._prepare_some()
            if self._checks:
                one = self._checks.popleft()
                one.turn.set()
                await one.done.wait()

    async def _prepare_some(self) -> None:
        group = list[_Question]()
        while self._questions and len(group) < MOST_TOGETHER:
            one = self._questions.popleft()
            if not one.ready.done():  # canceled meanwhile
                group.append(one)
        if not group:
            return
        try:
            outcomes = await to_prepare(preparing.prepare_all, [one.wanted for one in group])
        except BaseException:
            for one in group:
                one.ready.cancel()
            raise
        for one, outcome in zip(group, outcomes, strict=True):
            if one.ready.done():
                continue
            if isinstance(outcome, Exception):
                one.ready.set_exception(outcome)
            else:
                one.ready.set_result(outcome)
