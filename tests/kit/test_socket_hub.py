"""The hub of websockets: messages, refusals, sessions; alone in a process and with Redis between processes."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest
from channels.auth import AuthMiddlewareStack
from channels.layers import InMemoryChannelLayer, channel_layers, get_channel_layer
from channels.testing import WebsocketCommunicator
from django.conf import settings as django_settings
from django.db import transaction
from django.test import Client

from studyplatform.kit import sockets
from studyplatform.kit.errors import PermissionRefused
from studyplatform.kit.sockets import BAD_MESSAGE, TOO_MANY_MESSAGES, Socket, publish, wake

pytestmark = pytest.mark.django_db(transaction=True)


class Room(Socket):
    """Subscribes to a topic, answers a message, and counts how often it is refreshed."""

    name = "rooms"
    refreshes = 0
    refused = False

    async def authorize(self) -> None:
        if type(self).refused:
            raise PermissionRefused
        self.subscribe("room-1")

    @classmethod
    async def refresh(cls, sockets: list["Room"]) -> None:
        Room.refreshes += len(sockets)

    async def handle(self, message: dict[str, Any]) -> None:
        await self.send_json({"heard": message})


@pytest.fixture(autouse=True)
def _room(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(sockets, "REFRESH_EVERY", 0.05)
    monkeypatch.setattr(Room, "refreshes", 0)
    yield
    channel_layers.backends.clear()


def open_socket(browser: Client) -> WebsocketCommunicator:
    cookie = browser.cookies[django_settings.SESSION_COOKIE_NAME].value
    headers = [(b"cookie", f"{django_settings.SESSION_COOKIE_NAME}={cookie}".encode())]
    return WebsocketCommunicator(AuthMiddlewareStack(Room.as_asgi()), "/ws/rooms/", headers=headers)


def during(browser: Client, story: Callable[[WebsocketCommunicator], Awaitable[Any]]) -> Any:
    async def live() -> Any:
        socket = open_socket(browser)
        accepted, _ = await socket.connect(timeout=30)
        if not accepted:
            return "refused"
        try:
            return await story(socket)
        finally:
            await socket.disconnect()

    return asyncio.run(live())


def in_thread(function: Callable[..., Any], *args: Any) -> None:
    """Pages run in threads, not in the sockets' event loop."""
    thread = threading.Thread(target=function, args=args)
    thread.start()
    thread.join()


async def count_refreshes(expected: int) -> int:
    """The refreshes of rooms, as soon as there are as many as expected."""
    for _ in range(400):
        if Room.refreshes >= expected:
            break
        await asyncio.sleep(0.05)
    return Room.refreshes


async def receive_published(socket: WebsocketCommunicator) -> list[Any]:
    """What arrives of two messages, of which one is for another topic. Published again until the hub has subscribed."""
    for _ in range(50):
        in_thread(publish, "room-2", {"text": "not for us"})
        in_thread(publish, "room-1", {"text": "for us"})
        if not await socket.receive_nothing(0.1):
            break
    received = [await socket.receive_json_from(30)]
    while not await socket.receive_nothing(0.2):
        received.append(await socket.receive_json_from(30))
    return received


def test_a_published_message_reaches_the_subscribers_of_its_topic(leo, browser_of) -> None:
    received = during(browser_of(leo), receive_published)

    assert all(message == {"text": "for us"} for message in received)


@pytest.mark.database
def test_a_published_message_arrives_through_redis(leo, browser_of, settings) -> None:
    if not settings.REDIS_URL:
        pytest.skip("without Redis one process is all there is")
    assert not isinstance(get_channel_layer(), InMemoryChannelLayer)

    received = during(browser_of(leo), receive_published)

    assert all(message == {"text": "for us"} for message in received)


def test_a_rolled_back_message_is_not_published(leo, browser_of) -> None:
    def roll_back() -> None:
        with transaction.atomic():
            publish("room-1", {"text": "never happened"})
            transaction.set_rollback(True)

    async def story(socket: WebsocketCommunicator) -> list[Any]:
        in_thread(roll_back)
        return await receive_published(socket)

    # Tests that run beside this one may publish to the same topic of the same Redis.
    assert {"text": "never happened"} not in during(browser_of(leo), story)


def test_waking_refreshes_sockets_at_once(leo, browser_of, monkeypatch) -> None:
    monkeypatch.setattr(sockets, "REFRESH_EVERY", 60)
    monkeypatch.setattr(sockets, "REFRESH_GAP", 0.01)

    async def story(socket: WebsocketCommunicator) -> tuple[int, int, int]:
        before = await count_refreshes(1)
        in_thread(wake, "others")
        await asyncio.sleep(0.3)
        between = Room.refreshes
        in_thread(wake, "rooms")
        return before, between, await count_refreshes(2)

    assert during(browser_of(leo), story) == (1, 1, 2)


