"""The offline page of the service worker replaces the browser's error page."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import expect

from tests.e2e.looking import WIDE, until, violations

pytestmark = pytest.mark.e2e
NOT_IN_TEST_BROWSERS = {"in-incognito"}
"""Their profiles are private windows, in which nothing can be installed."""
SIZE_OF_PICTURE = """async (address) => {
  const picture = new Image();
  picture.src = address;
  await picture.decode();
  return `${picture.naturalWidth}x${picture.naturalHeight}`;
}"""


def test_offline_page_opens_the_requested_page_when_back_online(people):
    page = people("student", viewport=WIDE, service_workers="allow")
    page.goto("/")
    until(page, "navigator.serviceWorker.controller !== null")

    page.context.set_offline(True)
    page.goto("/courses/")
    expect(page.get_by_role("heading", name="This page needs a connection")).to_be_visible()
    expect(page.get_by_role("status").first).to_contain_text("You've been offline since")
    expect(page).to_have_url("/courses/")
    assert page.evaluate("document.styleSheets[0].cssRules.length > 5")
    assert page.evaluate("localStorage.getItem('study.auth') !== null")  # the user is still signed in
    assert "amara" not in page.content().lower()  # and the page names nobody
    assert violations(page) == []

    page.context.set_offline(False)
    expect(page.get_by_role("heading", name="Courses", level=1)).to_be_visible()

    page.context.set_offline(True)
    page.goto("/offline")
    expect(page.get_by_role("heading", name="On this device")).to_be_visible()
    expect(page.get_by_role("heading", name="Nothing downloaded yet")).to_be_visible()
    assert violations(page) == []
    page.context.set_offline(False)


@pytest.mark.long
def test_pages_are_prefetched_through_the_service_worker(people):
    page = people(viewport=WIDE, service_workers="allow")
    page.goto("/")
    until(page, "navigator.serviceWorker.controller !== null")
    page.reload()  # answered by the service worker
    link = page.get_by_role("banner").get_by_role("link", name="Get started")
    with page.context.expect_event("request", lambda request: request.url.endswith("/auth/register")) as asked:
        link.hover()
    asked.value.response().finished()

    link.click()

    expect(page).to_have_url("/auth/register")
    assert page.evaluate("performance.getEntriesByType('navigation')[0].deliveryType") == "navigational-prefetch"


@pytest.mark.long
def test_the_site_can_be_installed_as_an_app(people):
    page = people("student", viewport=WIDE, service_workers="allow")
    page.goto("/")
    until(page, "navigator.serviceWorker.controller !== null")
    session = page.context.new_cdp_session(page)

    found = session.send("Page.getAppManifest")
    assert found["errors"] == []
    manifest = json.loads(found["data"])
    for one in (*manifest["icons"], *manifest["screenshots"]):
        assert page.evaluate(SIZE_OF_PICTURE, one["src"]) == one["sizes"]
    refused = session.send("Page.getInstallabilityErrors")["installabilityErrors"]
    assert [one["errorId"] for one in refused if one["errorId"] not in NOT_IN_TEST_BROWSERS] == []
    for address in (manifest["start_url"], *(one["url"] for one in manifest["shortcuts"])):
        page.context.set_offline(True)
        page.goto(address)
        expect(page.get_by_role("heading", level=1)).to_be_visible()  # of ours, and not the browser's error page
        page.context.set_offline(False)
