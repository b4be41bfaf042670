"""The socket /ws/tutor/: nothing lost, nothing doubled, and the provider stops when nobody listens."""

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID, uuid4

import pytest
from asgiref.sync import sync_to_async
from django.utils import timezone

from apps.accounts.models import User
from apps.courses.models import Lesson
from apps.tutor import providers, services
from apps.tutor.errors import ContentFiltered, ContextTooLong, TutorUnavailable
from apps.tutor.grounding import Checked
from apps.tutor.models import Answer, Chat, UsageDay
from apps.tutor.providers import Prompt, Usage
from apps.tutor.providers.search import SearchProvider
from apps.tutor.services import generating
from apps.tutor.streaming import alone
from apps.tutor.streaming.engine import current_engine
from apps.tutor.streaming.units import after, units
from studyplatform.kit import jobs
from studyplatform.kit import sockets as hub
from tests.factories.tutor import AnswerFactory
from tests.forum.sockets import is_refused, with_sockets

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]
PATH = "/ws/tutor/"


class Told:
    """A provider that says what the test puts into its queue; None ends the answer."""

    name, is_search = "told", False

    def __init__(self) -> None:
        self.queue: asyncio.Queue[Any] | None = None
        self.prompts: list[Prompt] = []
        self.closed_at = 0.0

    def say(self, *pieces: Any) -> None:
        for piece in pieces:
            self._open().put_nowait(piece)

    def _open(self) -> asyncio.Queue[Any]:
        if self.queue is None:
            self.queue = asyncio.Queue()
        return self.queue

    async def stream(self, prompt: Prompt) -> AsyncIterator[str | Usage]:
        self.prompts.append(prompt)
        try:
            while (piece := await self._open().get()) is not None:
                if isinstance(piece, Exception):
                    raise piece
                yield piece
            yield Usage(7, 3, 20)
        finally:
            self.closed_at = time.monotonic()


@pytest.fixture(autouse=True)
def told(monkeypatch: pytest.MonkeyPatch) -> Told:
    one = Told()
    monkeypatch.setattr(providers, "current", lambda *_: one)
    monkeypatch.setattr(hub, "REFRESH_GAP", 0.01)
    monkeypatch.setattr(hub, "REFRESH_EVERY", 0.05)
    return one


@pytest.fixture
def waiting(leo: User) -> Answer:
    asked = services.Asked(question="Why does a river bend?", key=uuid4())
    exchange = services.start_chat(user=leo, asked=asked, course=None, now=timezone.now())
    return exchange.answers.get()


def follow(answer: Answer, offset: int = 0) -> dict[str, Any]:
    return {"type": "follow", "answer": str(answer.uid), "offset": offset}


async def until(socket: Any, kind: str, **wanted: Any) -> dict[str, Any]:
    """The next message of a kind."""
    while True:
        message = await socket.receive_json_from(30)
        if message["type"] == kind and wanted.items() <= message.items():
            return message


async def read(socket: Any, text: str) -> None:
    """Receive pieces until the whole text has arrived; they follow each other without gaps."""
    got = ""
    while got != text:
        message = await until(socket, "text")
        assert message["offset"] == units(got)
        got += message["text"]
        assert text.startswith(got)


@sync_to_async
def row(answer: Answer) -> Answer:
    return Answer.objects.get(pk=answer.pk)


def test_an_answer_is_written_before_it_is_sent_and_ends_as_the_api_shows_it(
    waiting: Answer, told: Told, leo: User, browser_of
) -> None:
    async def story(socket: Any) -> None:
        await socket.send_json_to(follow(waiting))
        await until(socket, "status", status="thinking")
        await until(socket, "state", state="streaming")
        told.say("Water 🌊", " flows")
        await read(socket, "Water 🌊 flows")
        assert (await row(waiting)).text == "Water 🌊 flows"
        told.say(" on.", None)
        ended = (await until(socket, "ended"))["answer"]
        assert (ended["state"], ended["text"], ended["provider"]) == ("finished", "Water 🌊 flows on.", "told")
        await until(socket, "status", status="online")

    with_sockets([browser_of(leo)], PATH, story)
    answer = Answer.objects.get()
    assert (answer.prompt_tokens, answer.completion_tokens, answer.cost_micros) == (7, 3, 20)
    used = UsageDay.objects.get()
    assert (used.questions, used.prompt_tokens, used.cost_micros) == (1, 7, 20)


