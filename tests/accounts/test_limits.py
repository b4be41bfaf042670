"""Rate limits by client address."""

from collections.abc import Callable
from typing import Any

import pytest
from django.core import mail
from django.test import Client

from apps.accounts.models import User
from studyplatform.kit import jobs
from tests.accounts.test_registration import GOOD
from tests.factories.accounts import PASSWORD

pytestmark = [pytest.mark.database, pytest.mark.django_db]


@pytest.fixture(autouse=True)
def _limit_each_to_three(settings: Any) -> None:
    settings.RATE_LIMITS = dict.fromkeys(settings.RATE_LIMITS, (3, 300))


def sign_in(browser: Client, user: User) -> Any:
    return browser.post("/auth/login", {"email": user.email, "password": PASSWORD})


ENTRY_POINTS: dict[str, Callable[[Client, int], Any]] = {
    "sign-in": lambda browser, n: browser.post("/auth/login", {"email": f"n{n}@example.com", "password": PASSWORD}),
    "api": lambda browser, n: browser.post(
        "/api/v1/auth/login", {"email": f"n{n}@example.com", "password": PASSWORD}, content_type="application/json"
    ),
    "register": lambda browser, n: browser.post("/auth/register", GOOD | {"email": f"n{n}@example.com"}),
    "reset": lambda browser, n: browser.post("/auth/forgot-password", {"email": f"n{n}@example.com"}),
}


@pytest.mark.parametrize("entry_point", ENTRY_POINTS)
def test_an_address_over_its_limit_learns_how_long_to_wait(entry_point: str) -> None:
    for number in range(3):
        assert ENTRY_POINTS[entry_point](Client(), number).status_code != 429

    refused = ENTRY_POINTS[entry_point](Client(), 4)

    assert refused.status_code == 429
    assert 0 < int(refused["Retry-After"]) <= 300
    assert b"RATE_LIMIT_EXCEEDED" in refused.content
    elsewhere = Client(REMOTE_ADDR="203.0.113.9")
    assert ENTRY_POINTS[entry_point](elsewhere, 5).status_code != 429


@pytest.mark.parametrize("entry_point", ENTRY_POINTS)
def test_a_forged_header_does_not_change_the_address(entry_point: str) -> None:
    answers = [
        ENTRY_POINTS[entry_point](Client(headers={"X-Forwarded-For": f"203.0.113.{n}"}), n).status_code
        for n in range(4)
    ]

    assert answers[3] == 429


def test_the_page_and_the_api_share_the_count_of_sign_ins(leo: User) -> None:
    for number in range(3):
        ENTRY_POINTS["api"](Client(), number)

    assert sign_in(Client(), leo).status_code == 429


def test_a_right_password_over_the_limit_is_not_checked(leo: User) -> None:
    for number in range(3):
        ENTRY_POINTS["sign-in"](Client(), number)
    browser = Client()

    page = sign_in(browser, leo)

    assert "_auth_user_id" not in browser.session
    assert f'value="{leo.email}"' in page.content.decode()


def test_repeated_email_requests_are_limited(browser_of: Callable[[User], Client], leo: User) -> None:
    User.objects.update(email_verified_at=None)
    browser = browser_of(leo)

    for _ in range(5):
        answer = browser.post("/auth/verify-email/resend", follow=True)
        jobs.run_pending("default")

    assert len(mail.outbox) == 1
    assert b"more requests than we can take at once." in answer.content
