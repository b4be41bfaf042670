"""Two-factor by app and recovery codes: setup, sign-in, and every attack we could think of."""

import base64
import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from unittest import mock

import pytest
import time_machine
from allauth.mfa.models import Authenticator
from django.core import mail
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext, override_settings
from django.utils import timezone

from apps.accounts import services
from apps.accounts.models import BrowserSession, LoginLock, User
from apps.accounts.services import two_factor
from studyplatform.kit import jobs
from studyplatform.kit.errors import AppError
from tests.accounts.authenticator import app_code
from tests.accounts.test_lock import run_in_parallel
from tests.cases import all_cases
from tests.factories.accounts import PASSWORD, UserFactory

pytestmark = pytest.mark.django_db
SECRET = "JBSWY3DPEHPK3PXP"
SETTINGS = "/settings/security"


def code_at(moment: datetime, secret: str = SECRET) -> str:
    return app_code(secret, moment.timestamp())


def code_now() -> str:
    return code_at(timezone.now())


def turn_on_two_factor(user: User) -> list[str]:
    """Turn two-factor by app on as of yesterday and return the recovery codes."""
    before = timezone.now() - timedelta(days=1)
    return services.set_up_app(user=user, secret=str(two_factor.encrypt(SECRET)), code=code_at(before), now=before)


def sign_in_again(client: Client, user: User, **more: str):
    return client.post("/auth/login", {"email": user.email, "password": PASSWORD, **more})


def is_signed_in(client: Client) -> bool:
    return client.get("/api/v1/auth/session/").status_code == 200


def emails_with_subject(subject: str = "") -> list[str]:
    jobs.run_pending("default")
    return [one.body for one in mail.outbox if subject in one.subject]


@pytest.fixture
def recovery_codes(leo: User) -> list[str]:
    """Turn two-factor on for Leo and return his recovery codes."""
    return turn_on_two_factor(leo)


@pytest.fixture
def reauthenticated_browser(client: Client, leo: User) -> Client:
    """Return a browser in which Leo has just entered his password."""
    sign_in_again(client, leo)
    return client


# --- Setting it up ---------------------------------------------------------------------------------


def secret_on_page(page: str) -> str:
    return re.search(r'id="secret">([A-Z2-7 ]+)<', page)[1].replace(" ", "")


def test_setting_up_an_app_creates_ten_recovery_codes_once(reauthenticated_browser: Client, leo: User) -> None:
    page = reauthenticated_browser.get("/settings/security/app").content.decode()
    assert '<svg viewBox="0 0 ' in page
    secret = secret_on_page(page)

    done = reauthenticated_browser.post(
        "/settings/security/app", {"code": code_at(timezone.now(), secret)}
    ).content.decode()

    codes = re.findall(r"<code>(\d{4}-\d{4})</code>", done)
    assert len(set(codes)) == 10
    assert "download=" in done
    settings = reauthenticated_browser.get("/settings/security").content.decode()
    assert "10 of 10 left" in settings
    assert not any(code in settings for code in codes)
    assert emails_with_subject("Two-factor sign-in is on")
    assert secret not in json.dumps(list(Authenticator.objects.values_list("data", flat=True)))


def test_a_wrong_first_code_turns_nothing_on_and_keeps_the_secret(reauthenticated_browser: Client, leo: User) -> None:
    secret = secret_on_page(reauthenticated_browser.get("/settings/security/app").content.decode())

    page = reauthenticated_browser.post("/settings/security/app", {"code": "000000"}).content.decode()

    assert secret_on_page(page) == secret
    assert "Incorrect code." in page
    assert not services.has_second_factor(leo)


def test_a_secret_that_was_not_issued_cannot_be_confirmed(reauthenticated_browser: Client, leo: User) -> None:
    reauthenticated_browser.post("/settings/security/app", {"code": code_now(), "secret": SECRET})

    assert not services.has_second_factor(leo)


def test_the_session_stores_the_secret_encrypted(reauthenticated_browser: Client) -> None:
    secret = secret_on_page(reauthenticated_browser.get("/settings/security/app").content.decode())

    assert secret not in json.dumps(dict(reauthenticated_browser.session.items()))


