"""A new account: sign-in by a provider, picture, password, two-factor sign-in, and live notifications."""

from __future__ import annotations

import time
from collections.abc import Iterator
from io import BytesIO
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from tests.accounts.authenticator import app_code
from tests.accounts.provider import honest, register_user
from tests.e2e.conftest import Site
from tests.e2e.looking import nothing_fails, violations

pytestmark = pytest.mark.e2e
PASSWORD = "QuietRiver26"


@pytest.fixture
def noor(site: Site) -> Iterator[str]:
    """The name of a user at an OpenID Connect provider; another one each time, so that the test can be repeated."""
    name = f"noor-{uuid4().hex[:8]}"
    with honest(port=urlsplit(site.env["OIDC_SCHOOL_ISSUER"]).port or 0) as issuer:
        email = f"{name}@school.example"
        register_user(issuer, name, email=email, email_verified=True, given_name="Noor", family_name="Haddad")
        yield name


def half_and_half() -> bytes:
    """An image twice as wide as high: left half red, right half blue."""
    image = Image.new("RGB", (400, 200), "red")
    image.paste("blue", (200, 0, 400, 200))
    out = BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def code(secret: str, later: int = 0) -> str:
    return app_code(secret, time.time() + 30 * later)


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def pixel(page: Page, selector: str) -> list[int]:
    """The color near the left edge of an image on the page."""
    return page.locator(selector).first.evaluate(
        """async (image) => {
          await image.decode();
          const canvas = Object.assign(document.createElement('canvas'), {width: 10, height: 10});
          canvas.getContext('2d').drawImage(image, 0, 0, 10, 10);
          return [...canvas.getContext('2d').getImageData(1, 5, 1, 1).data].slice(0, 3);
        }"""
    )


def test_first_day_of_an_account(people, noor: str, site: Site):
    page = people()
    page.goto("/auth/login")
    press(page, "Continue with Field School")

    # Sign in at the provider, return, accept the terms.
    page.locator("input[name=sub]").first.fill(noor)
    press(page, "Authorize")
    expect(page.get_by_role("heading", name="Create your account")).to_be_visible()
    assert page.url == f"{site.base}/auth/oauth/callback"
    assert violations(page) == []
    press(page, "Create account")
    expect(page.locator("[data-errors]")).to_contain_text("You must agree to the terms of service")
    page.get_by_role("checkbox").check()
    with nothing_fails(page):
        press(page, "Create account")
        expect(page).to_have_url(f"{site.base}/me/dashboard")

    # The other tab receives the notification, too.
    other = page.context.new_page()
    other.goto("/courses/")
    count = other.locator("[data-bell] [data-unread]").first
    expect(count).to_have_text("1")  # the welcome notification

    # Crop to the right half by keyboard.
    page.goto("/settings/")
    chosen = page.locator("input[name=picture]")
    chosen.set_input_files({"name": "me.png", "mimeType": "image/png", "buffer": half_and_half()})
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    expect(chosen).to_have_value("")  # so the same file can be chosen again
    chosen.set_input_files({"name": "me.png", "mimeType": "image/png", "buffer": half_and_half()})
    view = page.get_by_role("dialog").get_by_role("img")
    expect(view).to_be_focused()
    for _ in range(20):
        page.keyboard.press("ArrowRight")
    assert violations(page, "dialog") == []
    press(page, "Use this picture")
    expect(page.get_by_role("button", name="Remove", exact=True)).to_be_visible()
    red, _green, blue = pixel(page, ".portrait .avatar img")
    assert blue > 200 > 60 > red

    # The only sign-in method cannot be removed; with a password, it can.
    page.get_by_role("link", name="Linked accounts").click()
    press(page, "Unlink Field School")
    page.get_by_role("dialog").get_by_role("button", name="Unlink").click()
    expect(page.locator("[data-error=AUTH_LAST_SIGN_IN]")).to_be_visible()
    page.goto("/settings/#password")  # as links from when all sections were one page
    expect(page).to_have_url(f"{site.base}/settings/password")
    page.get_by_label("New password", exact=True).fill(PASSWORD)
    page.get_by_label("Confirm new password").fill(PASSWORD)
    press(page, "Set password")
    expect(page.get_by_text("Saved at")).to_be_visible()
    expect(count).to_have_text("2")
    page.get_by_role("link", name="Linked accounts").click()
    press(page, "Unlink Field School")
    page.get_by_role("dialog").get_by_role("button", name="Unlink").click()
    expect(page.get_by_role("button", name="Link Field School", exact=True)).to_be_visible()
    expect(count).to_have_text("3")

    # The authenticator app is the second step of the next sign-in.
    page.goto("/settings/security/app")
    secret = page.locator("#secret").inner_text().replace(" ", "")
    page.get_by_role("textbox", name="Code").fill(code(secret))
    press(page, "Turn on")
    expect(page.get_by_role("heading", name="Your recovery codes")).to_be_visible()
    expect(count).to_have_text("4")
    page.locator("summary[aria-label='Account menu']").click()
    press(page, "Sign out")
    expect(other.locator(".top__auth").get_by_role("link", name="Sign in")).to_be_visible()
    page.goto("/auth/login?next=/settings/")
    page.get_by_label("Email").fill(f"{noor}@school.example")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    press(page, "Sign in")
    expect(page.get_by_role("heading", name="One more step")).to_be_visible()
    page.get_by_role("textbox", name="Code").fill("000000")
    page.keyboard.press("Enter")
    expect(page.locator("[data-errors]")).to_be_visible()
    page.get_by_role("textbox", name="Code").fill(code(secret, later=1))  # the previous code turned it on
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{site.base}/settings/")
