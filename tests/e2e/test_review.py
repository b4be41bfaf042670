"""Comments on a course from end to end: a reviewer and an outside expert write beside a video that plays on."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.looking import violations

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.timeout(300)]

COURSE, LESSON = "linear-algebra-geometrically", "a-matrix-moves-the-plane"
DESK = {"width": 1440, "height": 900}
PHONE = {"width": 320, "height": 800}


def second(page: Page) -> float:
    return float(page.evaluate("document.querySelector('video')?.currentTime ?? 0"))


def play(page: Page) -> None:
    page.get_by_role("button", name="Play", exact=True).first.click()
    wait_for_second(page, 2)


def wait_for_second(page: Page, least: float) -> None:
    """Wait until the video has played so far. The page's policy forbids `wait_for_function`."""
    for _ in range(240):
        if second(page) > least:
            return
        page.wait_for_timeout(250)
    raise AssertionError(f"the video stays at {second(page)}")


def test_a_reviewer_an_author_and_an_expert_talk_about_a_second(people: Callable[..., Page]) -> None:
    admin = people("admin", viewport=DESK, reduced_motion="reduce")
    admin.goto(f"/dashboard/admin/courses/{COURSE}/review?lesson={LESSON}")
    admin.evaluate("document.body.dataset.same = 'page'")
    play(admin)
    text = admin.get_by_role("textbox", name="Comment on 1.1")
    text.focus()
    expect(admin.get_by_label("At", exact=True)).to_have_value(re.compile(r"^0:\d\d$"))
    text.press_sequentially("jk: the arrow is missing. @nobody")
    before = second(admin)
    admin.get_by_role("button", name="Add comment").first.click()
    thread = admin.locator(".rthread").filter(has_text="the arrow is missing")
    expect(thread).to_be_focused()
    expect(admin.locator(".toast")).to_contain_text("@nobody")
    wait_for_second(admin, before)
    assert admin.evaluate("document.body.dataset.same") == "page"
    admin.keyboard.press("k")
    assert admin.locator("[data-review-step]:focus").count() == 1, "the keys belong to the review, not to the player"
    text.fill("")
    text.evaluate("(field) => field.removeAttribute('required')")
    admin.get_by_role("button", name="Add comment").first.click()
    expect(admin.locator("form [data-errors]")).to_contain_text("Write a comment.")
    assert not violations(admin)

    admin.goto(f"/dashboard/instructor/courses/{COURSE}/review/links")
    admin.get_by_label("For whom").fill("Prof. Mori")
    admin.get_by_role("button", name="Make a link").click()
    address = admin.locator("#made-link").inner_text()
    assert not violations(admin)

    expert = people(viewport=PHONE, reduced_motion="reduce")
    expert.goto(address)
    assert not violations(expert)
    expert.get_by_label("Your name").fill("Aki Mori")
    expert.keyboard.press("Enter")
    expect(expert.get_by_role("heading", level=1)).to_have_text("Linear Algebra, Geometrically")
    expert.goto(f"{address}?lesson={LESSON}")
    play(expert)
    expert.get_by_role("textbox", name="Comment on 1.1").fill("Say what a column is.")
    expert.get_by_role("button", name="Add comment").first.click()
    mine = expert.locator(".rthread").filter(has_text="Say what a column is.")
    expect(mine).to_be_focused()
    expect(mine).to_contain_text("Aki Mori, outside expert")
    expect(expert.locator(".rthread").filter(has_text="the arrow is missing")).to_have_count(0)
    assert expert.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]

    author = people("instructor", viewport=DESK)
    author.goto(f"/dashboard/instructor/courses/{COURSE}/review")
    asked = author.locator(".rthread").filter(has_text="Say what a column is.")
    asked.locator("summary").filter(has_text="Reply").click()
    asked.get_by_label("Your answer").fill("At 0:09 now.")
    asked.get_by_role("button", name="Answer").click()
    expect(asked).to_contain_text("At 0:09 now.")
    asked.get_by_role("button", name=re.compile("^Resolve")).click()
    expect(asked).to_have_count(0)  # it left the open ones
    author.goto(f"/dashboard/instructor/courses/{COURSE}/review?state=resolved")
    expect(author.locator(".rthread").filter(has_text="Say what a column is.")).to_contain_text("Resolved by")

    admin.reload()
    admin.get_by_role("button", name=re.compile("^Revoke")).click()
    admin.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    expect(admin.get_by_text("Revoked")).to_be_visible()
    expert.reload()
    expect(expert.get_by_role("heading", name="This link doesn't work")).to_be_visible()