def test_replacing_the_app_keeps_the_recovery_codes(client: Client, leo: User, recovery_codes: list[str]) -> None:
    sign_in_again(client, leo)
    client.post("/auth/second-step", {"code": code_now()})
    secret = secret_on_page(client.get("/settings/security/app").content.decode())
    client.post("/settings/security/app", {"code": code_at(timezone.now(), secret)})

    with time_machine.travel(timezone.now() + timedelta(minutes=2)):
        for code, outcome in ((code_now(), False), (code_at(timezone.now(), secret), True)):
            other = Client()
            sign_in_again(other, leo)
            other.post("/auth/second-step", {"code": code})
            assert is_signed_in(other) is outcome
    assert emails_with_subject("app was replaced")
    assert services.factors_of(leo).codes_left == 10


def test_new_recovery_codes_replace_the_old_ones(client: Client, leo: User, recovery_codes: list[str]) -> None:
    sign_in_again(client, leo)
    client.post("/auth/second-step", {"code": code_now()})

    page = client.post("/settings/security/codes").content.decode()

    fresh = re.findall(r"<code>(\d{4}-\d{4})</code>", page)
    assert len(fresh) == 10
    assert not set(fresh) & set(recovery_codes)
    assert emails_with_subject("You have new recovery codes")
    for code, outcome in ((recovery_codes[0], False), (fresh[0], True)):
        other = Client()
        sign_in_again(other, leo)
        other.post("/auth/second-step", {"code": code})
        assert is_signed_in(other) is outcome


def test_the_password_alone_signs_in_after_two_factor_is_turned_off(
    client: Client, leo: User, recovery_codes: list[str]
) -> None:
    sign_in_again(client, leo)
    client.post("/auth/second-step", {"code": code_now()})
    assert "Turn off two-factor?" in client.get("/settings/security/off").content.decode()

    client.post("/settings/security/off")

    assert not Authenticator.objects.exists()
    assert emails_with_subject("Two-factor sign-in is off")
    other = Client()
    sign_in_again(other, leo)
    assert is_signed_in(other)


CHANGES = [
    ("get", "/settings/security/app"),
    ("post", "/settings/security/app"),
    ("post", "/settings/security/app/remove"),
    ("get", "/settings/security/codes"),
    ("post", "/settings/security/codes"),
    ("post", "/settings/security/off"),
    ("get", "/settings/security/passkeys/new"),
    ("post", "/settings/security/passkeys/new"),
    ("post", "/settings/security/passkeys/1/remove"),
]


@pytest.mark.parametrize(("method", "address"), CHANGES)
def test_a_user_with_an_old_session_must_reauthenticate(
    client: Client, leo: User, recovery_codes: list[str], method: str, address: str
) -> None:
    sign_in_again(client, leo)
    client.post("/auth/second-step", {"code": code_now()})
    rows = list(Authenticator.objects.values())

    with time_machine.travel(timezone.now() + timedelta(minutes=10, seconds=1)):
        answer = getattr(client, method)(address, headers={"Referer": "http://testserver/settings/"})

    back = address if method == "get" else "/settings/"
    assert answer["Location"] == f"/auth/prove?next={back}"
    assert list(Authenticator.objects.values()) == rows


@all_cases("method, address", CHANGES)
def test_a_visitor_must_sign_in(client: Client, method: str, address: str) -> None:
    assert getattr(client, method)(address)["Location"].startswith("/auth/login?next=")


def test_the_password_reauthenticates_the_user_and_redirects(browser_of: Callable[[User], Client], leo: User) -> None:
    browser = browser_of(leo)
    assert browser.get("/settings/security/app")["Location"] == "/auth/prove?next=/settings/security/app"
    wrong = browser.post("/auth/prove", {"password": "WrongGuess1", "next": "/settings/security/app"})
    assert "Incorrect password." in wrong.content.decode()

    right = browser.post("/auth/prove", {"password": PASSWORD, "next": "/settings/security/app"})

    assert right["Location"] == "/settings/security/app"
    assert browser.get("/settings/security/app").status_code == 200


