"""The home of instructors as somebody opens it in the morning: by keyboard, and on a phone."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

pytestmark = [pytest.mark.e2e, pytest.mark.long]

HOME = "/dashboard/instructor/"


def test_what_waits_is_reached_by_keyboard(people) -> None:
    page = people("instructor", viewport={"width": 1440, "height": 1000}, reduced_motion="reduce")
    page.goto(HOME)
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile("Good (morning|afternoon|evening), Ines"))
    waiting = page.locator("section", has=page.get_by_role("heading", name="Needs attention"))
    answer = waiting.get_by_role("link", name=re.compile("unanswered question"))

    answer.focus()
    page.keyboard.press("Enter")

    expect(page).to_have_url(re.compile(r"/dashboard/instructor/forum\?tab=unanswered"))
    page.go_back()
    page.get_by_text("How health is decided").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("done nothing new for 14 days")).to_be_visible()
    health = page.get_by_role("region", name="Courses and how they are doing")
    expect(health.get_by_role("row", name=re.compile("Linear Algebra, Geometrically"))).to_contain_text("weak lesson")


def test_the_home_fits_a_phone(people) -> None:
    page = people("instructor", viewport={"width": 390, "height": 844}, reduced_motion="reduce")
    page.goto(HOME)

    expect(page.get_by_role("heading", name="Milestones")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_two_overviews_have_two_names(people) -> None:
    page = people("admin", viewport={"width": 1440, "height": 1000}, reduced_motion="reduce")
    page.goto("/dashboard/admin/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Site overview")
    expect(page.get_by_role("columnheader", name="Done")).to_have_count(0)

    page.get_by_role("navigation", name="Dashboard").get_by_role("link", name="Instructor overview").click()

    expect(page).to_have_title(re.compile("^Instructor overview"))
