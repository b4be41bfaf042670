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
LOCKING = ["AUTH_INVALID_CREDENTIALS"] * 4 + ["AUTH_ACCOUNT_LOCKED"]  # the responses to five wrong guesses


@pytest.fixture
def hashed_passwords() -> Iterator[list[str]]:
    """Record every password that is hashed, whether the check is real or only equalizes the timing."""
    seen: list[str] = []
    real = hashers.MD5PasswordHasher.encode

    def encode(self: hashers.MD5PasswordHasher, password: str, salt: str) -> str:
        seen.append(password)
        return real(self, password, salt)

    with mock.patch.object(hashers.MD5PasswordHasher, "encode", encode):
        yield seen


def attempt_sign_in(user: User, password: str = WRONG, *, after: timedelta = timedelta(0), browser: str = "") -> str:
    try:
        services.verify_password(email=user.email, password=password, browser=browser, now=NOW + after)
    except AppError as refusal:
        return refusal.code
    return "in"


def fail_sign_in(user: User, times: int, **options: object) -> list[str]:
    return [attempt_sign_in(user, **options) for _ in range(times)]  # type: ignore[arg-type]


@pytest.mark.django_db
def test_the_fifth_failure_locks_for_fifteen_minutes(leo: User) -> None:
    assert fail_sign_in(leo, 5) == LOCKING
    assert attempt_sign_in(leo, PASSWORD) == "AUTH_ACCOUNT_LOCKED"
    assert attempt_sign_in(leo, PASSWORD, after=timedelta(minutes=14, seconds=59)) == "AUTH_ACCOUNT_LOCKED"
    assert attempt_sign_in(leo, PASSWORD, after=timedelta(minutes=15)) == "in"


@pytest.mark.django_db
def test_four_failures_do_not_lock(leo: User) -> None:
    fail_sign_in(leo, 4)

    assert attempt_sign_in(leo, PASSWORD) == "in"


@pytest.mark.django_db
def test_a_successful_sign_in_resets_the_count(leo: User) -> None:
    fail_sign_in(leo, 4)
    attempt_sign_in(leo, PASSWORD)
    fail_sign_in(leo, 4)

    assert attempt_sign_in(leo, PASSWORD) == "in"


@pytest.mark.django_db
def test_slow_failures_lock_for_the_full_time_from_the_fifth(leo: User) -> None:
    for minute in (0, 3, 6, 9, 14):
        attempt_sign_in(leo, after=timedelta(minutes=minute))

    assert attempt_sign_in(leo, PASSWORD, after=timedelta(minutes=28)) == "AUTH_ACCOUNT_LOCKED"
    assert attempt_sign_in(leo, PASSWORD, after=timedelta(minutes=29)) == "in"


@pytest.mark.django_db
def test_an_attempt_during_a_lock_neither_extends_it_nor_checks_a_password(
    leo: User, hashed_passwords: list[str]
) -> None:
    fail_sign_in(leo, 5)
    hashed_passwords.clear()

    for minute in range(1, 15):
        assert attempt_sign_in(leo, PASSWORD, after=timedelta(minutes=minute)) == "AUTH_ACCOUNT_LOCKED"

    assert hashed_passwords == []
    assert attempt_sign_in(leo, PASSWORD, after=timedelta(minutes=15)) == "in"


@pytest.mark.django_db
def test_a_user_has_five_attempts_again_after_a_lock(leo: User) -> None:
    fail_sign_in(leo, 5)

    assert fail_sign_in(leo, 5, after=timedelta(minutes=15)) == LOCKING
    assert attempt_sign_in(leo, PASSWORD, after=timedelta(minutes=16)) == "AUTH_ACCOUNT_LOCKED"


@pytest.mark.django_db
def test_another_spelling_of_the_email_does_not_avoid_the_lock(leo: User) -> None:
    for email in ("leo@example.com", "LEO@example.com", " leo@EXAMPLE.com", "Leo@Example.Com "):
        with pytest.raises(InvalidCredentials):
            services.verify_password(email=email, password=WRONG, now=NOW)
    with pytest.raises(AccountLocked):
        services.verify_password(email="leo@example.com", password=WRONG, now=NOW)

    assert attempt_sign_in(leo, PASSWORD) == "AUTH_ACCOUNT_LOCKED"


@pytest.mark.django_db
def test_a_lock_applies_to_one_account_only(leo: User, mia: User) -> None:
    fail_sign_in(leo, 5)

    assert attempt_sign_in(mia, PASSWORD) == "in"


@pytest.mark.django_db
def test_a_known_browser_has_its_own_count(leo: User) -> None:
    fail_sign_in(leo, 5)

    assert attempt_sign_in(leo, PASSWORD, browser="laptop") == "in"
    assert attempt_sign_in(leo, PASSWORD) == "AUTH_ACCOUNT_LOCKED"


