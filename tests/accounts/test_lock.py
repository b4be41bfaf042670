"""The lock against password guessing: exact, tolerant of real users, and without information for strangers."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from threading import Barrier
from unittest import mock

import pytest
import time_machine
from django.contrib.auth import hashers
from django.core import signing
from django.db import connection, connections
from django.test import Client
from django.test.utils import CaptureQueriesContext

from apps.accounts import services
from apps.accounts.errors import AccountLocked, InvalidCredentials
from apps.accounts.models import LoginLock, User
from apps.accounts.sessions import known_browsers
from studyplatform.kit.errors import AppError
from tests.factories.accounts import PASSWORD, UserFactory

pytestmark = pytest.mark.database

NOW = datetime(2026, 3, 14, 9, 0, tzinfo=UTC)
WRONG = "WrongGuess1"
LOCKING = ["AUTH_INVALID_CREDENTIALS"] * 4 + ["AUTH_ACCOUNT_LOCKED"]  # what five wrong guesses are answered


@pytest.fixture
def checks() -> Iterator[list[str]]:
    """Every password that is really hashed, i.e. checked or checked for show."""
    seen: list[str] = []
    real = hashers.MD5PasswordHasher.encode

    def encode(self: hashers.MD5PasswordHasher, password: str, salt: str) -> str:
        seen.append(password)
        return real(self, password, salt)

    with mock.patch.object(hashers.MD5PasswordHasher, "encode", encode):
        yield seen


def attempt(user: User, password: str = WRONG, *, after: timedelta = timedelta(0), browser: str = "") -> str:
    try:
        services.verify_password(email=user.email, password=password, browser=browser, now=NOW + after)
    except AppError as refusal:
        return refusal.code
    return "in"


def fail(user: User, times: int, **options: object) -> list[str]:
    return [attempt(user, **options) for _ in range(times)]  # type: ignore[arg-type]


@pytest.mark.django_db
def test_the_fifth_failure_locks_for_a_quarter_of_an_hour(leo: User) -> None:
    assert fail(leo, 5) == LOCKING
    assert attempt(leo, PASSWORD) == "AUTH_ACCOUNT_LOCKED"
    assert attempt(leo, PASSWORD, after=timedelta(minutes=14, seconds=59)) == "AUTH_ACCOUNT_LOCKED"
    assert attempt(leo, PASSWORD, after=timedelta(minutes=15)) == "in"


@pytest.mark.django_db
def test_four_failures_do_not_lock(leo: User) -> None:
    fail(leo, 4)

    assert attempt(leo, PASSWORD) == "in"


@pytest.mark.django_db
def test_a_success_resets_the_count(leo: User) -> None:
    fail(leo, 4)
    attempt(leo, PASSWORD)
    fail(leo, 4)

    assert attempt(leo, PASSWORD) == "in"


@pytest.mark.django_db
def test_slow_failures_lock_for_the_whole_time_from_the_fifth(leo: User) -> None:
    for minute in (0, 3, 6, 9, 14):
        attempt(leo, after=timedelta(minutes=minute))

    assert attempt(leo, PASSWORD, after=timedelta(minutes=28)) == "AUTH_ACCOUNT_LOCKED"
    assert attempt(leo, PASSWORD, after=timedelta(minutes=29)) == "in"


@pytest.mark.django_db
def test_an_attempt_while_locked_neither_extends_the_lock_nor_checks_anything(leo: User, checks: list[str]) -> None:
    fail(leo, 5)
    checks.clear()

    for minute in range(1, 15):
        assert attempt(leo, PASSWORD, after=timedelta(minutes=minute)) == "AUTH_ACCOUNT_LOCKED"

    assert checks == []
    assert attempt(leo, PASSWORD, after=timedelta(minutes=15)) == "in"


@pytest.mark.django_db
def test_after_a_lock_there_are_five_tries_again(leo: User) -> None:
    fail(leo, 5)

    assert fail(leo, 5, after=timedelta(minutes=15)) == LOCKING
    assert attempt(leo, PASSWORD, after=timedelta(minutes=16)) == "AUTH_ACCOUNT_LOCKED"


@pytest.mark.django_db
def test_the_spelling_of_the_email_is_no_way_around(leo: User) -> None:
    for email in ("leo@example.com", "LEO@example.com", " leo@EXAMPLE.com", "Leo@Example.Com "):
        with pytest.raises(InvalidCredentials):
            services.verify_password(email=email, password=WRONG, now=NOW)
    with pytest.raises(AccountLocked):
        services.verify_password(email="leo@example.com", password=WRONG, now=NOW)

    assert attempt(leo, PASSWORD) == "AUTH_ACCOUNT_LOCKED"


@pytest.mark.django_db
def test_a_lock_is_for_one_account_only(leo: User, mia: User) -> None:
    fail(leo, 5)

    assert attempt(mia, PASSWORD) == "in"


@pytest.mark.django_db
def test_a_browser_the_account_knows_is_counted_by_itself(leo: User) -> None:
    fail(leo, 5)

    assert attempt(leo, PASSWORD, browser="laptop") == "in"
    assert attempt(leo, PASSWORD) == "AUTH_ACCOUNT_LOCKED"


@pytest.mark.django_db
def test_a_known_browser_locks_itself_only(leo: User) -> None:
    fail(leo, 5, browser="laptop")

    assert attempt(leo, PASSWORD, browser="laptop") == "AUTH_ACCOUNT_LOCKED"
    assert attempt(leo, PASSWORD) == "in"


@pytest.mark.django_db
def test_an_unknown_email_a_wrong_password_and_a_blocked_account_look_and_cost_the_same(
    leo: User, ben: User, checks: list[str]
) -> None:
    UserFactory(username="sol", password=None)  # signs in with a provider alone
    told, costs = set(), set()
    for email in (leo.email, ben.email, "sol@example.com", "nobody@example.com"):
        answers, work = [], []
        for _ in range(6):  # the fifth locks, the sixth finds the lock
            checks.clear()
            with CaptureQueriesContext(connection) as queries, pytest.raises(AppError) as refused:
                services.verify_password(email=email, password=WRONG, now=NOW)
            answers.append((refused.value.code, refused.value.detail))
            work.append((len(checks), len(queries)))
        told.add(tuple(answers))
        costs.add(tuple(work))

    assert [code for code, _ in told.pop()] == [*LOCKING, "AUTH_ACCOUNT_LOCKED"]
    assert [checked for checked, _ in costs.pop()] == [1] * 5 + [0]
    assert (told, costs) == (set(), set()), "they were not all alike"


@pytest.mark.django_db
def test_an_unknown_email_locks_in_the_same_way() -> None:
    stranger = UserFactory.build(email="nobody@example.com")

    assert fail(stranger, 6) == [*LOCKING, "AUTH_ACCOUNT_LOCKED"]


@pytest.mark.django_db
def test_the_right_password_of_a_blocked_account_counts_as_wrong(ben: User) -> None:
    assert [attempt(ben, PASSWORD) for _ in range(6)] == [*LOCKING, "AUTH_ACCOUNT_LOCKED"]


@pytest.mark.django_db
def test_attempts_that_died_on_the_way_are_failures(leo: User) -> None:
    with mock.patch("apps.accounts.services.password_check._give_back"):  # the process was killed here
        fail(leo, 5)

    assert attempt(leo, PASSWORD, after=timedelta(seconds=90)) == "AUTH_ACCOUNT_LOCKED"
    assert attempt(leo, PASSWORD, after=timedelta(minutes=15)) == "in"


@pytest.mark.django_db
def test_an_attempt_that_waits_too_long_is_rate_limited(leo: User) -> None:
    with mock.patch("apps.accounts.services.password_check._give_back"):
        fail(leo, 5)

    with mock.patch("apps.accounts.services.password_check.PATIENCE", 0.1):
        assert attempt(leo, PASSWORD) == "RATE_LIMIT_EXCEEDED"


@pytest.mark.django_db(transaction=True)
def test_of_forty_guesses_at_once_five_are_checked(checks: list[str]) -> None:
    user = UserFactory()
    checks.clear()

    told = _at_once(40, lambda: attempt(user))

    assert sorted(told) == ["AUTH_ACCOUNT_LOCKED"] * 36 + ["AUTH_INVALID_CREDENTIALS"] * 4
    assert checks == [WRONG] * 5
    assert attempt(user, PASSWORD) == "AUTH_ACCOUNT_LOCKED"


@pytest.mark.django_db(transaction=True)
def test_after_four_failures_only_one_of_many_guesses_is_checked(checks: list[str]) -> None:
    user = UserFactory()
    fail(user, 4)
    checks.clear()

    told = _at_once(12, lambda: attempt(user))

    assert told == ["AUTH_ACCOUNT_LOCKED"] * 12
    assert len(checks) == 1


@pytest.mark.django_db(transaction=True)
def test_signing_in_on_many_devices_at_once_does_not_lock_the_account() -> None:
    user = UserFactory()

    assert _at_once(12, lambda: attempt(user, PASSWORD)) == ["in"] * 12
    assert LoginLock.objects.get().failures == 0


@pytest.mark.django_db
def test_the_call_says_locked_in_the_catalogue_s_words(client: Client, leo: User) -> None:
    wrong = [_call(client, leo, WRONG) for _ in range(4)]
    fifth, locked = _call(client, leo, WRONG), _call(client, leo, PASSWORD)

    assert [(answer.status_code, answer.json()["code"]) for answer in wrong] == [(401, "AUTH_INVALID_CREDENTIALS")] * 4
    assert (fifth.status_code, fifth.json()["code"]) == (423, "AUTH_ACCOUNT_LOCKED")
    assert (locked.status_code, locked.json()["code"]) == (423, "AUTH_ACCOUNT_LOCKED")
    assert locked["Content-Type"] == "application/problem+json"
    assert "15 minutes" in locked.json()["detail"]


@pytest.mark.django_db
def test_page_and_call_share_the_count_and_a_moved_clock_opens_both(client: Client, leo: User) -> None:
    with time_machine.travel(NOW, tick=False) as clock:
        for _ in range(3):
            client.post("/auth/login", {"email": leo.email, "password": WRONG})
        _call(client, leo, WRONG)
        for password in (WRONG, PASSWORD):  # the fifth failure, and what comes after
            page = client.post("/auth/login", {"email": leo.email, "password": password}).content.decode()
            assert 'data-error="AUTH_ACCOUNT_LOCKED"' in page
        assert 'href="/auth/forgot-password"' in page.split("AUTH_ACCOUNT_LOCKED")[1]

        clock.shift(timedelta(minutes=15))
        assert _call(client, leo, PASSWORD).status_code == 200


@pytest.mark.django_db
def test_a_browser_becomes_known_by_signing_in_and_a_stranger_s_guesses_do_not_shut_it(
    client: Client, leo: User
) -> None:
    _call(client, leo, PASSWORD)
    client.post("/api/v1/auth/logout")
    for _ in range(6):
        _call(Client(), leo, WRONG)

    assert _call(Client(), leo, PASSWORD).json()["code"] == "AUTH_ACCOUNT_LOCKED"
    assert _call(client, leo, PASSWORD).status_code == 200


@pytest.mark.django_db
@pytest.mark.parametrize("forged", ["x", "WyJhIixbImIiXV0:1:2", "[]", ""])
def test_a_forged_cookie_makes_no_browser_known(leo: User, forged: str) -> None:
    for number in range(6):
        stranger = Client()
        stranger.cookies["study_known"] = f"{forged}{number}"
        answer = _call(stranger, leo, WRONG)

    assert answer.json()["code"] == "AUTH_ACCOUNT_LOCKED"


@pytest.mark.django_db
def test_a_browser_that_calls_itself_known_is_not(leo: User) -> None:
    """Anyone who knows the email can write the cookie's content, but not its signature."""
    said = ["a" * 16, [known_browsers._mark(leo.email)]]
    real = signing.dumps(said, salt=known_browsers._SALT)
    foreign = signing.dumps(["a" * 16, []], salt=known_browsers._SALT)  # got by signing in to an account of one's own
    for _ in range(5):
        _call(Client(), leo, WRONG)

    def with_cookie(value: str) -> int:
        browser = Client()
        browser.cookies["study_known"] = value
        return _call(browser, leo, PASSWORD).status_code

    forgeries = [
        f"{real.split(':')[0]}:{foreign.split(':', 1)[1]}",
        signing.dumps(said, salt="another"),
        signing.dumps(said, salt=known_browsers._SALT, key="x" * 50),
        real.rsplit(":", 1)[0],
    ]
    assert [with_cookie(one) for one in forgeries] == [423] * 4
    assert with_cookie(real) == 200


