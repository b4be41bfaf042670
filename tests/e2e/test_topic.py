"""Two people on one topic: one loses the connection while the other continues, and both end with the same page."""

from __future__ import annotations

import uuid

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.looking import WIDE

pytestmark = pytest.mark.e2e

POSTS = """all => all.map(one => [one.id, one.querySelector("[data-post-body]")?.textContent.trim(),
  one.querySelector(".post__acts .num")?.firstChild.textContent, one.classList.contains("post--answer")])"""


def posts(page: Page) -> list[list[object]]:
    """The posts of a topic in their order: id, text, votes, whether it is the accepted answer."""
    return page.locator("[data-topic] .post").evaluate_all(POSTS)


def reply(page: Page, text: str) -> None:
    page.get_by_label("Your reply").fill(text)
    page.get_by_role("button", name="Post reply").click()
    expect(page.locator("[data-post-body]", has_text=text)).to_be_visible()


def test_a_topic_is_complete_after_a_lost_connection(people) -> None:
    amara, ines = people("student", viewport=WIDE), people("instructor", viewport=WIDE)
    amara.goto("/forum/new?board=linear-algebra-geometrically")
    amara.get_by_label("Title").fill(f"Which arrow stays? {uuid.uuid4().hex[:8]}")  # another one in each attempt
    expect(amara.get_by_role("heading", name="Possibly already answered")).to_be_visible()  # and nothing moves after it
    amara.get_by_label("Text", exact=True).fill("I see none.")
    amara.get_by_role("button", name="Post", exact=True).click()
    expect(amara.locator("[data-topic]")).to_be_visible()
    address = amara.url
    ines.goto(address)

    ines.get_by_label("Your reply").press_sequentially("The one along the floor", delay=100)  # at the pace of people
    expect(amara.locator("[data-writing]")).to_be_visible()
    reply(ines, "The one along the floor.")
    answer = amara.locator(".post", has=amara.get_by_text("The one along the floor.")).last
    expect(answer).to_be_visible()  # it came by itself
    expect(amara.locator("[data-writing]")).to_be_hidden()

    ines.context.set_offline(True)
    reply(amara, "I had not looked there.")
    amara.locator(".post [data-vote]").first.click()
    expect(amara.locator(".post [data-vote]").first).to_have_attribute("aria-pressed", "true")
    answer.get_by_label("More actions").click()
    answer.get_by_role("button", name="Accept as the answer").click()
    expect(amara.locator(".post--answer")).to_be_visible()
    amara.goto(f"{amara.locator('.post [data-share]').first.get_attribute('href')}/edit")
    amara.get_by_label("Text", exact=True).fill("I saw none before.")
    amara.get_by_role("button", name="Save").click()
    expect(amara.locator("[data-post-body]", has_text="I saw none before.")).to_be_visible()
    assert len(posts(ines)) == 2  # it was away indeed

    ines.context.set_offline(False)
    expect(ines.locator("[data-post-body]", has_text="I had not looked there.")).to_be_visible()
    expect(ines.locator("[data-post-body]", has_text="I saw none before.")).to_be_visible()
    expect(ines.locator(".post--answer")).to_be_visible()
    reply(amara, "Now I do.")
    expect(ines.locator("[data-post-body]", has_text="Now I do.")).to_be_visible()
    stayed = posts(ines)
    amara.goto(address)
    assert stayed == posts(amara)
    assert len({one[0] for one in stayed}) == len(stayed) == 4
    assert [one[2:] for one in stayed][1] == ["1", True]