@pytest.mark.django_db
def test_a_lock_of_a_known_browser_applies_to_it_only(leo: User) -> None:
    fail_sign_in(leo, 5, browser="laptop")

    assert attempt_sign_in(leo, PASSWORD, browser="laptop") == "AUTH_ACCOUNT_LOCKED"
    assert attempt_sign_in(leo, PASSWORD) == "in"


@pytest.mark.django_db
def test_an_unknown_email_a_wrong_password_and_a_blocked_account_look_and_cost_the_same(
    leo: User, ben: User, hashed_passwords: list[str]
) -> None:
    UserFactory(username="sol", password=None)  # signs in with a provider alone
    outcomes, costs = set(), set()
    for email in (leo.email, ben.email, "sol@example.com", "nobody@example.com"):
        answers, work = [], []
        for _ in range(6):  # the fifth locks, the sixth finds the lock
            hashed_passwords.clear()
            with CaptureQueriesContext(connection) as queries, pytest.raises(AppError) as refused:
                services.verify_password(email=email, password=WRONG, now=NOW)
            answers.append((refused.value.code, refused.value.detail))
            work.append((len(hashed_passwords), len(queries)))
        outcomes.add(tuple(answers))
        costs.add(tuple(work))

    assert [code for code, _ in outcomes.pop()] == [*LOCKING, "AUTH_ACCOUNT_LOCKED"]
    assert [checked for checked, _ in costs.pop()] == [1] * 5 + [0]
    assert (outcomes, costs) == (set(), set()), "the responses or their costs differ"


@pytest.mark.django_db
def test_an_unknown_email_locks_in_the_same_way() -> None:
    stranger = UserFactory.build(email="nobody@example.com")

    assert fail_sign_in(stranger, 6) == [*LOCKING, "AUTH_ACCOUNT_LOCKED"]


@pytest.mark.django_db
def test_the_right_password_of_a_blocked_account_counts_as_wrong(ben: User) -> None:
    assert [attempt_sign_in(ben, PASSWORD) for _ in range(6)] == [*LOCKING, "AUTH_ACCOUNT_LOCKED"]


@pytest.mark.django_db
def test_an_interrupted_attempt_counts_as_a_failure(leo: User) -> None:
    with mock.patch("apps.accounts.services.password_check._give_back"):  # simulates a process that was killed here
        fail_sign_in(leo, 5)

    assert attempt_sign_in(leo, PASSWORD, after=timedelta(seconds=90)) == "AUTH_ACCOUNT_LOCKED"
    assert attempt_sign_in(leo, PASSWORD, after=timedelta(minutes=15)) == "in"


@pytest.mark.django_db
def test_an_attempt_waiting_too_long_is_rate_limited(leo: User) -> None:
    with mock.patch("apps.accounts.services.password_check._give_back"):
        fail_sign_in(leo, 5)

    with mock.patch("apps.accounts.services.password_check.PATIENCE", 0.1):
        assert attempt_sign_in(leo, PASSWORD) == "RATE_LIMIT_EXCEEDED"


@pytest.mark.django_db(transaction=True)
def test_only_five_of_forty_parallel_guesses_are_checked(hashed_passwords: list[str]) -> None:
    user = UserFactory()
    hashed_passwords.clear()

    outcomes = run_in_parallel(40, lambda: attempt_sign_in(user))

    assert sorted(outcomes) == ["AUTH_ACCOUNT_LOCKED"] * 36 + ["AUTH_INVALID_CREDENTIALS"] * 4
    assert hashed_passwords == [WRONG] * 5
    assert attempt_sign_in(user, PASSWORD) == "AUTH_ACCOUNT_LOCKED"


@pytest.mark.django_db(transaction=True)
def test_only_one_of_many_guesses_after_four_failures_is_checked(hashed_passwords: list[str]) -> None:
    user = UserFactory()
    fail_sign_in(user, 4)
    hashed_passwords.clear()

    outcomes = run_in_parallel(12, lambda: attempt_sign_in(user))

    assert outcomes == ["AUTH_ACCOUNT_LOCKED"] * 12
    assert len(hashed_passwords) == 1


@pytest.mark.django_db(transaction=True)
def test_signing_in_on_many_devices_at_once_does_not_lock_the_account() -> None:
    user = UserFactory()

    assert run_in_parallel(12, lambda: attempt_sign_in(user, PASSWORD)) == ["in"] * 12
    assert LoginLock.objects.get().failures == 0