def test_who_follows_later_gets_only_what_is_missing(waiting: Answer, told: Told, leo: User, browser_of) -> None:
    async def story(first: Any, second: Any) -> None:
        await first.send_json_to(follow(waiting))
        told.say("🌊 bends")
        await read(first, "🌊 bends")
        await second.send_json_to(follow(waiting, units("🌊 b")))
        assert (await until(second, "text"))["text"] == "ends"
        told.say(" all")
        for socket in (first, second):
            assert (await until(socket, "text")) == {
                "type": "text", "answer": str(waiting.uid), "offset": units("🌊 bends"), "text": " all",
            }  # fmt: skip
        await first.disconnect()
        told.say(None)
        assert (await until(second, "ended"))["answer"]["state"] == "finished"

    with_sockets([browser_of(leo), browser_of(leo)], PATH, story)


@pytest.mark.parametrize("goes", ["closes", "unfollows"])
def test_the_provider_stops_after_the_last_one_left(
    waiting: Answer, told: Told, leo: User, browser_of, goes: str
) -> None:
    async def story(socket: Any) -> None:
        await socket.send_json_to(follow(waiting))
        told.say("Water")
        await read(socket, "Water")
        left = time.monotonic()
        if goes == "closes":
            await socket.disconnect()
        else:
            await socket.send_json_to({"type": "unfollow", "answer": str(waiting.uid)})
        while not told.closed_at:
            assert time.monotonic() < left + 20
            await asyncio.sleep(0.02)
        while (await row(waiting)).state != "interrupted":
            assert time.monotonic() < left + 20
            await asyncio.sleep(0.02)
        assert (await row(waiting)).text == "Water"

    with_sockets([browser_of(leo)], PATH, story)


def test_what_no_database_stores_is_left_out(waiting: Answer, told: Told, leo: User, browser_of) -> None:
    async def story(socket: Any) -> None:
        await socket.send_json_to(follow(waiting))
        told.say("\0", "Wa\0ter", " \ud83c🌊", None)
        assert (await until(socket, "ended"))["answer"]["text"] == "Water ?🌊"

    with_sockets([browser_of(leo)], PATH, story)


class Slow:
    """A browser that doesn't read until the end of the test."""

    def __init__(self) -> None:
        self.reads = asyncio.Event()

    async def tell(self, message: dict[str, Any]) -> None:
        await self.reads.wait()


def test_a_browser_that_does_not_read_holds_up_nobody(waiting: Answer, told: Told, leo: User, browser_of) -> None:
    async def story(socket: Any) -> None:
        await socket.send_json_to(follow(waiting))
        await until(socket, "state", state="streaming")
        current_engine().running[waiting.uid].followers.add(slow := Slow())
        for word in ("Water", " flows", " on"):
            told.say(word)
            assert (await until(socket, "text"))["text"] == word
        slow.reads.set()

    with_sockets([browser_of(leo)], PATH, story)


def test_an_answer_stopped_before_its_first_piece_is_charged(
    waiting: Answer, told: Told, leo: User, browser_of
) -> None:
    async def story(socket: Any) -> None:
        await socket.send_json_to(follow(waiting))
        told.say(Usage(50, 0, 8))
        await until(socket, "state", state="streaming")
        while not told.prompts or not told.queue or not told.queue.empty():
            await asyncio.sleep(0.01)
        await sync_to_async(services.stop_answer)(user=leo, uid=waiting.uid, now=timezone.now())
        await until(socket, "ended")
        while not told.closed_at or not await sync_to_async(UsageDay.objects.filter(prompt_tokens=50).exists)():
            await asyncio.sleep(0.01)

    with_sockets([browser_of(leo)], PATH, story)
    answer = Answer.objects.get()
    assert (answer.state, answer.text, answer.prompt_tokens, answer.cost_micros) == ("stopped", "", 50, 8)