def test_a_code_reauthenticates_the_user_once(
    browser_of: Callable[[User], Client], leo: User, recovery_codes: list[str]
) -> None:
    browser, code = browser_of(leo), code_now()

    assert browser.post("/auth/prove", {"code": code})["Location"] == SETTINGS
    assert "The code is wrong" in browser_of(leo).post("/auth/prove", {"code": code}).content.decode()


def test_reauthentication_never_redirects_to_another_site(browser_of: Callable[[User], Client], leo: User) -> None:
    answer = browser_of(leo).post("/auth/prove", {"password": PASSWORD, "next": "https://evil.example/"})

    assert answer["Location"] == SETTINGS


def test_guessing_at_reauthentication_locks_the_account(browser_of: Callable[[User], Client], leo: User) -> None:
    browser = browser_of(leo)
    for _ in range(5):
        browser.post("/auth/prove", {"password": "WrongGuess1"})

    assert 'data-error="AUTH_ACCOUNT_LOCKED"' in browser.post("/auth/prove", {"password": PASSWORD}).content.decode()
    assert browser.get("/settings/security/app").status_code == 302


# --- Signing in ------------------------------------------------------------------------------------


def test_a_code_after_the_password_signs_in_and_redirects(client: Client, leo: User, recovery_codes: list[str]) -> None:
    first = sign_in_again(client, leo, next="/courses/", remember="on")
    assert first["Location"] == "/auth/second-step?next=/courses/"
    page = client.get(first["Location"]).content.decode()
    assert 'name="next" value="/courses/"' in page

    second = client.post("/auth/second-step", {"code": code_now(), "next": "/courses/"})

    assert second["Location"] == "/courses/"
    assert is_signed_in(client)
    assert client.cookies["sessionid"]["max-age"] == 60 * 60 * 24 * 14


def test_the_second_step_keeps_the_choice_not_to_be_remembered(
    client: Client, leo: User, recovery_codes: list[str]
) -> None:
    sign_in_again(client, leo)
    client.post("/auth/second-step", {"code": code_now()})

    assert client.cookies["sessionid"]["max-age"] == ""


def test_the_second_step_never_redirects_to_another_site(client: Client, leo: User, recovery_codes: list[str]) -> None:
    first = sign_in_again(client, leo, next="https://evil.example/")
    second = client.post("/auth/second-step", {"code": code_now(), "next": "//evil.example"})

    assert first["Location"] == "/auth/second-step?next=/me/dashboard"
    assert second["Location"] == "/me/dashboard"


def test_spaces_in_a_code_are_ignored(client: Client, leo: User, recovery_codes: list[str]) -> None:
    sign_in_again(client, leo)
    code = code_now()

    client.post("/auth/second-step", {"code": f" {code[:3]} {code[3:]} "})

    assert is_signed_in(client)


@pytest.mark.parametrize("minutes", [-1, 1])
def test_a_clock_may_be_wrong_by_half_a_minute_but_not_by_a_minute(
    client: Client, leo: User, recovery_codes: list[str], minutes: int
) -> None:
    sign_in_again(client, leo)
    client.post("/auth/second-step", {"code": code_at(timezone.now() + timedelta(minutes=minutes))})
    assert not is_signed_in(client)

    client.post("/auth/second-step", {"code": code_at(timezone.now() + timedelta(seconds=30 * minutes))})
    assert is_signed_in(client)


def test_the_password_alone_grants_no_access(client: Client, leo: User, recovery_codes: list[str]) -> None:
    sign_in_again(client, leo)

    assert not is_signed_in(client)
    for address in ("/settings/", "/me/enrollments", "/dashboard", "/auth/prove", "/settings/security/off"):
        assert client.get(address)["Location"].startswith("/auth/login?next="), address
    assert client.post("/settings/security/off")["Location"].startswith("/auth/login")
    assert client.post("/auth/prove", {"password": PASSWORD})["Location"].startswith("/auth/login")
    assert client.get("/api/v1/auth/session/").json()["code"] == "NOT_AUTHENTICATED"
    assert not BrowserSession.objects.of(leo).exists()
    assert "study_known" not in client.cookies
    assert Authenticator.objects.filter(user=leo).count() == 2


