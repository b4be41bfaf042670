"""Two people write each other while both have the conversation open."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

pytestmark = pytest.mark.e2e


def numbers(page: Page) -> list[str]:
    return page.locator("[data-number]").evaluate_all("all => all.map(one => one.dataset.number)")


def live_sockets(page: Page) -> list[WebSocketRoute]:
    """The sockets of the page to /ws/messages/ on which the server has said something."""
    speaking: list[WebSocketRoute] = []

    def pass_on(socket: WebSocketRoute) -> None:
        def heard(message: str | bytes) -> None:
            socket.send(message)
            if socket not in speaking:
                speaking.append(socket)

        socket.connect_to_server().on_message(heard)

    page.route_web_socket(re.compile(r"/ws/messages/"), pass_on)
    return speaking


def open_conversation(page: Page, inbox: str, name: str, sockets: list[WebSocketRoute]) -> None:
    """Open a conversation from the list, and wait for its socket."""
    page.goto(inbox)
    address = page.get_by_role("link", name=name).get_attribute("href")
    page.goto("about:blank")  # the socket of the list is closed
    sockets.clear()
    page.goto(str(address))
    wait_for_socket(page, sockets)


def wait_for_socket(page: Page, sockets: list[WebSocketRoute]) -> None:
    """Wait until the server has said something on a new socket."""
    for _ in range(500):
        if sockets:
            return
        page.wait_for_timeout(20)
    raise AssertionError("the socket did not open")


def write(page: Page, text: str) -> None:
    box = page.locator("[data-writebox] textarea")
    box.fill(text)
    box.press("Control+Enter")
    expect(box).to_have_value("")


def test_messages_arrive_are_read_and_are_complete_after_a_lost_connection(people) -> None:
    ines, amara = people("instructor"), people("student")
    sockets, others = live_sockets(ines), live_sockets(amara)
    open_conversation(ines, "/dashboard/instructor/messages/", "Amara Lindgren", sockets)
    open_conversation(amara, "/me/messages", "Ines Carrow", others)
    before = len(numbers(amara))

    amara.locator("[data-writebox] textarea").press_sequentially("One")
    expect(ines.locator("[data-writing]")).to_be_visible()
    write(amara, "One **more** question")
    expect(ines.locator(".say strong", has_text="more").last).to_be_visible()
    expect(ines.locator("[data-writing]")).to_be_hidden()
    expect(amara.locator(".say--me [data-read-mark]").last).to_have_class("is-read")

    sockets.pop().close()
    write(amara, "Two")
    write(amara, "Three")
    expect(ines.locator(".say", has_text="Three")).to_be_visible()
    write(ines, "Answered")
    expect(amara.locator(".say", has_text="Answered")).to_be_visible()
    wait_for_socket(ines, sockets)  # the page has connected again
    assert numbers(ines) == numbers(amara)
    assert len(set(numbers(ines))) == len(numbers(ines)) == before + 4
    amara.reload()
    assert len(numbers(amara)) == before + 4
