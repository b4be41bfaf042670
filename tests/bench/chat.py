"""What the tutor's chat itself costs while an answer is streamed (`python -m tests.bench tutor stream`)."""

import asyncio
import time
from collections.abc import AsyncGenerator
from typing import Any
from uuid import uuid4

CHATS = 200
PACES = (
    ("as fast as it can", 4_000, 0.0, 1),
    ("one chat, 50 tokens a second", 250, 0.02, 1),
    ("50 chats, 50 tokens a second each", 250, 0.02, 50),
)
"""Tokens of the shorter of two runs, seconds between them, chats."""
QUESTIONS = (
    "Why does a river bend?",
    "What is a transaction?",
    "How do I store a password safely?",
    "When does a recursive function end?",
)
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
    """Print the figures. The database has indexed courses and a user; what is added is deleted."""
    from django.utils import timezone

    from apps.accounts.models import User
    from apps.tutor import providers
    from apps.tutor.models import Answer, Chat
    from apps.tutor.services import generating
    from apps.tutor.streaming.engine import current_engine

    user = User.objects.get(username="bench")
    first_chat = Chat.objects.order_by("-pk").values_list("pk", flat=True).first() or 0

    def claims(count: int) -> list[generating.Claim]:
        found = []
        for number in range(count):
            now = timezone.now()
            chat = Chat.objects.create(user=user, title="Bench", created_at=now, changed_at=now)
            question = QUESTIONS[number % len(QUESTIONS)]
            exchange = chat.exchanges.create(user=user, key=uuid4(), position=1, question=question, created_at=now)
            answer = Answer.objects.create(exchange=exchange, number=1, created_at=now)
            claimed = generating.claim(answer.uid, now)
            assert claimed is not None
            found.append(claimed)
        return found

    def use(provider: Scripted) -> None:
        providers.current = lambda *_: provider  # type: ignore[assignment]

    async def run(claimed: list[generating.Claim], gap: float = 0.0) -> list[float]:
        """Begin the answers ``gap`` seconds apart; return the seconds until the first token of each."""
        engine, listeners, begun = current_engine(), list[Listener](), list[float]()
        for one in claimed:
            listeners.append(Listener())
            begun.append(time.perf_counter())
            engine.start(one, [listeners[-1]])
            await asyncio.sleep(gap)
        await asyncio.gather(*(one.ended.wait() for one in listeners))
        return sorted(one.first - at for one, at in zip(listeners, begun, strict=True) if one.first is not None)

    async def leave(claimed: generating.Claim) -> float:
        engine, listener = current_engine(), Listener()
        engine.start(claimed, [listener])
        await asyncio.sleep(1)
        engine.leave(claimed.uid, listener)
        left = time.perf_counter()
        while engine.running:
            await asyncio.sleep(0.01)
        return left

    def cost(pieces: int, pause: float, chats: int) -> float:
        """The CPU of the whole process for these answers, without what the provider itself needs."""
        use(Scripted(pieces, pause))
        claimed = claims(chats)
        bare = _bare(Scripted(pieces, pause), chats)
        before = time.process_time()
        asyncio.run(run(claimed))
        return time.process_time() - before - bare

    def shown(name: str, firsts: list[float]) -> None:
        half, most = firsts[len(firsts) // 2], firsts[-1]
        print(f"{name}: first token after {1000 * half:.0f} ms (p50), {1000 * most:.0f} ms (last)")

    original = providers.current
    try:
        use(Scripted(10))
        shown("the first answer of a process", asyncio.run(run(claims(1))))
        asyncio.run(run(claims(len(QUESTIONS))))
        for label, pieces, pause, chats in PACES:
            short, long = cost(pieces, pause, chats), cost(2 * pieces, pause, chats)
            token = (long - short) / pieces / chats
            fixed = short / chats - token * pieces
            print(f"{label}: {1e6 * token:.1f} µs of CPU per token, and {1000 * fixed:.0f} ms per answer")
        slow = Scripted(1_000, 0.02)
        use(slow)
        left = asyncio.run(leave(claims(1)[0]))
        print(f"provider stopped {slow.closed_at - left:.2f} s after the page closed")
        use(Scripted(10))
        shown("one chat after the other", sorted(asyncio.run(run(claims(1)))[0] for _ in range(20)))
        use(Scripted(250, 0.02))
        shown(f"{CHATS} chats, one new each 0.1 s", asyncio.run(run(claims(CHATS), gap=0.1)))
        use(Scripted(10))
        shown(f"{CHATS} chats in the same moment", asyncio.run(run(claims(CHATS))))
    finally:
        providers.current = original
        Chat.objects.filter(pk__gt=first_chat).delete()


def _bare(provider: Scripted, chats: int) -> float:
    """The CPU that the provider needs without us."""

    async def read() -> None:
        async for _ in provider.stream(None):
            pass

    async def read_all() -> None:
        await asyncio.gather(*(read() for _ in range(chats)))

    before = time.process_time()
    asyncio.run(read_all())
    return time.process_time() - before