def test_the_api_error_contains_the_address_of_the_second_step(
    client: Client, leo: User, recovery_codes: list[str]
) -> None:
    body = {"email": leo.email, "password": PASSWORD}
    answer = client.post("/api/v1/auth/login", body, content_type="application/json")

    assert (answer.status_code, answer.json()["code"]) == (403, "AUTH_SECOND_STEP_REQUIRED")
    assert "token" not in answer.json()
    assert not is_signed_in(client)
    assert "study_known" not in client.cookies
    client.post("/auth/second-step", {"code": code_now()})
    assert is_signed_in(client)


def test_a_wrong_password_does_not_reveal_the_second_step(client: Client, leo: User, recovery_codes: list[str]) -> None:
    body = {"email": leo.email, "password": "WrongGuess1"}

    answer = client.post("/api/v1/auth/login", body, content_type="application/json")

    assert answer.json()["code"] == "AUTH_INVALID_CREDENTIALS"
    assert client.get("/auth/second-step")["Location"] == "/auth/login"


def test_the_second_step_requires_a_password_first(client: Client, leo: User, recovery_codes: list[str]) -> None:
    answer = client.post("/auth/second-step?next=/courses/", {"code": code_now()})

    assert answer["Location"] == "/auth/login?next=/courses/"
    assert not is_signed_in(client)


def test_the_second_step_expires_after_five_minutes(client: Client, leo: User, recovery_codes: list[str]) -> None:
    sign_in_again(client, leo)

    with time_machine.travel(timezone.now() + timedelta(minutes=5, seconds=1)):
        client.post("/auth/second-step", {"code": code_now()})
        assert not is_signed_in(client)


@pytest.mark.parametrize("change", ["password", "block"])
def test_a_new_password_or_a_block_ends_the_second_step(
    client: Client, leo: User, recovery_codes: list[str], change: str
) -> None:
    sign_in_again(client, leo)
    if change == "block":
        services.block(user=leo)
    else:
        leo.set_password("BrightLake27")
        leo.save()

    client.post("/auth/second-step", {"code": code_now()})

    assert not is_signed_in(client)


def test_a_sign_in_of_another_user_replaces_the_second_step(
    client: Client, leo: User, mia: User, recovery_codes: list[str]
) -> None:
    """Leo's code must not complete Mia's sign-in, and Mia's must not complete Leo's."""
    turn_on_two_factor(mia)
    Authenticator.objects.filter(user=mia, type="totp").update(
        data={"secret": two_factor.encrypt("KRSXG5CTMVRXEZLU"), "used": -1}
    )
    sign_in_again(client, leo)
    sign_in_again(client, mia)

    client.post("/auth/second-step", {"code": code_now()})
    assert not is_signed_in(client)
    client.post("/auth/second-step", {"code": code_at(timezone.now(), "KRSXG5CTMVRXEZLU")})
    assert client.get("/api/v1/auth/session/").json()["user"]["email"] == mia.email


def test_a_second_step_of_another_user_signs_the_first_user_out(
    browser_of: Callable[[User], Client], leo: User, mia: User, recovery_codes: list[str]
) -> None:
    browser = browser_of(mia)
    token = browser.get("/api/v1/auth/session/").json()["token"]

    sign_in_again(browser, leo)

    assert not is_signed_in(browser)
    bearer = {"Authorization": f"Bearer {token}"}
    assert Client().get("/api/v1/auth/session/", headers=bearer).status_code == 401


