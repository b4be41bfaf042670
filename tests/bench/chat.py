"""What the tutor's chat itself costs while an answer is streamed (`python -m tests.bench tutor stream`).

Learners of their own ask different questions, over the consumer of the socket; in place of the model's address stands a
provider that has nothing to wait for. What answers pass through on their way counts: filters, cleaning, the table.
"""

import asyncio
import json
import statistics
import time
from collections.abc import AsyncGenerator, Iterable
from contextlib import ExitStack
from datetime import timedelta
from itertools import cycle, islice
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch
from uuid import UUID, uuid4

CHATS = 200
COURSES = 3  # of each learner
PACES = (
    ("as fast as it can", 4_000, 0.0, 1),
    ("one chat, 50 tokens a second", 250, 0.02, 1),
    ("50 chats, 50 tokens a second each", 250, 0.02, 50),
)
"""Tokens of the shorter of two runs, seconds between them, chats."""
QUESTIONS = Path(__file__).parent / "tutor_questions" / "questions.jsonl"
PIECE = "water "


class Scripted:
    """A provider that says pieces as fast as it can, or at a pace; ``hold`` keeps it after the first."""

    name, is_search = "scripted", False

    def __init__(self, pieces: int, pause: float = 0.0, hold: asyncio.Event | None = None) -> None:
        self.pieces, self.pause, self.hold = pieces, pause, hold
        self.closed_at = 0.0

    async def stream(self, prompt: Any) -> AsyncGenerator[str, None]:
        """Yield the pieces; note when it was closed."""
        try:
            for number in range(self.pieces):
                if self.pause:
                    await asyncio.sleep(self.pause)
                elif number % 50 == 0:
                    await asyncio.sleep(0)
                if number == 1 and self.hold is not None:
                    await self.hold.wait()
                yield PIECE
        finally:
            self.closed_at = time.perf_counter()


class Run(NamedTuple):
    """Seconds until the first token of each answer, sorted, and the CPU of the process until the last of them."""

    firsts: list[float]
    cpu: float


def bench_stream() -> None:
    """Print the figures. The database has indexed courses; what is added is deleted."""
    with ExitStack() as stack:
        bench = Bench(stack)
        bench.firsts("the first answer of a process", 1)
        asyncio.run(bench.run(CHATS, Scripted(2)))  # afterwards, what learners share is cached
        for label, pieces, pause, chats in PACES:
            short, long = bench.cost(pieces, pause, chats), bench.cost(2 * pieces, pause, chats)
            token = (long - short) / pieces / chats
            fixed = short / chats - token * pieces
            print(f"{label}: {1e6 * token:.1f} µs of CPU per token, and {1000 * fixed:.0f} ms per answer")
        print(f"provider stopped {bench.leave():.2f} s after the page closed")
        bench.firsts("one chat after the other", 1, times=20)
        bench.firsts(f"{CHATS} chats, one new each 0.1 s", CHATS, gap=0.1)
        for _ in range(3):
            bench.together()


