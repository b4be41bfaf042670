"""What the tutor's chat itself costs while an answer is streamed (`python -m tests.bench tutor stream`)."""

import asyncio
import time
from collections.abc import AsyncGenerator
from typing import Any
from uuid import uuid4

PIECES = 4_000
CHATS = 200
PIECE = "water "


class Scripted:
    """A provider that says pieces as fast as it can, or at a pace."""

    name, is_search = "scripted", False

    def __init__(self, pieces: int, pause: float = 0.0) -> None:
        self.pieces, self.pause = pieces, pause
        self.closed_at = 0.0

    async def stream(self, prompt: Any) -> AsyncGenerator[str, None]:
        """Yield the pieces; note when it was closed."""
        try:
            for number in range(self.pieces):
                if self.pause:
                    await asyncio.sleep(self.pause)
                elif number % 50 == 0:
                    await asyncio.sleep(0)
                yield PIECE
        finally:
            self.closed_at = time.perf_counter()


class Listener:
    """Notes when the first text came, as a socket would send it."""

    def __init__(self) -> None:
        self.first: float | None = None
        self.ended = asyncio.Event()

    async def tell(self, message: dict[str, Any]) -> None:
        if message["type"] == "text" and self.first is None:
            self.first = time.perf_counter()
        if message["type"] == "_ended":
            self.ended.set()


def bench_stream() -> None:
    """Print the figures. The database has courses and a user; what is added is deleted."""
    from django.utils import timezone

    from apps.accounts.models import User
    from apps.tutor import providers
    from apps.tutor.models import Answer, Chat
    from apps.tutor.services import generating
    from apps.tutor.streaming.engine import current_engine

    user = User.objects.filter(is_active=True).order_by("pk").first()
    assert user is not None
    first_chat = Chat.objects.order_by("-pk").values_list("pk", flat=True).first() or 0

    def claims(count: int) -> list[generating.Claim]:
        found = []
        for _ in range(count):
            now = timezone.now()
            chat = Chat.objects.create(user=user, title="Bench", created_at=now, changed_at=now)
            exchange = chat.exchanges.create(user=user, key=uuid4(), position=1, question="Why?", created_at=now)
            answer = Answer.objects.create(exchange=exchange, number=1, created_at=now)
            claimed = generating.claim(answer.uid, now)
            assert claimed is not None
            found.append(claimed)
        return found

    async def run(claimed: list[generating.Claim], leave_after: float | None = None) -> tuple[list[float], float]:
        begun, engine = time.perf_counter(), current_engine()
        listeners = []
        for one in claimed:
            listeners.append(Listener())
            engine.start(one, [listeners[-1]])
        if leave_after is not None:
            await asyncio.sleep(leave_after)
            for one, listener in zip(claimed, listeners, strict=True):
                engine.leave(one.uid, listener)
            left = time.perf_counter()
            while engine.running:
                await asyncio.sleep(0.01)
            return [], left
        await asyncio.gather(*(one.ended.wait() for one in listeners))
        return [one.first - begun for one in listeners if one.first is not None], begun

    original = providers.current
    try:
        warm = Scripted(10)
        providers.current = lambda *_: warm  # type: ignore[assignment]
        asyncio.run(run(claims(1)))
        for label, provider in (("as fast as it can", Scripted(PIECES)), ("50 a second", Scripted(250, 0.02))):
            providers.current = lambda *_, provider=provider: provider  # type: ignore[misc, assignment]
            [one] = claims(1)
            bare = _bare(Scripted(provider.pieces, provider.pause))
            before = time.process_time()
            asyncio.run(run([one]))
            own = (time.process_time() - before - bare) / provider.pieces * 1e6
            print(f"own CPU per token, {label}: {own:.1f} µs ({provider.pieces} tokens, retrieval included)")
        slow = Scripted(1_000, 0.02)
        providers.current = lambda *_: slow  # type: ignore[assignment]
        _, left = asyncio.run(run(claims(1), leave_after=1.0))
        print(f"provider stopped {slow.closed_at - left:.2f} s after the page closed")
        providers.current = lambda *_: Scripted(3)  # type: ignore[assignment]
        firsts, _ = asyncio.run(run(claims(CHATS)))
        firsts.sort()
        print(f"{CHATS} chats at once, first token: p50 {firsts[CHATS // 2]:.2f} s, last {firsts[-1]:.2f} s")
    finally:
        providers.current = original
        Chat.objects.filter(pk__gt=first_chat).delete()


def _bare(provider: Scripted) -> float:
    """The CPU that the provider needs without us."""

    async def read() -> None:
        async for _ in provider.stream(None):
            pass

    before = time.process_time()
    asyncio.run(read())
    return time.process_time() - before
