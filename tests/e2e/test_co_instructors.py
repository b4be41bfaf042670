"""People of a course from end to end: invited by email, given another role and share, removed while they work."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from email import message_from_bytes, policy
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, WebSocket, expect

from tests.e2e.conftest import PASSWORD, Site, code_mailed_to
from tests.e2e.looking import violations

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.timeout(300)]

DESK = {"width": 1440, "height": 900}
PHONE = {"width": 390, "height": 800}
NEW = "noor.new@school.example"


def mailed(site: Site, email: str, pattern: str) -> str:
    """What the pattern finds in the newest email to an address; waits for the worker to send it."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        folder = Path(site.env["DATA_DIR"]) / "mail"
        for file in sorted(folder.glob("[!.]*.eml"), key=lambda one: one.stat().st_mtime, reverse=True):
            message = message_from_bytes(file.read_bytes(), policy=policy.default)
            text = message.get_body(("plain",))
            if message["To"] == email and text and (found := re.search(pattern, text.get_content())):
                return found[0]
        time.sleep(0.2)
    raise AssertionError(f"{pattern} was not mailed to {email}")


def invite(owner: Page, slug: str, email: str, percent: str) -> None:
    owner.goto(f"/dashboard/instructor/courses/{slug}/people")
    owner.get_by_label("Email address").fill(email)
    owner.get_by_label("Share of your revenue in percent").last.fill(percent)
    owner.get_by_role("button", name="Send the invitation").click()
    expect(owner.locator(".crew__row").filter(has_text=email)).to_contain_text("waiting")


def row(owner: Page, name: str) -> Locator:
    return owner.locator(".crew__row").filter(has_text=name)


def change(owner: Page, name: str, role: str, percent: str) -> None:
    row(owner, name).locator("summary").click()
    row(owner, name).get_by_label("Role").select_option(label=role)
    row(owner, name).get_by_label("Share of your revenue in percent").fill(percent)
    row(owner, name).get_by_role("button", name="Save").click()
    expect(row(owner, name)).to_contain_text(f"Share: {percent}")


def test_a_co_instructor_is_invited_changed_and_removed_while_they_type(
    site: Site, people: Callable[..., Page], drafts: Iterator[str]
) -> None:
    address = next(drafts)
    slug = address.split("/")[4]
    owner = people("sorter", viewport=DESK)
    invite(owner, slug, "hanna.lindqvist@example.com", "25")
    assert violations(owner) == []

    hanna = people("hanna.lindqvist", viewport=DESK)
    hanna.goto(mailed(site, "hanna.lindqvist@example.com", r"/teach/[\w-]+"))
    assert violations(hanna) == []
    hanna.get_by_role("button", name="Accept").click()
    expect(hanna).to_have_url(re.compile(rf"/{slug}/edit"))

    owner.reload()
    change(owner, "Hanna", "Teach", "30")
    hanna.goto(address)
    expect(hanna.get_by_label("New section title")).to_have_count(0)
    change(owner, "Hanna", "Edit", "30")

    sockets: list[WebSocket] = []
    hanna.on("websocket", lambda one: sockets.append(one) if "/ws/studio/" in one.url else None)
    hanna.goto(address)
    hanna.locator("[data-list]").get_by_role("link", name="Spring").click()
    title = hanna.locator("#panel").get_by_label("Title")
    expect(title).to_have_value("Spring")
    title.fill("A spring")
    expect(hanna.locator("[data-saving]")).to_contain_text("Saved")
    owner.goto(address)
    expect(owner.locator("[data-list]").get_by_text("A spring", exact=True)).to_be_visible()

    owner.goto(f"/dashboard/instructor/courses/{slug}/people")
    row(owner, "Hanna").get_by_role("button", name="Remove").click()
    owner.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(row(owner, "Hanna")).to_have_count(0)
    expect(hanna.locator(".toast")).to_contain_text("You no longer work on this course")
    assert [one.is_closed() for one in sockets] == [True]
    title.fill("A spring that nobody should see")
    expect(hanna.locator("[data-saving]")).not_to_contain_text("Saved")
    expect(title).to_have_value("A spring that nobody should see")

    owner.goto(address)
    expect(owner.locator("[data-list]").get_by_text("A spring", exact=True)).to_be_visible()
    owner.get_by_label("New section title").fill("Rain")
    owner.keyboard.press("Enter")
    expect(owner.get_by_role("heading", name="Rain")).to_be_visible()
    expect(hanna.get_by_role("heading", name="Rain")).to_have_count(0)
    assert len(sockets) == 1, "it isn't opened again"
    hanna.goto(address)
    expect(hanna).not_to_have_url(re.compile(slug))


def test_somebody_without_an_account_joins_and_leaves(
    site: Site, people: Callable[..., Page], drafts: Iterator[str]
) -> None:
    slug = next(drafts).split("/")[4]
    owner = people("sorter", viewport=DESK)
    invite(owner, slug, NEW, "10")
    link = mailed(site, NEW, r"/teach/[\w-]+")
    page = people(viewport=PHONE, reduced_motion="reduce")
    page.goto(link)
    assert violations(page) == []
    page.get_by_role("link", name="Create an account").click()
    page.get_by_label("First name").fill("Noor")
    page.get_by_label("Last name").fill("New")
    page.get_by_label("Email").fill(NEW)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Confirm password").fill(PASSWORD)
    page.get_by_role("checkbox", name="I agree").check()
    page.get_by_role("button", name="Create account").click()
    page.get_by_label("Code").fill(code_mailed_to(site, NEW))
    page.get_by_role("button", name="Verify email").click()
    expect(page).to_have_url(re.compile(re.escape(link)))
    page.get_by_role("button", name="Accept").click()
    expect(page).to_have_url(re.compile("/settings/teaching"))
    owner.reload()
    expect(row(owner, "Noor New")).to_contain_text("their account isn't allowed to teach")


def test_a_course_changes_hands(people: Callable[..., Page], site: Site, drafts: Iterator[str]) -> None:
    slug = next(drafts).split("/")[4]
    owner = people("sorter", viewport=DESK)
    invite(owner, slug, "morag.sinclair@example.com", "50")
    morag = people("morag.sinclair", viewport=PHONE)
    morag.goto(mailed(site, "morag.sinclair@example.com", r"/teach/[\w-]+"))
    morag.get_by_role("button", name="Accept").click()
    owner.reload()
    row(owner, "Morag").locator("summary").click()
    row(owner, "Morag").get_by_role("button", name="Make instructor").click()
    owner.get_by_role("dialog").get_by_role("button", name="Give the course").click()
    expect(owner.get_by_text("The course is offered to Morag Sinclair").first).to_be_visible()
    morag.goto(f"/dashboard/instructor/courses/{slug}/people")
    assert violations(morag) == []
    assert morag.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    morag.get_by_role("button", name="Accept the course").click()
    expect(morag.get_by_text("You are the instructor of the course now.").first).to_be_visible()
    owner.reload()
    expect(owner.get_by_role("button", name="Send the invitation")).to_have_count(0)
    owner.get_by_role("button", name="Leave").click()
    owner.get_by_role("dialog").get_by_role("button", name="Leave").click()
    expect(owner).to_have_url(re.compile("/dashboard/instructor/courses/$"))
    owner.goto(f"/dashboard/instructor/courses/{slug}/people")
    expect(owner).not_to_have_url(re.compile(slug))
