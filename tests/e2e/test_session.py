"""Sessions across browser tabs and the server."""

from __future__ import annotations

import base64
import json
import time

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import PASSWORD
from tests.e2e.looking import until

pytestmark = pytest.mark.e2e

STORED = "JSON.parse(localStorage.getItem('study.auth'))"
# A well-formed token that expired long ago.
PARTS = (b"{}", b'{"exp": 1700000000}', b"x")
EXPIRED = ".".join(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in PARTS)


def sign_in(page: Page, name: str = "student", address: str = "/auth/login") -> None:
    """A separate session: the shared ones must not end."""
    page.goto(address)
    page.get_by_label("Email").fill(f"{name}@example.com")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.locator("summary[aria-label='Account menu']")).to_be_visible()
    until(page, STORED)


def sign_out(page: Page) -> None:
    page.locator("summary[aria-label='Account menu']").click()
    page.get_by_role("button", name="Sign out").click()
    expect(page.locator(".top__auth").get_by_role("link", name="Sign in")).to_be_visible()


def keep_token(page: Page, token: str) -> None:
    page.evaluate(
        """token => {
          const { user } = JSON.parse(localStorage.getItem('study.auth'));
          localStorage.setItem('study.auth', JSON.stringify({ user, token }));
        }""",
        token,
    )


def test_sign_in_stores_the_user_and_a_token(people):
    page = people()
    page.goto("/")
    assert page.evaluate(STORED) is None

    sign_in(page, address="/auth/login?next=/courses/")

    expect(page).to_have_url("/courses/")
    stored = page.evaluate(STORED)
    assert set(stored) == {"user", "token"}
    assert stored["user"]["email"] == "student@example.com"
    assert stored["user"]["role"] == "student"
    payload = stored["token"].split(".")[1]
    left = json.loads(base64.urlsafe_b64decode(payload + "==="))["exp"] - time.time()
    assert 60 < left <= 15 * 60


def test_sign_out_applies_to_every_tab_and_the_server(people):
    page = people()
    sign_in(page)
    other = page.context.new_page()
    other.goto("/courses/")
    expect(other.locator("summary[aria-label='Account menu']")).to_be_visible()
    token = page.evaluate(STORED)["token"]
    stranger = people().request

    bearer = {"Authorization": f"Bearer {token}"}
    assert stranger.get("/api/v1/auth/session/", headers=bearer).status == 200
    page.evaluate("addEventListener('auth:logout', () => localStorage.setItem('heard', 'yes'))")

    sign_out(page)

    expect(other.locator(".top__auth").get_by_role("link", name="Sign in")).to_be_visible()
    expect(other).to_have_url("/courses/")
    assert page.evaluate("localStorage.getItem('heard')") == "yes"
    assert other.evaluate(STORED) is None
    assert stranger.get("/api/v1/auth/session/", headers=bearer).status == 401


@pytest.mark.long
def test_signed_out_event_ends_the_session_of_the_page(people):
    page = people()
    sign_in(page)

    page.evaluate("dispatchEvent(new Event('auth:logout'))")

    assert page.evaluate(STORED) is None


@pytest.mark.long
def test_page_after_signing_out_leads_to_sign_in_and_back(people):
    page = people()
    sign_in(page)
    other = page.context.new_page()
    other.goto("/me/enrollments")
    expect(other.get_by_role("heading", level=1)).to_be_visible()

    sign_out(page)

    expect(other).to_have_url("/auth/login?next=/me/enrollments")


@pytest.mark.long
def test_sign_in_reaches_other_tabs(people):
    page = people()
    other = page.context.new_page()
    other.goto("/courses/")

    sign_in(page)

    expect(other.locator("summary[aria-label='Account menu']")).to_be_visible()
    expect(other).to_have_url("/courses/")


@pytest.mark.long
def test_other_tab_keeps_typed_text_and_offers_a_reload(people):
    page = people()
    other = page.context.new_page()
    other.goto("/auth/register")
    other.get_by_label("First name").press_sequentially("Ada")

    sign_in(page)

    expect(other.get_by_text("You're now signed in.")).to_be_visible()
    expect(other.get_by_label("First name")).to_have_value("Ada")
    other.get_by_role("button", name="Reload page").click()
    expect(other.locator("summary[aria-label='Account menu']")).to_be_visible()


def test_expired_token_is_renewed_while_the_session_lasts(people):
    page = people()
    sign_in(page)
    keep_token(page, EXPIRED)

    page.goto("/courses/")

    until(page, f"{STORED} && {STORED}.token !== '{EXPIRED}'")
    expect(page.locator("summary[aria-label='Account menu']")).to_be_visible()
    bearer = f"Bearer {page.evaluate(STORED)['token']}"
    assert people().request.get("/api/v1/auth/session/", headers={"Authorization": bearer}).status == 200


@pytest.mark.long
@pytest.mark.parametrize("token", [EXPIRED, "not-a-token", None], ids=["expired", "broken", "valid"])
def test_stored_user_is_cleared_without_the_session_cookie(people, token: str | None):
    page = people()
    sign_in(page)
    if token:
        keep_token(page, token)
    page.context.clear_cookies()

    page.goto("/courses/")

    until(page, "localStorage.getItem('study.auth') === null")
    expect(page.locator(".top__auth").get_by_role("link", name="Sign in")).to_be_visible()


@pytest.mark.long
def test_stored_data_signs_nobody_in(people):
    page = people()
    page.add_init_script('localStorage[\'study.auth\'] = \'{"user": {"role": "admin"}, "token": "a.e30.c"}\'')

    page.goto("/dashboard/admin/")

    expect(page).to_have_url("/auth/login?next=/dashboard/admin/")
