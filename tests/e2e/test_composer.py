"""Writing in the discussions: nothing typed is lost, and what is posted looks like its preview."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.looking import WIDE, until, violations

pytestmark = pytest.mark.e2e

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000"
    "000c49444154789c63f8cfc0000003010100c9fe92ef0000000049454e44ae426082"
)


def scripts_of(page: Page) -> set[str]:
    return {
        address
        for address in page.evaluate("performance.getEntriesByType('resource').map((one) => one.name)")
        if address.endswith(".js")
    }


def test_a_topic_and_a_reply_are_written(people):
    page = people("student", viewport=WIDE)
    page.goto("/forum/new")
    page.get_by_label("Title").fill("Why does a slant keep only one line?")
    text = page.get_by_label("Text", exact=True)
    expect(page.get_by_role("toolbar", name="Formatting")).to_be_visible()
    text.fill("The **slant** keeps $v$:\n\n```python\nw = A @ v\n```\n")
    page.get_by_role("button", name="Both").click()
    preview = page.get_by_role("region", name="Preview")
    expect(preview.locator(".tok-k, .tok-n, code").first).to_be_visible()
    shown = preview.locator(".composer__html").inner_html()
    assert violations(page) == []
    page.get_by_role("button", name="Post", exact=True).click()

    expect(page.get_by_role("heading", level=1)).to_have_text("Why does a slant keep only one line?")
    assert page.locator("[data-post-body]").first.inner_html() == shown
    page.wait_for_load_state("networkidle")
    before = scripts_of(page)
    reply = page.get_by_label("Your reply")
    reply.press_sequentially("Typed before", delay=0)  # and before the composer is there
    expect(page.get_by_role("toolbar", name="Formatting")).to_be_visible()
    assert len(scripts_of(page)) > len(before)
    reply.press_sequentially(" and after. ")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Image or file").click()
    chooser.value.set_files({"name": "my slant.png", "mimeType": "image/png", "buffer": PNG})
    expect(reply).to_have_value(re.compile("/forum/images/"))
    expect(page.get_by_text("Draft saved")).to_be_visible()

    page.reload()  # the draft is shown without a touch
    expect(page.get_by_text("restored")).to_be_visible()
    assert reply.input_value().startswith("Typed before and after. ![my slant.png](/forum/images/")
    reply.press("Control+Enter")

    image = page.locator("[data-post-body] img")
    expect(image).to_have_attribute("alt", "my slant.png")
    until(page, "document.querySelector('[data-post-body] img').naturalWidth === 1")
    expect(page.get_by_label("Your reply")).to_have_value("")
    assert page.evaluate("Object.keys(localStorage).filter((one) => one.startsWith('study.draft'))") == []
