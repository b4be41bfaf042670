"""A review is written, changed, deleted and restored; others vote for reviews, report them and reply."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

pytestmark = [pytest.mark.e2e, pytest.mark.long]

COURSE = "/courses/linear-algebra-geometrically/reviews"


def write(page: Page, stars: int, text: str) -> None:
    page.goto(COURSE)
    page.get_by_role("radio", name=re.compile(f"^{stars} star")).check(force=True)  # the star covers it
    page.get_by_label("In your own words").fill(text)
    page.get_by_role("button", name=re.compile("Publish review|Save changes")).click()
    expect(page.get_by_role("status").filter(has_text="Your review is saved.").first).to_be_visible()


def with_text(page: Page, text: str) -> Locator:
    return page.locator("li.rev").filter(has_text=text)


def test_a_review_is_written_changed_answered_and_restored(people) -> None:
    amara, ines = people("student"), people("instructor")
    write(amara, 4, "The pictures helped.")
    write(amara, 5, "The pictures helped me a lot.")
    amara.goto(f"{COURSE}?sort=newest")
    mine = with_text(amara, "The pictures helped me a lot.")
    expect(mine).to_have_count(1)
    expect(with_text(amara, "The pictures helped.")).to_have_count(0)
    expect(mine.get_by_role("link", name="Report")).to_have_count(0)

    ines.goto(f"{COURSE}?sort=newest")
    theirs = with_text(ines, "The pictures helped me a lot.")
    theirs.locator("summary").click()
    theirs.get_by_label("Your public reply").fill("Thank you for telling us.")
    theirs.get_by_role("button", name=re.compile("Publish reply|Save reply")).click()
    expect(with_text(ines, "The pictures helped me a lot.")).to_contain_text("Thank you for telling us.")
    expect(ines.get_by_role("button", name="Helpful")).to_have_count(0)

    amara.reload()
    expect(with_text(amara, "The pictures helped me a lot.")).to_contain_text("Thank you for telling us.")
    amara.get_by_role("button", name="Delete my review").click()
    expect(amara.get_by_text("Your review is deleted")).to_be_visible()
    expect(with_text(amara, "The pictures helped me a lot.")).to_have_count(0)
    amara.get_by_role("button", name="Undo").click()
    expect(amara.get_by_role("button", name="Save changes")).to_be_visible()


def test_reviews_of_others_are_found_helpful_and_reported(people) -> None:
    amara, admin = people("student"), people("admin")
    amara.goto(COURSE)
    other = amara.locator("li.rev").filter(has=amara.get_by_role("link", name="Report")).first
    name = other.get_attribute("id")
    other = amara.locator(f"#{name}")
    vote = other.get_by_role("button", name="Helpful")
    if vote.get_attribute("aria-pressed") == "true":  # of an earlier run
        vote.click()
        expect(vote).to_have_attribute("aria-pressed", "false")
    before = int(str(vote.locator(".num").text_content()).split()[0].replace(",", ""))
    vote.focus()
    amara.keyboard.press("Enter")
    expect(vote).to_have_attribute("aria-pressed", "true")
    expect(vote.locator(".num")).to_contain_text(f"{before + 1:,}")

    other.get_by_role("link", name="Report").click()
    amara.get_by_role("button", name="Send report").click()
    expect(amara.get_by_text("Choose a reason.").first).to_be_visible()
    amara.get_by_label("Isn't about the course").check()
    amara.get_by_label("Anything to add?").fill("It is about another course.")
    amara.get_by_role("button", name="Send report").click()
    expect(amara.get_by_text("Thank you. An admin will read this review.")).to_be_visible()

    admin.goto("/dashboard/admin/forum?tab=ratings")
    said = admin.get_by_text("It is about another course.")
    if said.count():  # a second report of the same text, in another run, reaches nobody
        case = admin.locator("section.panel").filter(has=said)
        case.get_by_role("button", name=re.compile("Keep")).click()
        expect(said).to_have_count(0)