def test_who_follows_here_what_another_process_has_claimed_gets_it_from_the_table(
    waiting: Answer, told: Told, leo: User, browser_of, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without Redis no one tells this process that the answer was stopped and continues elsewhere."""

    async def story(first: Any, second: Any) -> None:
        await first.send_json_to(follow(waiting))
        told.say("Water")
        await read(first, "Water")
        await sync_to_async(Answer.objects.update)(state="stopped")
        await sync_to_async(services.continue_answer)(user=leo, uid=waiting.uid, now=timezone.now())
        claimed = await sync_to_async(generating.claim)(waiting.uid, timezone.now())
        assert claimed is not None
        await second.send_json_to(follow(waiting))
        assert (await until(second, "text"))["text"] == "Water"
        told.say(" mud")  # is not written any more: the write finds that the answer is lost
        await sync_to_async(generating.write)([(claimed, "Water flows")], timezone.now())
        ended = (await row(waiting)).text
        assert ended == "Water flows"
        for socket in (first, second):
            while " flows" not in (await until(socket, "text"))["text"]:
                pass
        checked = Checked("Water flows.", "", ())
        assert await sync_to_async(generating.finish)(claimed, checked, Usage(), timezone.now())
        for socket in (first, second):
            assert (await until(socket, "ended"))["answer"]["text"] == "Water flows."

    with_sockets([browser_of(leo), browser_of(leo)], PATH, story)


def test_what_a_model_wrote_is_checked_also_if_the_search_continues_it(
    rivers: dict[str, Lesson], ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(providers, "current", lambda *_: SearchProvider())
    answer = AnswerFactory(
        exchange__chat__user=ada, exchange__question="Why does a river bend?", exchange__user=ada, state="waiting",
        provider="small", is_search=False, text="Elephants remember faces for many years. [2]",
    )  # fmt: skip
    assert alone.generate(answer.uid)
    answer.refresh_from_db()
    assert (answer.state, answer.kind) == ("finished", "outside")
    assert answer.text.startswith("Elephants remember faces for many years.\n\n")
    assert "faster and carves" in answer.text
    assert answer.citations.exists()  # of the search


def test_stop_keeps_what_was_written_and_continue_goes_on_after_it(
    waiting: Answer, told: Told, leo: User, browser_of
) -> None:
    uid = waiting.uid

    async def story(socket: Any) -> None:
        await socket.send_json_to(follow(waiting))
        told.say("Water")
        await read(socket, "Water")
        await sync_to_async(services.stop_answer)(user=leo, uid=uid, now=timezone.now())
        ended = (await until(socket, "ended"))["answer"]
        assert (ended["state"], ended["text"]) == ("stopped", "Water")
        assert told.closed_at
        await sync_to_async(services.continue_answer)(user=leo, uid=uid, now=timezone.now())
        await socket.send_json_to(follow(waiting, 5))
        told.say(" flows.", None)
        assert (await until(socket, "text"))["offset"] == 5
        assert (await until(socket, "ended"))["answer"]["text"] == "Water flows."
        assert [one.written for one in told.prompts] == ["", "Water"]

    with_sockets([browser_of(leo)], PATH, story)


def test_a_failure_keeps_what_was_written_and_names_the_error(
    waiting: Answer, told: Told, leo: User, browser_of
) -> None:
    async def story(socket: Any) -> None:
        await socket.send_json_to(follow(waiting))
        told.say("Water", ContextTooLong())
        ended = (await until(socket, "ended"))["answer"]
        assert (ended["state"], ended["text"], ended["error"]["code"]) == ("failed", "Water", "AI_CONTEXT_TOO_LONG")
        await until(socket, "status", status="online")

        await sync_to_async(services.continue_answer)(user=leo, uid=waiting.uid, now=timezone.now())
        await socket.send_json_to(follow(waiting, 5))
        told.say(ValueError("bad luck"))
        ended = (await until(socket, "ended"))["answer"]
        assert (ended["text"], ended["error"]["code"]) == ("Water", "AI_TECHNICAL_ERROR")
        await until(socket, "status", status="error")

        await sync_to_async(services.continue_answer)(user=leo, uid=waiting.uid, now=timezone.now())
        await socket.send_json_to(follow(waiting, 5))
        told.say(TutorUnavailable())
        ended = (await until(socket, "ended"))["answer"]
        assert (ended["error"]["code"], ended["error"]["retry_after"]) == ("AI_UNAVAILABLE", 15)
        await until(socket, "status", status="offline")

        await sync_to_async(services.continue_answer)(user=leo, uid=waiting.uid, now=timezone.now())
        await socket.send_json_to(follow(waiting, 5))
        told.say(ContentFiltered())
        ended = (await until(socket, "ended"))["answer"]
        assert (ended["state"], ended["kind"], ended["error"]["code"]) == (
            "finished",
            "filtered",
            "AI_CONTENT_FILTERED",
        )
        await until(socket, "status", status="online")

    with_sockets([browser_of(leo)], PATH, story)


def test_an_answer_of_another_process_is_followed_in_the_table(
    waiting: Answer, told: Told, leo: User, browser_of
) -> None:
    async def story(socket: Any) -> None:
        claimed = await sync_to_async(generating.claim)(waiting.uid, timezone.now())
        assert claimed is not None
        await socket.send_json_to(follow(waiting))
        for text in ("Water", "Water flows"):
            await sync_to_async(generating.write)([(claimed, text)], timezone.now())
            while (await until(socket, "text"))["text"] not in text:
                pass
        # The process dies: its lease runs out, and the browser is notified.
        await sync_to_async(lambda: Answer.objects.update(lease_until=timezone.now()))()
        ended = (await until(socket, "ended"))["answer"]
        assert (ended["state"], ended["text"]) == ("interrupted", "Water flows")
        # Once it continues elsewhere, the dead process writes nothing any more.
        await sync_to_async(services.continue_answer)(user=leo, uid=waiting.uid, now=timezone.now())
        assert await sync_to_async(generating.claim)(waiting.uid, timezone.now())
        assert await sync_to_async(generating.write)([(claimed, "Mud")], timezone.now()) == set()
        assert (await row(waiting)).text == "Water flows"
        assert not told.prompts

    with_sockets([browser_of(leo)], PATH, story)


def test_answers_of_others_cannot_be_followed(waiting: Answer, told: Told, leo: User, mia: User, browser_of) -> None:
    async def story(owner: Any, stranger: Any) -> None:
        await stranger.send_json_to(follow(waiting))
        for broken in (
            {"type": "follow"},
            {"type": "follow", "answer": "x"},
            {"type": "follow", "answer": str(uuid4()), "offset": "1"},
            {"type": "unfollow", "answer": str(waiting.uid)},
            {"type": ["follow"], "answer": str(waiting.uid)},
        ):
            await stranger.send_json_to(broken)
        assert await stranger.receive_nothing(0.2)
        await owner.send_json_to(follow(waiting, -5))
        told.say("Water")
        await read(owner, "Water")
        await stranger.send_json_to(follow(waiting))
        told.say(None)
        await until(owner, "ended")
        assert await stranger.receive_nothing(0.2)

    with_sockets([browser_of(leo), browser_of(mia)], PATH, story)


def test_visitors_get_no_socket(client, leo: User, browser_of) -> None:
    browser = browser_of(leo)
    browser.cookies["sessionid"] = "x" * 32
    assert is_refused(browser, PATH)


def test_a_deleted_chat_is_neither_followed_nor_answered(waiting: Answer, told: Told, leo: User, browser_of) -> None:
    chat = Chat.objects.get()
    services.delete_chat(user=leo, uid=chat.uid, now=timezone.now())

    async def story(socket: Any) -> None:
        await socket.send_json_to(follow(waiting))
        assert await socket.receive_nothing(0.2)

    with_sockets([browser_of(leo)], PATH, story)
    assert Answer.objects.get().state == "waiting"


def test_browsers_without_a_socket_ask_for_the_answer(waiting: Answer, told: Told, leo: User, browser_of) -> None:
    told_once = ["Water ", "flows."]

    async def stream(prompt: Prompt) -> AsyncIterator[str | Usage]:
        for piece in told_once:
            yield piece

    told.stream = stream  # type: ignore[method-assign]
    browser, path = browser_of(leo), f"/api/v1/tutor/answers/{waiting.uid}/"
    assert browser.get(path).json()["state"] == "waiting"
    jobs.run_pending("default")
    assert browser.get(path).json()["state"] == "waiting"

    Answer.objects.update(created_at=timezone.now() - services.POLLED_AFTER)
    for _ in range(3):
        browser.get(path)
    jobs.run_pending("default")
    shown = browser.get(path).json()
    assert (shown["state"], shown["text"]) == ("finished", "Water flows.")


def test_only_one_process_claims_an_answer(leo: User) -> None:
    answer = AnswerFactory(exchange__chat__user=leo, state="waiting", text="")
    now = timezone.now()

    assert generating.claim(answer.uid, now)
    assert generating.claim(answer.uid, now) is None
    assert not alone.generate(UUID(str(answer.uid)))


def test_offsets_count_as_javascript_does() -> None:
    text = "a🌊é𝒙"
    assert units(text) == 6
    assert [after(text, n) for n in (0, 1, 3, 4, 6, 99)] == [text, "🌊é𝒙", "é𝒙", "𝒙", "", ""]
    assert after("abc", 2) == "c"