def test_a_planted_session_key_gives_no_access(client: Client, leo: User, recovery_codes: list[str]) -> None:
    """Session fixation at both steps: the session gets a new key after each."""
    client.session["planted"] = "1"
    session = client.session
    session["planted"] = "1"
    session.save()
    planted = Client()
    planted.cookies["sessionid"] = client.cookies["sessionid"].value

    sign_in_again(client, leo)
    waiting = client.cookies["sessionid"].value
    assert waiting != planted.cookies["sessionid"].value
    planted.post("/auth/second-step", {"code": code_now()})
    assert not is_signed_in(planted)

    client.post("/auth/second-step", {"code": code_now()})
    assert is_signed_in(client)
    copied = Client()
    copied.cookies["sessionid"] = waiting
    assert not is_signed_in(copied)
    assert copied.get("/auth/second-step")["Location"] == "/auth/login"


def test_no_sign_in_method_skips_the_second_step(leo: User, recovery_codes: list[str], rf) -> None:
    """A caller of sessions.sign_in is stopped unless it states that the second step is complete."""
    from django.contrib.auth.models import AnonymousUser

    from apps.accounts import sessions
    from apps.accounts.errors import SecondStepRequired
    from apps.accounts.sessions.store import SessionStore

    request = rf.get("/")
    request.session, request.user = SessionStore(), AnonymousUser()
    with pytest.raises(SecondStepRequired):
        sessions.sign_in(request, leo, now=timezone.now())
    assert "_auth_user_id" not in request.session


def test_a_password_reset_does_not_skip_the_second_step(client: Client, leo: User, recovery_codes: list[str]) -> None:
    services.send_password_reset(email=leo.email)
    link = next(found[0] for body in emails_with_subject() if (found := re.search(r"/auth/reset-password/\S+", body)))
    client.post(link, {"password": "BrightLake27", "confirmation": "BrightLake27"})
    assert not is_signed_in(client)

    client.post("/auth/login", {"email": leo.email, "password": "BrightLake27"})
    assert not is_signed_in(client)


# --- Codes work once -------------------------------------------------------------------------------


def verify_code(user: User, code: str, **options: object) -> str:
    try:
        services.verify_second_step_code(user=user, code=code, now=timezone.now(), **options)  # type: ignore[arg-type]
    except AppError as refusal:
        return refusal.code
    return "in"


@pytest.mark.database
def test_a_code_works_once_across_processes(client: Client, leo: User, recovery_codes: list[str]) -> None:
    from django.core.cache import cache

    code = code_now()
    sign_in_again(client, leo)
    client.post("/auth/second-step", {"code": code})
    cache.clear()  # as another process would read it

    other = Client()
    sign_in_again(other, leo)
    page = other.post("/auth/second-step", {"code": code}).content.decode()

    assert not is_signed_in(other)
    assert "was already used" in page


def test_a_code_older_than_the_last_used_one_is_refused(leo: User, recovery_codes: list[str]) -> None:
    early = code_at(timezone.now() - timedelta(seconds=30))
    assert verify_code(leo, code_now()) == "in"

    assert verify_code(leo, early) == "AUTH_CODE_WRONG"


def test_a_recovery_code_works_once_and_sends_an_email(client: Client, leo: User, recovery_codes: list[str]) -> None:
    sign_in_again(client, leo)
    client.post("/auth/second-step", {"code": recovery_codes[3]})
    assert is_signed_in(client)

    other = Client()
    sign_in_again(other, leo)
    other.post("/auth/second-step", {"code": recovery_codes[3]})
    assert not is_signed_in(other)
    assert services.factors_of(leo).codes_left == 9
    assert "Codes left: 9." in emails_with_subject("recovery code was used")[0]


def test_the_codes_of_another_user_do_not_work(leo: User, mia: User, recovery_codes: list[str]) -> None:
    hers = turn_on_two_factor(mia)

    assert verify_code(leo, hers[0].replace("-", "")) == "AUTH_CODE_WRONG"
    assert services.factors_of(mia).codes_left == 10


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("kind", ["app", "recovery"])
def test_only_one_of_many_parallel_uses_succeeds(kind: str) -> None:
    user = UserFactory()
    codes = turn_on_two_factor(user)
    code = code_now() if kind == "app" else codes[0].replace("-", "")

    told = run_in_parallel(8, lambda: verify_code(user, code))

    assert told.count("in") == 1