@pytest.mark.django_db
def test_a_browser_is_known_to_one_account_only(client: Client, leo: User, mia: User) -> None:
    _call(client, mia, PASSWORD)
    for _ in range(5):
        _call(client, leo, WRONG)

    assert _call(Client(), leo, PASSWORD).json()["code"] == "AUTH_ACCOUNT_LOCKED"


@pytest.mark.django_db
def test_old_counts_are_swept(leo: User, mia: User) -> None:
    fail(leo, 2)
    fail(mia, 5, after=timedelta(minutes=20))

    services.clean_up(now=NOW + timedelta(minutes=21))

    assert LoginLock.objects.count() == 1
    assert attempt(mia, PASSWORD, after=timedelta(minutes=21)) == "AUTH_ACCOUNT_LOCKED"


@pytest.mark.django_db
def test_clearing_the_lock_allows_signing_in(leo: User) -> None:
    fail(leo, 5)
    services.clear_lock(email=leo.email)

    assert attempt(leo, PASSWORD) == "in"


def _call(client: Client, user: User, password: str):
    body = {"email": user.email, "password": password}
    return client.post("/api/v1/auth/login", body, content_type="application/json")


def _at_once(count: int, work: Callable[[], str]) -> list[str]:
    """Each in its own thread and connection, all let go at the same moment."""
    gate = Barrier(count)

    def one() -> str:
        gate.wait()
        try:
            return work()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(count) as pool:
        return [done.result() for done in [pool.submit(one) for _ in range(count)]]
