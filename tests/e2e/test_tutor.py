"""The tutor in the browser: from a question to the cited place, by keyboard, and after a lost connection."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.e2e

QUESTION = "Which arrows stay on their own line?"


def open_tutor(page: Page) -> None:
    """Open a new chat about one course. By default it is the course that was studied last, also in other tests."""
    page.goto("/chat/")
    page.get_by_role("combobox", name="Reading").select_option(label="Linear Algebra, Geometrically")


def ask(page: Page, question: str) -> None:
    field = page.get_by_role("textbox", name=re.compile("^Ask about"))
    field.fill(question)
    field.press("Enter")


def test_an_answer_is_read_out_and_leads_to_the_place_it_cites(people):
    page: Page = people("student")
    open_tutor(page)
    ask(page, QUESTION)
    asked = page.locator(".exchange").last
    expect(asked.get_by_role("heading", name=QUESTION)).to_be_visible()
    cited = asked.locator("a.cite").first
    expect(cited).to_be_visible(timeout=15_000)
    expect(page.get_by_role("log", name="The tutor's answer")).to_contain_text("Answer ready")
    expect(page).to_have_url(re.compile(r"/chat/\?c=[0-9a-f-]{36}$"))
    expect(page.get_by_role("textbox", name=re.compile("^Ask about"))).to_be_focused()

    address = cited.get_attribute("href") or ""
    cited.focus()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(re.escape(address.split("?")[0])))


@pytest.mark.long
def test_a_chat_is_renamed_deleted_and_brought_back(people):
    page: Page = people("student")
    open_tutor(page)
    ask(page, "What does a shear do to a square?")
    expect(page.get_by_role("button", name="Copy answer").last).to_be_visible(timeout=15_000)
    rail = page.get_by_role("navigation", name="Chats")
    rail.get_by_role("button", name=re.compile("^More actions for")).first.click()
    page.get_by_role("menuitem", name="Rename").click()
    page.get_by_role("textbox", name="Name of the chat").fill("Shears")
    page.keyboard.press("Enter")
    expect(rail.get_by_role("link", name="Shears", exact=True)).to_be_visible()

    rail.get_by_role("button", name="More actions for Shears").click()
    page.get_by_role("menuitem", name="Delete").click()
    expect(rail.get_by_role("link", name="Shears", exact=True)).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(rail.get_by_role("link", name="Shears", exact=True)).to_be_visible()
    rail.get_by_role("button", name="More actions for Shears").click()
    page.get_by_role("menuitem", name="Delete").click()
    expect(rail.get_by_role("link", name="Shears", exact=True)).to_have_count(0)


@pytest.mark.long
def test_an_answer_arrives_without_websockets(people):
    page: Page = people("student")
    page.route_web_socket("**/ws/tutor/", lambda socket: socket.close())
    open_tutor(page)
    ask(page, QUESTION)
    expect(page.locator(".exchange").last.locator("a.cite").first).to_be_visible(timeout=30_000)
