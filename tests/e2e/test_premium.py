"""Premium in a real browser, with the stand-in's real processes: its clock moves, its webhooks travel to the site."""

from __future__ import annotations

import re
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from apps.billing.standin.keys import SECRET_KEY
from tests.e2e.conftest import Site
from tests.e2e.test_buying import GOOD, fill_card

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

COURSE = "essays-that-hold"
FAILS_LATER = "4000000000000341"  # can be saved, but no payment succeeds
Past = Callable[[int], None]


@pytest.fixture
def provider(site: Site) -> Iterator[Past]:
    """Set the provider's clock to so many days before the present; 0: to the present. What becomes due happens.

    The site's own clock can't be moved, so what takes days begins in the past.
    """

    site.manage("connect_payments")

    def go_back(days: int) -> None:
        address = f"http://127.0.0.1:{site.env['STANDIN_PORT']}/standin/clock"
        form = urllib.parse.urlencode({"moment": int(time.time()) - days * 86_400}).encode()
        call = urllib.request.Request(address, form, {"Authorization": f"Bearer {SECRET_KEY}"})
        urllib.request.urlopen(call, timeout=30).close()  # noqa: S310 (our own address)

    yield go_back
    go_back(0)


@pytest.fixture
def learner(people: Callable[..., Page], learners: Iterator[str]) -> Page:
    """A learner's browser at the page of a Premium course."""
    page = people(next(learners), viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    page.goto(f"/courses/{COURSE}")
    return page


def subscribe(page: Page, number: str) -> None:
    """From the course to the trial of monthly Premium, and back to the course."""
    page.get_by_role("link", name="See Premium").first.click()
    expect(page.get_by_text("“Essays That Hold” is one of them.")).to_be_visible()
    page.get_by_role("radio", name="Monthly").check()
    page.get_by_role("link", name="Try it for 7 days").click()
    expect(page.locator(".pay__total")).to_contain_text("$0.00")
    fill_card(page, number)
    page.get_by_label("I agree to the").check()
    page.get_by_role("button", name="Start 7 free days").click()
    page.get_by_role("button", name="Start learning").first.click()
    expect(page).to_have_url(re.compile(f"/learn/{COURSE}"))


def at_the_subscription(page: Page, says: str) -> None:
    """Open the subscription, again and again until the provider's events have arrived."""
    deadline = time.monotonic() + 60
    while True:
        page.goto("/billing/subscriptions")
        if says in page.locator(".bill__area").inner_text():
            return
        assert time.monotonic() < deadline, f"never: {says}"
        page.wait_for_timeout(300)


def complete_the_lesson(site: Site, page: Page) -> None:
    """Complete the lesson that was opened last, without the time that it takes to read it."""
    with site.database() as rows:
        last = "SELECT MAX(id) FROM learning_lessonprogress"
        rows.execute(f"UPDATE learning_lessonprogress SET completed_at = started_at WHERE id = ({last})")  # noqa: S608
        of = f"SELECT enrollment_id FROM learning_lessonprogress WHERE id = ({last})"  # noqa: S608
        rows.execute(f"UPDATE learning_enrollment SET completed_lessons = 1 WHERE id = ({of})")  # noqa: S608
    page.goto(f"/courses/{COURSE}")
    expect(page.get_by_text("1 of 6 lessons").first).to_be_visible()


def test_a_learner_subscribes_upgrades_cancels_and_resumes(learner: Page, provider: Past) -> None:
    provider(8)
    subscribe(learner, GOOD)
    at_the_subscription(learner, "Free trial until")
    provider(0)
    at_the_subscription(learner, "for $14.00, charged to the card ending 4242")

    learner.get_by_role("link", name="Change to yearly").click()
    due = learner.locator("dd.strong").inner_text()
    assert re.fullmatch(r"\$12\d\.\d\d", due)  # a year for $140 without what is left of a month for $14
    learner.get_by_role("button", name=f"Pay {due} and switch").click()
    expect(learner.get_by_text("You have changed to Premium, yearly.")).to_be_visible()
    expect(learner.get_by_text(re.compile(r"Renews on .* for \$140\.00"))).to_be_visible()

    learner.get_by_role("button", name="Cancel Premium").click()
    learner.get_by_role("dialog").get_by_role("button", name="Cancel Premium").click()
    expect(learner.get_by_text("You won't be charged again.")).to_be_visible()
    learner.get_by_role("button", name="Resume Premium").click()
    expect(learner.get_by_role("button", name="Cancel Premium")).to_be_visible()
    learner.goto("/billing/transactions")
    expect(learner.get_by_text(due)).to_be_visible()


@pytest.mark.long
def test_a_failed_renewal_keeps_premium_open_and_another_card_pays_it(learner: Page, provider: Past) -> None:
    provider(10)
    subscribe(learner, FAILS_LATER)
    provider(0)
    at_the_subscription(learner, "Your payment of $14.00 failed")
    learner.goto(f"/learn/{COURSE}/the-best-objection")
    expect(learner.get_by_role("heading", level=1)).to_have_text("The best objection")

    learner.goto("/billing/subscriptions")
    learner.get_by_role("link", name="Update card and pay now").click()
    learner.get_by_text("Another card").click()
    fill_card(learner, GOOD)
    learner.get_by_role("button", name="Pay $14.00").click()

    expect(learner.get_by_text(re.compile(r"Renews on .* charged to the card ending 4242"))).to_be_visible()


@pytest.mark.long
def test_a_course_closes_with_premium_keeps_its_progress_and_opens_again(
    site: Site, learner: Page, provider: Past
) -> None:
    provider(20)
    subscribe(learner, FAILS_LATER)
    complete_the_lesson(site, learner)
    provider(0)
    at_the_subscription(learner, "Premium ended on")

    learner.goto(f"/learn/{COURSE}/the-best-objection")
    expect(learner.get_by_text("Free content is still available.")).to_be_visible()
    learner.get_by_role("link", name="Renew").click()
    expect(learner.get_by_text("These courses reopen")).to_be_visible()
    learner.get_by_text("Another card").click()
    fill_card(learner, GOOD)
    learner.get_by_label("I agree to the").check()
    learner.get_by_role("button", name="Pay $14.00").click()

    expect(learner.get_by_text(re.compile(r"Renews on .* charged to the card ending 4242"))).to_be_visible()
    learner.goto(f"/courses/{COURSE}")
    expect(learner.get_by_text("1 of 6 lessons").first).to_be_visible()
