"""?token=&user= on the two pages that accept it (specification 2.2, 2.5, 5): once, for a minute, for one user."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from threading import Barrier
from typing import Any
from uuid import uuid4

import pytest
import time_machine
from django.db import connections
from django.test import Client
from django.utils import timezone

from apps.accounts import services
from apps.accounts.models import SignInToken, User
from apps.courses.models import Course
from tests.factories.accounts import UserFactory

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 3, 14, 9, 0, tzinfo=UTC)
DASHBOARD, ANALYTICS = "/me/dashboard", "/dashboard/instructor/analytics/"


def token_query(user: User) -> dict[str, str]:
    return {"token": services.create_sign_in_token(user=user, now=timezone.now()), "user": str(user.uid)}


def redirect_after_opening(browser: Client, address: str, query: Any, **headers: str) -> str:
    """Return the redirect address if the user is signed in, otherwise "absent"."""
    answer = browser.get(address, query, headers=headers)
    if "_auth_user_id" in browser.session:
        return str(answer["Location"])
    if answer.status_code == 301:  # the other spelling of the address
        return redirect_after_opening(browser, answer["Location"], {}, **headers)
    assert answer["Location"].startswith("/auth/login?next=")
    assert "token" not in answer["Location"], "the redirect address contains no token"
    return "absent"


@pytest.mark.parametrize(("username", "address"), [("leo", DASHBOARD), ("leo", DASHBOARD + "/"), ("ada", ANALYTICS)])
def test_a_token_signs_in_once_and_is_removed_from_the_address(
    request: pytest.FixtureRequest, username: str, address: str
) -> None:
    user: User = request.getfixturevalue(username)
    query = token_query(user)
    browser = Client()

    assert redirect_after_opening(browser, address, {**query, "week": "3"}) == f"{address}?week=3"
    assert browser.session["_auth_user_id"] == str(user.pk)
    assert not SignInToken.objects.exists()
    assert redirect_after_opening(Client(), address, query) == "absent"


def test_a_sign_in_token_grants_no_more_than_the_role(leo: User) -> None:
    browser = Client()

    redirect_after_opening(browser, ANALYTICS, token_query(leo))

    assert browser.get(ANALYTICS)["Location"] == "/"


def test_a_sign_in_token_opens_analytics_with_what_was_chosen(ada: User, course: Course) -> None:
    browser = Client()

    arrived = browser.get(ANALYTICS, {**token_query(ada), "course": course.slug, "range": "30"}, follow=True)

    assert arrived.redirect_chain == [(f"{ANALYTICS}?course={course.slug}&range=30", 302)]
    assert arrived.status_code == 200
    page = arrived.content.decode()
    assert "Active students in the last 30 days" in page
    assert f'<option value="{course.slug}" selected>' in page


def test_a_sign_in_token_starts_a_new_session(leo: User) -> None:
    browser = Client()
    planted = browser.session
    planted["x"] = 1
    planted.save()
    browser.cookies["sessionid"] = str(planted.session_key)

    redirect_after_opening(browser, DASHBOARD, token_query(leo))

    assert browser.session.session_key != planted.session_key


@pytest.mark.parametrize(
    "twist",
    [
        lambda q: {"token": q["token"]},
        lambda q: {"user": q["user"]},
        lambda q: {**q, "token": ""},
        lambda q: {**q, "token": "1"},
        lambda q: {**q, "token": "null"},
        lambda q: {**q, "token": "{}"},
        lambda q: {**q, "token": q["token"] + "x"},
        lambda q: {**q, "token": q["token"][:-1] + ("A" if q["token"][-1] != "A" else "B")},
        lambda q: {**q, "user": "1"},
        lambda q: {**q, "user": str(uuid4())},
        lambda q: {**q, "user": "leo@example.com"},
        lambda q: {"token": [q["token"], q["token"]], "user": q["user"]},
        lambda q: {"token": q["token"], "user": [q["user"], q["user"]]},
        lambda q: {"token[]": q["token"], "user[]": q["user"]},
        lambda q: {"token[0]": q["token"], "user": q["user"]},
        lambda q: {"token": [q["token"], "x"], "user": q["user"]},
    ],
)
def test_an_invalid_query_is_ignored_and_does_not_use_the_token(
    leo: User, twist: Callable[[dict[str, str]], Any]
) -> None:
    query = token_query(leo)

    assert redirect_after_opening(Client(), DASHBOARD, twist(query)) == "absent"
    assert redirect_after_opening(Client(), DASHBOARD, query) == DASHBOARD


@pytest.mark.parametrize("value", [None, 1, 1.5, True, b"x", [], {}, ["a"]])
def test_only_strings_are_accepted(leo: User, value: object) -> None:
    token = services.create_sign_in_token(user=leo, now=NOW)

    assert services.redeem_sign_in_token(token=value, user_uid=str(leo.uid), now=NOW) is None
    assert services.redeem_sign_in_token(token=token, user_uid=value, now=NOW) is None
    assert services.redeem_sign_in_token(token=token, user_uid=str(leo.uid), now=NOW) == leo


def test_a_sign_in_token_works_for_one_user(leo: User, sam: User) -> None:
    query = token_query(leo)

    assert redirect_after_opening(Client(), DASHBOARD, {**query, "user": str(sam.uid)}) == "absent"


def test_a_sign_in_token_works_for_a_minute(leo: User) -> None:
    first, second = (services.create_sign_in_token(user=leo, now=NOW) for _ in range(2))
    in_time, late = NOW + timedelta(seconds=59), NOW + timedelta(seconds=60)

    assert services.redeem_sign_in_token(token=first, user_uid=str(leo.uid), now=in_time) == leo
    assert services.redeem_sign_in_token(token=second, user_uid=str(leo.uid), now=late) is None


def test_a_sign_in_token_of_a_blocked_user_does_not_work(leo: User) -> None:
    query = token_query(leo)
    services.block(user=leo)

    assert redirect_after_opening(Client(), DASHBOARD, query) == "absent"


def test_no_other_page_or_method_accepts_a_sign_in_token(leo: User) -> None:
    query = token_query(leo)
    browser = Client()

    for address in ("/me/enrollments", "/settings/", "/dashboard/instructor/", "/me/dashboard/x"):
        browser.get(address, query)
    browser.post(f"{DASHBOARD}?token={query['token']}&user={query['user']}")

    assert "_auth_user_id" not in browser.session
    assert SignInToken.objects.exists()


def test_a_link_on_another_site_signs_no_user_in(leo: User) -> None:
    """Otherwise, an attacker could make a visitor work in the attacker's account unnoticed."""
    query = token_query(leo)

    assert redirect_after_opening(Client(), DASHBOARD, query, **{"Sec-Fetch-Site": "cross-site"}) == "absent"
    assert redirect_after_opening(Client(), DASHBOARD, query, **{"Sec-Fetch-Site": "same-origin"}) == DASHBOARD


def test_a_sign_in_token_does_not_replace_the_signed_in_user(
    browser_of: Callable[[User], Client], leo: User, mia: User
) -> None:
    browser = browser_of(mia)

    browser.get(DASHBOARD, token_query(leo))

    assert browser.session["_auth_user_id"] == str(mia.pk)


def test_the_table_contains_no_plain_token(leo: User) -> None:
    token = services.create_sign_in_token(user=leo, now=NOW)

    assert token not in SignInToken.objects.get().token_hash


def test_expired_tokens_are_deleted(leo: User) -> None:
    services.create_sign_in_token(user=leo, now=timezone.now())
    with time_machine.travel(timezone.now() + timedelta(minutes=2)):
        services.clean_up(now=timezone.now())

    assert not SignInToken.objects.exists()


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_only_one_of_many_parallel_uses_of_a_token_succeeds() -> None:
    user = UserFactory()
    token, gate = services.create_sign_in_token(user=user, now=NOW), Barrier(12)

    def take() -> User | None:
        gate.wait()
        try:
            return services.redeem_sign_in_token(token=token, user_uid=str(user.uid), now=NOW)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(12) as pool:
        told = [done.result() for done in [pool.submit(take) for _ in range(12)]]

    assert [one for one in told if one] == [user]