# --- Guessing --------------------------------------------------------------------------------------


def test_the_fifth_wrong_code_locks_and_notifies_the_user(client: Client, leo: User, recovery_codes: list[str]) -> None:
    sign_in_again(client, leo)
    for _ in range(5):
        client.post("/auth/second-step", {"code": "000000"})

    page = client.post("/auth/second-step", {"code": code_now()}).content.decode()

    assert 'data-error="AUTH_SECOND_STEP_LOCKED"' in page
    assert not is_signed_in(client)
    assert len(emails_with_subject("Five wrong two-factor codes")) == 1
    with time_machine.travel(timezone.now() + timedelta(minutes=15, seconds=1)):
        sign_in_again(client, leo)
        client.post("/auth/second-step", {"code": code_now()})
        assert is_signed_in(client)


def test_signing_in_again_does_not_reset_the_failed_attempts(leo: User, recovery_codes: list[str]) -> None:
    """Neither a new session nor the right password resets the count of wrong codes."""
    for _ in range(5):
        stranger = Client()
        sign_in_again(stranger, leo)
        stranger.post("/auth/second-step", {"code": "000000"})

    last = Client()
    sign_in_again(last, leo)
    last.post("/auth/second-step", {"code": code_now()})
    assert not is_signed_in(last)


def test_wrong_codes_at_sign_in_and_reauthentication_count_together(
    browser_of: Callable[[User], Client], leo: User, recovery_codes: list[str]
) -> None:
    stolen = browser_of(leo)
    for _ in range(5):
        stolen.post("/auth/prove", {"code": "00000000"})

    assert verify_code(leo, code_now()) == "AUTH_SECOND_STEP_LOCKED"


def test_a_password_reset_does_not_remove_the_lock_on_codes(leo: User, recovery_codes: list[str]) -> None:
    for _ in range(5):
        verify_code(leo, "000000")

    services.clear_lock(email=leo.email)

    assert verify_code(leo, code_now()) == "AUTH_SECOND_STEP_LOCKED"


def test_a_known_browser_has_its_own_count(client: Client, leo: User, recovery_codes: list[str]) -> None:
    sign_in_again(client, leo)
    client.post("/auth/second-step", {"code": code_at(timezone.now() - timedelta(seconds=30))})
    client.post("/auth/logout")
    for _ in range(5):
        verify_code(leo, "000000")

    sign_in_again(client, leo)
    client.post("/auth/second-step", {"code": code_now()})

    assert is_signed_in(client)


@pytest.mark.parametrize("nonsense", ["", "abc", "12345", "1234567", "١٢٣٤٥٦", "0" * 5000, "00 00\x0000"])
def test_malformed_codes_are_not_counted(client: Client, leo: User, recovery_codes: list[str], nonsense: str) -> None:
    sign_in_again(client, leo)
    for _ in range(6):
        assert client.post("/auth/second-step", {"code": nonsense}).status_code == 200

    client.post("/auth/second-step", {"code": code_now()})
    assert is_signed_in(client)


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_only_five_of_forty_parallel_codes_are_checked() -> None:
    user = UserFactory()
    turn_on_two_factor(user)
    checked: list[str] = []
    real = two_factor._app_accepts

    def record_check(user: User, code: str, now: datetime) -> bool:
        checked.append(code)
        return real(user, code, now)

    with mock.patch.object(two_factor, "_app_accepts", record_check):
        told = run_in_parallel(40, lambda: verify_code(user, "000000"))

    assert sorted(told) == ["AUTH_CODE_WRONG"] * 5 + ["AUTH_SECOND_STEP_LOCKED"] * 35
    assert len(checked) == 5
    assert LoginLock.objects.get().failures == 5


# --- Secrets ---------------------------------------------------------------------------------------


