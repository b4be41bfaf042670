"""Test the audit itself: which faults it must find, and what is no fault."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from tests.e2e.looking import NARROW, nothing_fails, sticking_out, violations, violations_in_all_looks

pytestmark = [pytest.mark.e2e, pytest.mark.long]

DROP = """address => {
  const way = new AbortController();
  setTimeout(() => way.abort(), 50);
  return fetch(address, {signal: way.signal}).catch(() => undefined);
}"""


@pytest.fixture
def page(people) -> Page:
    """The home page, where requests to some addresses never end."""
    page: Page = people(viewport=NARROW, reduced_motion="reduce")
    page.goto("/")
    page.route("**/*silent*", lambda route: None)
    return page


@pytest.mark.parametrize(
    ("fault", "seen"),
    [
        (f"({DROP})('/silent')", "failed: .*/silent net::ERR_ABORTED"),
        ("fetch('/no/such/thing')", "404 .*/no/such/thing"),
        ("console.error('Ouch')", "console: Ouch"),
        ("new Promise((done) => setTimeout(() => { setTimeout(done); throw new Error('Oh') }))", "script: Oh"),
    ],
    ids=["a dropped call", "a missing address", "a word on the console", "an error"],
)
def test_audit_finds_a_fault(page: Page, fault: str, seen: str):
    with pytest.raises(AssertionError, match=seen), nothing_fails(page):  # noqa: PT012
        page.evaluate(fault)
        page.wait_for_timeout(50)


@pytest.mark.parametrize("address", ["/media/v/token/silent.m4s", "/static/favicons/silent.svg"])
def test_canceled_video_and_favicon_requests_are_allowed(page: Page, address: str):
    with nothing_fails(page), page.expect_event("requestfailed"):
        page.evaluate(DROP, address)


def test_audit_ignores_earlier_requests(page: Page):
    with page.expect_event("request"):
        page.evaluate("window.way = new AbortController(); void fetch('/silent', {signal: way.signal}).catch(() => {})")
    with nothing_fails(page), page.expect_event("requestfailed"):
        page.evaluate("way.abort()")


def test_audit_names_axe_violations(page: Page):
    assert violations(page) == []
    page.evaluate("document.querySelector('main').insertAdjacentHTML('afterbegin', '<button id=nameless></button>')")

    assert [one.split()[0] for one in violations(page)] == ["button-name"]
    assert violations(page, "footer") == []


@pytest.mark.parametrize("look", ["light-academic", "dark-academic", "light-corporate", "dark-corporate"])
def test_audit_names_poor_contrast_in_a_single_look(page: Page, look: str):
    theme, style = look.split("-")
    page.evaluate(
        """([theme, style]) => {
          const sheet = new CSSStyleSheet();
          sheet.replaceSync(`html.theme-${theme}.style-${style} #faint { color: #777; background: #888 }`);
          document.adoptedStyleSheets.push(sheet);
          document.querySelector('main').insertAdjacentHTML('afterbegin', '<p id="faint">Who can read this?</p>');
        }""",
        [theme, style],
    )

    (found,) = violations_in_all_looks(page, "#faint")
    assert found.startswith(f"{look}: color-contrast")


def test_audit_names_elements_that_overflow(page: Page):
    assert sticking_out(page) == []
    page.evaluate(
        """() => {
          const wide = document.createElement('p');
          wide.className = 'wide';
          wide.style.width = '500px';
          wide.textContent = 'Too wide';
          document.querySelector('main').append(wide);
        }"""
    )

    assert "academic: P.wide sticks out at 320" in sticking_out(page)
