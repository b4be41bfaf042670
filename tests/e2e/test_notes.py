"""Notes beside a video: two devices, a lost connection, a page that dies."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, Response, ViewportSize, expect

from tests.e2e.looking import until
from tests.e2e.prepare import SHORT

pytestmark = [pytest.mark.e2e, pytest.mark.long]

FIRST = f"/learn/{SHORT}/the-first"
PHONE = ViewportSize(width=390, height=844)


def open_notes(page: Page) -> Locator:
    """Press T, as on a keyboard; returns the field of a new note."""
    page.keyboard.press("t")
    field = page.get_by_label(re.compile("^(New note|Note at )")).and_(page.locator("textarea"))
    expect(field).to_be_visible()
    return field


def is_save(answer: Response) -> bool:
    return "/notes/" in answer.url and answer.request.method == "PUT" and answer.ok


def note_of(page: Page) -> Locator:
    return page.locator(".line__note")


def test_notes_of_two_devices_merge_without_loss(people, learners):
    name = next(learners)
    phone, laptop = people(name, viewport=PHONE), people(name)
    phone.goto(FIRST)
    field = open_notes(phone)
    with phone.expect_response(is_save):
        field.fill("Seen by both.")
        field.press("Control+Enter")
    laptop.goto(FIRST)
    open_notes(laptop)
    expect(note_of(laptop)).to_contain_text("Seen by both.")

    for page in (phone, laptop):
        note_of(page).get_by_role("button", name="Edit").click()
    for page, text in ((phone, "Written on the phone."), (laptop, "Written on the laptop.")):
        with page.expect_response(is_save):
            page.get_by_label("Note", exact=True).fill(text)
            page.get_by_role("button", name="Done").click()

    for page in (phone, laptop):
        page.reload()
        open_notes(page)
        expect(note_of(page)).to_have_count(1)
        for text in ("Written on the phone.", "Written on the laptop."):
            expect(note_of(page)).to_contain_text(text)
        expect(note_of(page)).not_to_contain_text("Seen by both.")


def test_a_note_survives_a_lost_connection_and_the_end_of_its_page(people, learners):
    page = people(next(learners))
    context = page.context
    page.goto(FIRST)
    field = open_notes(page)
    expect(page.locator(".player__line").get_by_text("Saved", exact=True)).to_be_visible()
    context.set_offline(True)
    field.press_sequentially("Not sent yet")
    until(page, "Object.values(localStorage).some((value) => value.includes('Not sent yet'))")
    page.close()  # before anything could be sent
    context.set_offline(False)

    again = context.new_page()
    with again.expect_response(is_save):
        again.goto(FIRST)
        open_notes(again)
    expect(note_of(again)).to_contain_text("Not sent yet")
    until(again, "!Object.values(localStorage).some((value) => value.includes('Not sent yet'))")