def test_a_policy_refuses_the_handshake_and_frees_the_place(leo, browser_of, monkeypatch) -> None:
    monkeypatch.setattr(sockets, "MAX_SOCKETS", 1)
    browser = browser_of(leo)

    async def story(socket: WebsocketCommunicator) -> str:
        return "open"

    monkeypatch.setattr(Room, "refused", True)
    assert during(browser, story) == "refused"
    monkeypatch.setattr(Room, "refused", False)
    assert during(browser, story) == "open"


@pytest.mark.timeout(60)
@pytest.mark.parametrize("turns", [0, 1, 2])
def test_the_hub_ends_with_its_loop_also_if_it_was_just_woken(leo, browser_of, monkeypatch, turns) -> None:
    browser = browser_of(leo)

    async def leave_without_a_word() -> None:
        socket = open_socket(browser)
        await socket.connect(timeout=30)
        await count_refreshes(1)
        await asyncio.sleep(0.2)
        sockets.current_hub().wake()
        for _ in range(turns):
            await asyncio.sleep(0)

    monkeypatch.setattr(sockets, "REFRESH_EVERY", 30)
    asyncio.run(leave_without_a_word())

    assert Room.refreshes


@pytest.mark.parametrize("text", ["no JSON", "[]", "3", "[" * 100_000])
def test_anything_but_an_object_closes_the_socket(leo, browser_of, text) -> None:
    async def story(socket: WebsocketCommunicator) -> int:
        await socket.send_to(text_data=text)
        return (await socket.receive_output(5))["code"]

    assert during(browser_of(leo), story) == BAD_MESSAGE


def test_an_object_is_handled(leo, browser_of) -> None:
    async def story(socket: WebsocketCommunicator) -> Any:
        await socket.send_json_to({"say": "hello"})
        return await socket.receive_json_from(30)

    assert during(browser_of(leo), story) == {"heard": {"say": "hello"}}


def test_a_browser_that_no_longer_reads_holds_up_nobody(leo, browser_of, monkeypatch) -> None:
    monkeypatch.setattr(sockets, "SEND_TIMEOUT", 1)
    browser, send, stuck = browser_of(leo), Room.send_json, []

    async def send_json(self: Room, content: Any, close: bool = False) -> None:
        if self in stuck:
            await asyncio.sleep(60)
        await send(self, content, close=close)

    async def refresh(all_sockets: list[Room]) -> None:
        for socket in all_sockets:
            await socket.send_quietly({"news": 1})

    async def story(first: WebsocketCommunicator) -> Any:
        stuck.extend(sockets.current_hub().sockets)
        second = open_socket(browser)
        await second.connect(timeout=30)
        monkeypatch.setattr(Room, "refresh", refresh)
        news = await second.receive_json_from(timeout=30)
        end = await first.receive_output(timeout=30)
        await second.disconnect()
        return news, end["type"]

    monkeypatch.setattr(Room, "send_json", send_json)

    assert during(browser, story) == ({"news": 1}, "websocket.close")


def test_a_flood_of_messages_closes_the_socket_and_a_new_one_has_no_new_budget(leo, browser_of, monkeypatch) -> None:
    monkeypatch.setattr(sockets, "MAX_MESSAGES_AT_ONCE", 3)
    monkeypatch.setattr(sockets, "MESSAGES_PER_SECOND", 0.001)
    browser, heard = browser_of(leo), []

    async def flood(socket: WebsocketCommunicator) -> Any:
        for number in range(5):
            await socket.send_json_to({"number": number})
        while True:
            answer = await socket.receive_output(5)
            if answer["type"] == "websocket.close":
                return answer["code"]
            heard.append(answer)

    async def twice(socket: WebsocketCommunicator) -> Any:
        first = await flood(socket)
        again = open_socket(browser)
        await again.connect(timeout=30)
        return first, await flood(again)

    assert during(browser, twice) == (TOO_MANY_MESSAGES, TOO_MANY_MESSAGES)
    assert len(heard) == 3


def test_a_long_message_closes_the_socket(leo, browser_of) -> None:
    async def story(socket: WebsocketCommunicator) -> Any:
        await socket.send_json_to({"answer": "x" * sockets.MAX_MESSAGE_LENGTH})
        return (await socket.receive_output(5))["code"]

    assert during(browser_of(leo), story) == BAD_MESSAGE