class Bench:
    """Learners who ask. Until the stack ends, a scripted provider answers."""

    def __init__(self, stack: ExitStack) -> None:
        from django.test import override_settings
        from django.utils import timezone

        from apps.accounts.models import User
        from apps.courses.models import Course
        from apps.learning.models import Enrollment
        from tests.bench.pages import gunicorn

        now = timezone.now()
        self.provider = Scripted(1)
        User.objects.filter(username__startswith="chat-").delete()  # of a run that was killed
        stack.callback(User.objects.filter(username__startswith="chat-").delete)
        stack.enter_context(override_settings(TUTOR_URL="http://model.invalid", TUTOR_MODEL="scripted"))
        stack.enter_context(patch("apps.tutor.providers.openai.OpenAIProvider", lambda: self.provider))
        self.reference = stack.enter_context(gunicorn("tests.bench.reference:application", {})).port
        people = [User(username=f"chat-{n}", email=f"chat-{n}@example.org") for n in range(CHATS)]
        self.users = User.objects.bulk_create(people)
        taken = cycle(Course.objects.published())
        for user in self.users:
            joined = dict.fromkeys(islice(taken, COURSES))
            Enrollment.objects.bulk_create(
                Enrollment(user=user, course=course, enrolled_at=now, last_activity_at=now) for course in joined
            )
        rows = [json.loads(line) for line in QUESTIONS.read_text().splitlines()]
        asked = dict.fromkeys(row["question"] for row in rows if row["kind"] in {"direct", "paraphrase"})
        self.questions = cycle(asked)

    def ask(self, count: int) -> list[tuple[Any, UUID]]:
        """Begin a chat for each of the first users, without an answer; return users with the answers."""
        from django.utils import timezone

        from apps.tutor.models import Answer, Chat

        found = []
        for user, question in zip(self.users[:count], islice(self.questions, count), strict=True):
            now = timezone.now()
            chat = Chat.objects.create(user=user, title="Bench", created_at=now, changed_at=now)
            exchange = chat.exchanges.create(user=user, key=uuid4(), position=1, question=question, created_at=now)
            created = now + timedelta(microseconds=1)
            found.append((user, Answer.objects.create(exchange=exchange, number=1, created_at=created).uid))
        return found

    async def run(self, chats: int, provider: Scripted, gap: float = 0.0) -> Run:
        """Ask on as many sockets, ``gap`` seconds apart."""
        from asgiref.sync import sync_to_async

        self.provider = provider
        sockets = [await _socket(user, uid) for user, uid in await sync_to_async(self.ask)(chats)]
        begun, follows, cpu = list[float](), list[asyncio.Task[None]](), time.process_time()
        for one in sockets:
            begun.append(time.perf_counter())
            follows.append(asyncio.create_task(one.handle({"type": "follow", "answer": str(one.uid), "offset": 0})))
            if gap:
                await asyncio.sleep(gap)
        await asyncio.gather(*follows, *(one.begun.wait() for one in sockets))
        cpu = time.process_time() - cpu
        if provider.hold is not None:
            provider.hold.set()
        await asyncio.gather(*(one.ended.wait() for one in sockets))
        return Run(sorted(one.first - at for one, at in zip(sockets, begun, strict=True)), cpu)

    def cost(self, pieces: int, pause: float, chats: int) -> float:
        """The CPU of the whole process for these answers, without what the provider itself needs."""
        bare = _bare(Scripted(pieces, pause), chats)
        before = time.process_time()
        asyncio.run(self.run(chats, Scripted(pieces, pause)))
        return time.process_time() - before - bare

    def leave(self) -> float:
        """Return how many seconds after a socket has closed its provider was stopped."""
        return asyncio.run(self._leave())

    async def _leave(self) -> float:
        from asgiref.sync import sync_to_async

        from apps.tutor.streaming.engine import current_engine

        self.provider = Scripted(1_000, 0.02)
        (asked,) = await sync_to_async(self.ask)(1)
        socket = await _socket(*asked)
        await socket.handle({"type": "follow", "answer": str(socket.uid), "offset": 0})
        await socket.begun.wait()
        left = time.perf_counter()
        await socket.handle({"type": "unfollow", "answer": str(socket.uid)})
        while current_engine().running:
            await asyncio.sleep(0.01)
        return self.provider.closed_at - left

    def firsts(self, label: str, chats: int, *, gap: float = 0.0, times: int = 1) -> None:
        """Print how long the first token takes. The answers end at once."""
        found = sorted(one for _ in range(times) for one in asyncio.run(self.run(chats, Scripted(10), gap)).firsts)
        print(f"{label}: first token after {_shown(found)}")

    def together(self) -> None:
        """Print how long the first tokens take of chats that begin in the same moment, beside the reference page."""

        async def hold() -> Run:
            return await self.run(CHATS, Scripted(2, hold=asyncio.Event()))

        before = asyncio.run(_pages(self.reference, CHATS))
        found = asyncio.run(hold())
        pages = sorted([*before, *asyncio.run(_pages(self.reference, CHATS))])
        ratio = statistics.median(found.firsts) / statistics.median(pages)
        print(f"{CHATS} chats in the same moment: first token after {_shown(found.firsts)}, ", end="")
        print(
            f"with {1000 * found.cpu / CHATS:.1f} ms of CPU each; the reference page {_shown(pages)}: {ratio:.1f} : 1"
        )


async def _socket(user: Any, uid: UUID) -> Any:
    """The consumer without its connection: it notes when the first text would have left."""
    from apps.tutor.consumers import TutorConsumer

    class Socket(TutorConsumer):
        def __init__(self) -> None:
            super().__init__()
            self.user, self.uid, self.topics = user, uid, set()
            self.first, self.begun, self.ended = 0.0, asyncio.Event(), asyncio.Event()

        async def send_json(self, content: Any, close: bool = False) -> None:
            if content["type"] == "text" and not self.first:
                self.first = time.perf_counter()
                self.begun.set()
            if content["type"] == "ended":
                self.begun.set()
                self.ended.set()

    socket = Socket()
    await socket.authorize()
    return socket


def _shown(seconds: Iterable[float]) -> str:
    found = sorted(seconds)
    half, most, last = (1000 * found[int(part * (len(found) - 1))] for part in (0.5, 0.95, 1))
    return f"{half:.0f} ms (p50), {most:.0f} (p95), {last:.0f} (last)"


async def _pages(port: int, count: int) -> list[float]:
    """Request the reference page so many times in the same moment; return the seconds that each took."""

    async def get() -> float:
        start = time.perf_counter()
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        body = await reader.read(-1)
        writer.close()
        assert body.startswith(b"HTTP/1.1 200"), body[:200]
        return time.perf_counter() - start

    return list(await asyncio.gather(*(get() for _ in range(count))))


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
