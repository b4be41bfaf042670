"""Passkeys in Chromium with its virtual authenticator: add, sign in, second step, remove."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, CDPSession, Page, expect

from tests.e2e.conftest import PASSWORD, Site
from tests.e2e.looking import violations

pytestmark = pytest.mark.e2e


@pytest.fixture
def home(site: Site) -> str:
    """The copy's address with a host name: browsers accept no passkeys at an IP address."""
    return site.base.replace("127.0.0.1", "localhost")


@pytest.fixture
def email(owners: Iterator[str]) -> str:
    return next(owners)


@pytest.fixture
def page(browser: Browser, home: str) -> Iterator[Page]:
    context = browser.new_context(base_url=home)
    yield context.new_page()
    context.close()


@pytest.fixture
def device(page: Page) -> CDPSession:
    """A virtual authenticator in the page's browser that verifies its owner. Pages say when they ask it."""
    page.add_init_script(
        """if ("credentials" in navigator) {
          const get = navigator.credentials.get.bind(navigator.credentials);
          navigator.credentials.get = (options) => {
            const found = get(options);
            document.documentElement.dataset.asked = options.mediation ?? "";
            return found;
          };
        }"""
    )
    session = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    return session


def plug_in(device: CDPSession, *, verifies: bool = True) -> str:
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": verifies,
        "automaticPresenceSimulation": True,
    }
    key: str = device.send("WebAuthn.addVirtualAuthenticator", {"options": options})["authenticatorId"]
    return key


def sign_in_again(page: Page, email: str) -> None:
    page.goto("/auth/login")
    page.get_by_label("Email").fill(email)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()


def account(page: Page):
    return page.locator("summary[aria-label='Account menu']")


def ends(page: Page) -> float:
    """When the session cookie expires; -1: with the browser."""
    return next(one["expires"] for one in page.context.cookies() if one["name"] == "sessionid")


def sign_out(page: Page) -> None:
    account(page).click()
    page.get_by_role("button", name="Sign out").click()
    expect(page.locator(".top__auth").get_by_role("link", name="Sign in")).to_be_visible()


def test_passkey_is_added_and_used(page: Page, device: CDPSession, home: str, email: str) -> None:
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if "Content Security" in message.text else None)
    key = plug_in(device)
    sign_in_again(page, email)
    expect(account(page)).to_be_visible()

    page.goto("/settings/security/passkeys/new")
    assert violations(page) == []
    page.get_by_label("Name").fill("Pia's laptop")
    page.get_by_role("button", name="Create passkey").click()
    expect(page.get_by_role("heading", name="Your recovery codes")).to_be_visible()
    assert page.locator("#codes li").count() == 10
    assert violations(page) == []
    page.get_by_role("link", name="I've saved my codes").click()
    expect(page.get_by_text("Passkey: Pia's laptop")).to_be_visible()
    sign_out(page)

    # The email field offers the passkey; this device accepts it automatically.
    page.goto("/auth/login?next=/settings/", wait_until="commit")
    expect(page).to_have_url(f"{home}/settings/")
    assert ends(page) > 0
    sign_out(page)

    presence = {"authenticatorId": key, "enabled": False}
    device.send("WebAuthn.setAutomaticPresenceSimulation", presence)
    page.goto("/auth/login?next=/courses/")
    # Else the device would accept the offer once it is switched on.
    expect(page.locator("html[data-asked=conditional]")).to_have_count(1)
    page.get_by_label("Keep me signed in").uncheck()
    device.send("WebAuthn.setAutomaticPresenceSimulation", presence | {"enabled": True})
    page.get_by_role("button", name="Continue with a passkey").click()
    expect(page).to_have_url(f"{home}/courses/")
    assert ends(page) == -1
    sign_out(page)

    device.send("WebAuthn.setAutomaticPresenceSimulation", presence)
    sign_in_again(page, email)
    device.send("WebAuthn.setAutomaticPresenceSimulation", presence | {"enabled": True})
    expect(page.get_by_role("heading", name="One more step")).to_be_visible()
    assert violations(page) == []
    page.get_by_role("button", name="Use a passkey").click()
    expect(account(page)).to_be_visible()

    page.goto("/settings/security")
    page.get_by_role("button", name="Remove the passkey Pia's laptop").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(page.get_by_text("Passkey: Pia's laptop")).to_have_count(0)
    sign_out(page)
    device.send("WebAuthn.setAutomaticPresenceSimulation", presence)  # the passkey is still on the device
    sign_in_again(page, email)
    expect(account(page)).to_be_visible()
    assert complaints == []


@pytest.mark.long
def test_refused_passkey_shows_an_error_and_the_other_methods(page: Page, device: CDPSession, email: str) -> None:
    plug_in(device, verifies=False)
    page.goto("/auth/login")

    page.get_by_role("button", name="Continue with a passkey").click()

    expect(page.locator("[data-passkey-said]")).to_contain_text("The passkey wasn't confirmed")
    sign_in_again(page, email)
    expect(account(page)).to_be_visible()