@pytest.mark.django_db
def test_the_api_returns_the_lock_error_of_the_catalogue(client: Client, leo: User) -> None:
    wrong = [_sign_in_by_api(client, leo, WRONG) for _ in range(4)]
    fifth, locked = _sign_in_by_api(client, leo, WRONG), _sign_in_by_api(client, leo, PASSWORD)

    assert [(answer.status_code, answer.json()["code"]) for answer in wrong] == [(401, "AUTH_INVALID_CREDENTIALS")] * 4
    assert (fifth.status_code, fifth.json()["code"]) == (423, "AUTH_ACCOUNT_LOCKED")
    assert (locked.status_code, locked.json()["code"]) == (423, "AUTH_ACCOUNT_LOCKED")
    assert locked["Content-Type"] == "application/problem+json"
    assert "15 minutes" in locked.json()["detail"]


@pytest.mark.django_db
def test_the_page_and_the_api_share_the_count_and_unlock_together(client: Client, leo: User) -> None:
    with time_machine.travel(NOW, tick=False) as clock:
        for _ in range(3):
            client.post("/auth/login", {"email": leo.email, "password": WRONG})
        _sign_in_by_api(client, leo, WRONG)
        for password in (WRONG, PASSWORD):  # the fifth failure, and an attempt after it
            page = client.post("/auth/login", {"email": leo.email, "password": password}).content.decode()
            assert 'data-error="AUTH_ACCOUNT_LOCKED"' in page
        assert 'href="/auth/forgot-password"' in page.split("AUTH_ACCOUNT_LOCKED")[1]

        clock.shift(timedelta(minutes=15))
        assert _sign_in_by_api(client, leo, PASSWORD).status_code == 200


@pytest.mark.django_db
def test_the_guesses_of_a_stranger_do_not_lock_a_known_browser(client: Client, leo: User) -> None:
    _sign_in_by_api(client, leo, PASSWORD)
    client.post("/api/v1/auth/logout")
    for _ in range(6):
        _sign_in_by_api(Client(), leo, WRONG)

    assert _sign_in_by_api(Client(), leo, PASSWORD).json()["code"] == "AUTH_ACCOUNT_LOCKED"
    assert _sign_in_by_api(client, leo, PASSWORD).status_code == 200


@pytest.mark.django_db
@pytest.mark.parametrize("forged", ["x", "WyJhIixbImIiXV0:1:2", "[]", ""])
def test_a_forged_cookie_does_not_make_a_browser_known(leo: User, forged: str) -> None:
    for number in range(6):
        stranger = Client()
        stranger.cookies["study_known"] = f"{forged}{number}"
        answer = _sign_in_by_api(stranger, leo, WRONG)

    assert answer.json()["code"] == "AUTH_ACCOUNT_LOCKED"


@pytest.mark.django_db
def test_an_unsigned_cookie_does_not_make_a_browser_known(leo: User) -> None:
    """Anyone who knows the email can write the cookie's content, but not its signature."""
    said = ["a" * 16, [known_browsers._mark(leo.email)]]
    real = signing.dumps(said, salt=known_browsers._SALT)
    # obtained by signing in to the attacker's own account
    foreign = signing.dumps(["a" * 16, []], salt=known_browsers._SALT)
    for _ in range(5):
        _sign_in_by_api(Client(), leo, WRONG)

    def with_cookie(value: str) -> int:
        browser = Client()
        browser.cookies["study_known"] = value
        return _sign_in_by_api(browser, leo, PASSWORD).status_code

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
    _sign_in_by_api(client, mia, PASSWORD)
    for _ in range(5):
        _sign_in_by_api(client, leo, WRONG)

    assert _sign_in_by_api(Client(), leo, PASSWORD).json()["code"] == "AUTH_ACCOUNT_LOCKED"


@pytest.mark.django_db
def test_old_counts_are_deleted(leo: User, mia: User) -> None:
    fail_sign_in(leo, 2)
    fail_sign_in(mia, 5, after=timedelta(minutes=20))

    services.clean_up(now=NOW + timedelta(minutes=21))

    assert LoginLock.objects.count() == 1
    assert attempt_sign_in(mia, PASSWORD, after=timedelta(minutes=21)) == "AUTH_ACCOUNT_LOCKED"


@pytest.mark.django_db
def test_clearing_the_lock_allows_signing_in(leo: User) -> None:
    fail_sign_in(leo, 5)
    services.clear_lock(email=leo.email)

    assert attempt_sign_in(leo, PASSWORD) == "in"


def _sign_in_by_api(client: Client, user: User, password: str):
    body = {"email": user.email, "password": password}
    return client.post("/api/v1/auth/login", body, content_type="application/json")


def run_in_parallel(count: int, work: Callable[[], str]) -> list[str]:
    """Run ``work`` ``count`` times at the same moment, each in its own thread and connection."""
    gate = Barrier(count)

    def run_one() -> str:
        gate.wait()
        try:
            return work()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(count) as pool:
        return [done.result() for done in [pool.submit(run_one) for _ in range(count)]]