def test_secrets_are_encrypted_and_readable_with_a_former_key(leo: User, recovery_codes: list[str]) -> None:
    kept = json.dumps(list(Authenticator.objects.values_list("data", flat=True)))
    assert SECRET not in kept
    assert not any(code.replace("-", "") in kept for code in recovery_codes)

    from django.conf import settings

    with override_settings(SECRET_KEY="n" * 60, SECRET_KEY_FALLBACKS=[settings.SECRET_KEY]):
        assert verify_code(leo, code_now()) == "in"


def test_an_admin_can_reset_the_second_step_without_seeing_a_secret(
    browser_of: Callable[[User], Client], leo: User, sam: User, recovery_codes: list[str]
) -> None:
    reauthenticated_browser = browser_of(sam)
    page = reauthenticated_browser.get(f"/admin/accounts/user/{leo.pk}/change/").content.decode()
    assert "secret" not in page.replace("secretary", "")
    for address in ("/admin/mfa/", "/admin/mfa/authenticator/"):
        assert reauthenticated_browser.get(address).status_code == 404

    body = {"action": "reset_second_step", "_selected_action": [str(leo.pk), str(sam.pk)]}
    reauthenticated_browser.post("/admin/accounts/user/", body)

    assert not services.has_second_factor(leo)
    assert emails_with_subject("two-factor sign-in was reset")
    client = Client()
    sign_in_again(client, leo)
    assert is_signed_in(client)


def test_admins_cannot_reset_their_own_second_step(browser_of: Callable[[User], Client], sam: User) -> None:
    turn_on_two_factor(sam)

    body = {"action": "reset_second_step", "_selected_action": [str(sam.pk)]}
    browser_of(sam).post("/admin/accounts/user/", body)

    assert services.has_second_factor(sam)


def test_only_an_admin_can_reset_a_second_step(
    browser_of: Callable[[User], Client], leo: User, eve: User, recovery_codes: list[str]
) -> None:
    body = {"action": "reset_second_step", "_selected_action": [str(leo.pk)]}
    browser_of(eve).post("/admin/accounts/user/", body)

    assert services.has_second_factor(leo)


def test_signing_in_without_two_factor_takes_one_more_query(client: Client, leo: User) -> None:
    with CaptureQueriesContext(connection) as queries:
        sign_in_again(client, leo)
    authenticator_queries = [query["sql"] for query in queries if "mfa_authenticator" in query["sql"]]

    assert len(authenticator_queries) == 1
    assert is_signed_in(client)


# --- Rows of earlier versions ----------------------------------------------------------------------


@pytest.mark.parametrize(("seconds", "code"), [(59, "287082"), (1_111_111_109, "081804"), (20_000_000_000, "353130")])
def test_app_codes_match_the_test_vectors_of_rfc_6238(leo: User, seconds: int, code: str) -> None:
    secret = base64.b32encode(b"12345678901234567890").decode()

    services.set_up_app(
        user=leo, secret=str(two_factor.encrypt(secret)), code=code, now=datetime.fromtimestamp(seconds, UTC)
    )

    assert services.has_second_factor(leo)


def test_an_app_that_allauth_enrolled_still_works(leo: User) -> None:
    Authenticator.objects.create(
        user=leo, type=Authenticator.Type.TOTP, data={"secret": two_factor.encrypt(SECRET.lower())}
    )

    services.verify_second_step_code(user=leo, code=code_now(), now=timezone.now())

    with pytest.raises(AppError):
        services.verify_second_step_code(user=leo, code=code_now(), now=timezone.now())


def test_recovery_codes_that_allauth_created_still_work(leo: User) -> None:
    # allauth derives the codes from the seed; the first one of this seed is marked as used.
    data = {"seed": two_factor.encrypt("ab" * 40), "used_mask": 1}
    Authenticator.objects.create(user=leo, type=Authenticator.Type.RECOVERY_CODES, data=data)
    used, unused = "30590342", "17884826"

    services.verify_second_step_code(user=leo, code=unused, now=timezone.now())

    for spent in (used, unused):
        with pytest.raises(AppError):
            services.verify_second_step_code(user=leo, code=spent, now=timezone.now())
    assert services.factors_of(leo).codes_left == 8
