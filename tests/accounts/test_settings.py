"""The settings, a section at a time; as a browser without scripts uses them."""

import re
from collections.abc import Callable

import pytest
from django.test import Client

from apps.accounts.models import BrowserSession, User
from tests.factories.accounts import PASSWORD

pytestmark = pytest.mark.django_db
NEW = "BrightLake27"


@pytest.fixture
def browser(browser_of: Callable[[User], Client], leo: User) -> Client:
    return browser_of(leo)


def test_a_visitor_is_asked_to_sign_in(client: Client) -> None:
    assert client.get("/settings/")["Location"] == "/auth/login?next=/settings/"
    for section in ("password", "appearance"):
        assert client.post(f"/settings/{section}")["Location"].startswith("/auth/login")


def test_every_section_is_named_in_the_index(browser: Client) -> None:
    page = browser.get("/settings/").content.decode()

    sections = re.findall(r'<section class="pref" id="([a-z]+)"', page)
    assert sections == re.findall(r'<a href="#([a-z]+)"', page.split('class="sideindex"')[1].split("</nav>")[0])
    assert {"password", "appearance"} <= set(sections)


def test_a_new_password_signs_out_every_other_browser(
    browser: Client, browser_of: Callable[[User], Client], leo: User
) -> None:
    other = browser_of(leo)

    answer = browser.post("/settings/password", {"current": PASSWORD, "password": NEW, "confirmation": NEW})

    assert answer["Location"] == "/settings/?saved=password#password"
    assert "Saved at" in browser.get("/settings/?saved=password").content.decode()
    assert other.get("/settings/").status_code == 302
    leo.refresh_from_db()
    assert leo.check_password(NEW)
    assert BrowserSession.objects.of(leo).count() == 1


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"current": "WrongGuess1"}, "Current password is incorrect"),
        ({"current": ""}, "Enter your current password."),
        ({"confirmation": "BrightLake28"}, "Passwords do not match"),
        ({"password": "short1A", "confirmation": "short1A"}, "8"),
        ({"password": "password", "confirmation": "password"}, "uppercase"),
    ],
)
def test_a_password_that_is_refused_stays_as_it_was(browser: Client, leo: User, given: dict, words: str) -> None:
    answer = browser.post("/settings/password", {"current": PASSWORD, "password": NEW, "confirmation": NEW} | given)

    assert answer.status_code == 422
    assert words in answer.content.decode()
    assert NEW not in answer.content.decode()
    leo.refresh_from_db()
    assert leo.check_password(PASSWORD)


def test_guessing_the_current_password_locks_as_at_the_door(browser: Client, leo: User) -> None:
    for _ in range(5):
        browser.post("/settings/password", {"current": "WrongGuess1", "password": NEW, "confirmation": NEW})

    answer = browser.post("/settings/password", {"current": PASSWORD, "password": NEW, "confirmation": NEW})

    assert 'data-error="AUTH_ACCOUNT_LOCKED"' in answer.content.decode()
    leo.refresh_from_db()
    assert leo.check_password(PASSWORD)


def test_the_look_is_kept_with_the_account(browser: Client, leo: User) -> None:
    browser.post("/settings/appearance", {"theme": "dark", "style": "corporate"})

    leo.refresh_from_db()
    assert (leo.theme, leo.style, leo.player_shortcuts) == ("dark", "corporate", False)


def test_nothing_else_can_be_set_along(browser: Client, leo: User) -> None:
    """Mass assignment: what the form does not name stays as it is."""
    more = {"role": "admin", "is_staff": "1", "email_verified_at": "2026-01-01", "is_active": ""}
    browser.post("/settings/appearance", {"theme": "", "style": "academic", **more})

    leo.refresh_from_db()
    assert (leo.role, leo.is_active) == ("student", True)


def test_an_unknown_look_is_refused(browser: Client, leo: User) -> None:
    answer = browser.post("/settings/appearance", {"theme": "sepia", "style": "<b>"})

    assert answer.status_code == 422
    leo.refresh_from_db()
    assert leo.theme == ""
