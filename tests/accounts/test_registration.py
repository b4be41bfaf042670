"""Registration: the form's rules, the verification, and what it must not reveal (docs/adr/0009)."""

import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier
from typing import Any
from unittest import mock
from uuid import uuid4

import pytest
import time_machine
from django.contrib.auth import hashers
from django.contrib.auth.tokens import default_token_generator
from django.core import mail
from django.db import connection, connections
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from apps.accounts import services
from apps.accounts.models import Registration, User
from studyplatform.kit import jobs
from tests.factories.accounts import PASSWORD, UserFactory

pytestmark = pytest.mark.django_db
GOOD = {
    "first_name": "Amara",
    "last_name": "Lindgren",
    "email": "Amara@Example.org",
    "password": "QuietRiver26",
    "confirmation": "QuietRiver26",
    "terms": "on",
}


@pytest.fixture
def hashed_passwords() -> Iterator[list[str]]:
    """Record every password that is hashed."""
    seen: list[str] = []
    real = hashers.MD5PasswordHasher.encode

    def encode(self: hashers.MD5PasswordHasher, password: str, salt: str) -> str:
        seen.append(password)
        return real(self, password, salt)

    with mock.patch.object(hashers.MD5PasswordHasher, "encode", encode):
        yield seen


def register(client: Client, **changed: str) -> Any:
    """Submit the form and send the email."""
    answer = client.post("/auth/register", GOOD | changed)
    jobs.run_pending("default")
    return answer


def read_email() -> tuple[str, str]:
    """Return the link and the code of the latest email."""
    jobs.run_pending("default")
    words = str(mail.outbox[-1].body)
    link = re.search(r"http://127\.0\.0\.1:8000(/auth/verify-email\S+)", words)
    code = re.search(r"\b(\d{6})\b", words)
    assert link
    assert code
    return link[1], code[1]


def wrong_code(code: str) -> str:
    return f"{(int(code) + 1) % 10**6:06}"


def is_signed_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


# --- What works ------------------------------------------------------------------------------------


def test_the_emailed_code_creates_the_account_and_signs_in_the_same_browser(client: Client) -> None:
    answer = register(client, next="/courses/rivers-and-their-work")
    assert answer["Location"] == "/auth/verify-email?next=/courses/rivers-and-their-work"
    page = client.get(answer["Location"]).content.decode()
    assert "amara@example.org" in page
    assert 'data-wait="' in page
    assert not User.objects.exists()
    assert mail.outbox[0].to == ["amara@example.org"]
    assert re.match(r"\d{6} is your code for Study Platform", str(mail.outbox[0].subject))

    code = read_email()[1]
    typed = {"code": f" {code[:3]} {code[3:]}-", "next": "/courses/rivers-and-their-work"}
    arrived = client.post("/auth/verify-email", typed)

    user = User.objects.get(email="amara@example.org")
    assert arrived["Location"] == "/courses/rivers-and-their-work"
    assert client.session["_auth_user_id"] == str(user.pk)
    assert (user.first_name, user.last_name, user.role, user.is_staff) == ("Amara", "Lindgren", "student", False)
    assert user.terms_accepted_at is not None
    assert user.email_verified_at is not None
    assert user.check_password("QuietRiver26")


def test_the_emailed_link_creates_the_account_and_signs_in_the_same_browser(client: Client) -> None:
    register(client)

    opened = client.get(read_email()[0])
    assert "Verify email" in opened.content.decode()
    assert not User.objects.exists(), "an email program that follows links verifies nothing"
    assert client.post(read_email()[0])["Location"] == "/me/dashboard"
    assert is_signed_in(client)


CHOSEN = {
    "first_name": "Amara",
    "last_name": "Lindgren-Okafor",
    "password": "OwnersRiver26",
    "confirmation": "OwnersRiver26",
    "terms": "on",
}


def finish_registration(browser: Client, link: str, **changed: str) -> Any:
    """Open the link in a browser that did not register and submit the form that it shows."""
    browser.get(link)
    return browser.post("/auth/verify-email", CHOSEN | {"key": link.split("key=")[1]} | changed)


def test_the_link_in_another_browser_requires_a_password_and_signs_in_only_there(client: Client) -> None:
    register(client)
    phone, link = Client(), read_email()[0]

    page = phone.get(link).content.decode()
    assert "Choose your password" in page
    assert 'value="Lindgren"' in page
    assert "QuietRiver26" not in page
    phone.post(link)
    assert not User.objects.exists(), "opening the link alone creates no account"

    assert finish_registration(phone, link)["Location"] == "/me/dashboard"
    user = User.objects.get()
    assert (user.last_name, user.email_verified_at is not None) == ("Lindgren-Okafor", True)
    assert user.check_password("OwnersRiver26")
    assert phone.session["_auth_user_id"] == str(user.pk)

    waiting = client.get("/auth/verify-email")
    assert waiting.status_code == 200
    assert 'href="/auth/login"' in waiting.content.decode()
    assert not is_signed_in(client)


@pytest.mark.parametrize("way", ["waits", "types the code", "asks for another mail", "opens the link", "signs in"])
def test_an_owner_s_click_gives_no_access_to_the_registering_browser(way: str) -> None:
    waiting, owner = Client(), Client()
    register(waiting, password="AttackRiver26", confirmation="AttackRiver26")
    link, code = read_email()
    before = waiting.get("/auth/verify-email").content.decode().split("<main")[1]
    finish_registration(owner, link)

    match way:
        case "waits":
            answer = waiting.get("/auth/verify-email")
            same = [re.sub(r'value="\w{64}"|data-wait="\d+"', "", page) for page in (before, answer.content.decode())]
            assert same[0].split("</main")[0] == same[1].split("<main")[1].split("</main")[0], (
                "the page reveals nothing"
            )
        case "types the code":
            assert (
                "This code is wrong or has expired."
                in waiting.post("/auth/verify-email", {"code": code}).content.decode()
            )
        case "asks for another mail":
            with time_machine.travel(timezone.now() + timedelta(seconds=61)):
                assert waiting.post("/auth/verify-email/resend")["Location"] == "/auth/verify-email"
                jobs.run_pending("default")
            assert mail.outbox[-1].subject == "You already have an account at Study Platform"
        case "opens the link":
            finish_registration(waiting, link, password="AttackRiver26", confirmation="AttackRiver26")
            waiting.post(link)
        case "signs in":
            body = {"email": "amara@example.org", "password": "AttackRiver26"}
            assert waiting.post("/auth/login", body).status_code == 200

    assert not is_signed_in(waiting)
    assert is_signed_in(owner)
    assert User.objects.get().check_password("OwnersRiver26")


def test_a_browser_with_a_different_registration_is_another_browser(client: Client) -> None:
    """The owner registers too and opens the stranger's email: the stranger's choices are not applied."""
    register(Client(), password="AttackRiver26", confirmation="AttackRiver26")
    strangers_link = read_email()[0]
    register(client)

    assert "Choose your password" in client.post(strangers_link).content.decode()
    assert not User.objects.exists()


def test_a_signed_in_user_stays_signed_in(leo: User, browser_of: Callable[[User], Client]) -> None:
    register(Client())
    browser = browser_of(leo)

    assert "Your account is ready" in finish_registration(browser, read_email()[0]).content.decode()
    assert browser.session["_auth_user_id"] == str(leo.pk)
    assert User.objects.get(email="amara@example.org").check_password("OwnersRiver26")


@pytest.mark.parametrize(
    ("change", "field", "message"),
    [
        ({"password": "quietriver26", "confirmation": "quietriver26"}, "password", "at least one uppercase letter"),
        ({"password": "Amara@Example.org1", "confirmation": "Amara@Example.org1"}, "password", "too similar"),
        ({"confirmation": "QuietRover26"}, "confirmation", "Passwords do not match"),
        ({"first_name": ""}, "first_name", "Enter your first name."),
        ({"terms": ""}, "terms", "You must agree to the terms of service"),
    ],
)
def test_a_password_chosen_by_link_follows_the_same_rules(change: dict[str, str], field: str, message: str) -> None:
    register(Client())
    link, phone = read_email()[0], Client()

    told = phone.post("/auth/verify-email/check", CHOSEN | {"key": link.split("key=")[1]} | change)
    assert message in " ".join(told.json()[field])
    assert message in finish_registration(phone, link, **change).content.decode()
    assert not User.objects.exists()
    assert phone.post("/auth/verify-email/check", CHOSEN | {"key": "x"}).status_code == 404


@pytest.mark.parametrize("locked_out", ["a new password", "ending the other browsers", "a block"])
def test_a_finished_registration_does_not_restore_an_ended_session(client: Client, locked_out: str) -> None:
    register(client)
    finish_registration(Client(), read_email()[0])
    user = User.objects.get()

    match locked_out:
        case "a new password":
            token = default_token_generator.make_token(user)
            services.reset_password(uid=user.uid, token=token, password="OtherRiver27", now=timezone.now())
        case "ending the other browsers":
            services.end_sessions(user=user, but=uuid4())
        case "a block":
            services.block(user=user)

    assert "Location" not in client.get("/auth/verify-email")
    assert not is_signed_in(client)


@pytest.mark.database
def test_the_link_works_once(client: Client) -> None:
    register(client)
    link = read_email()[0]
    client.post(link)

    for browser in (client, Client()):
        again = finish_registration(browser, link, password="SecondRiver26", confirmation="SecondRiver26")
        assert "Your account is ready" in again.content.decode()

    assert User.objects.get().check_password("QuietRiver26")


def test_two_users_with_similar_emails_get_different_usernames() -> None:
    for email in ("amara@example.org", "amara@example.net"):
        browser = Client()
        register(browser, email=email)
        browser.post("/auth/verify-email", {"code": read_email()[1]})

    assert sorted(User.objects.values_list("username", flat=True)) == ["amara", "amara2"]


def test_a_new_code_is_available_after_a_minute_and_replaces_the_old_one(client: Client) -> None:
    register(client)
    older = read_email()[1]

    client.post("/auth/verify-email/resend", {"next": "/courses/"})
    jobs.run_pending("default")
    assert len(mail.outbox) == 1

    with time_machine.travel(timezone.now() + timedelta(seconds=61)):
        answer = client.post("/auth/verify-email/resend", {"next": "https://evil.example/"})
        jobs.run_pending("default")
        newer = read_email()[1]
        assert len(mail.outbox) == 2
        assert answer["Location"] == "/auth/verify-email"
        if older != newer:
            client.post("/auth/verify-email", {"code": older})
            assert not User.objects.exists()
        client.post("/auth/verify-email", {"code": newer})
    assert User.objects.exists()


def test_a_signed_in_user_cannot_register(browser_of: Callable[[User], Client], leo: User) -> None:
    browser = browser_of(leo)

    assert browser.get("/auth/register")["Location"] == "/me/dashboard"
    assert browser.post("/auth/register", GOOD)["Location"] == "/me/dashboard"
    assert not Registration.objects.exists()


# --- The form's rules ------------------------------------------------------------------------------

REFUSALS = [
    ({"first_name": " "}, "first_name", "Enter your first name."),
    ({"first_name": "Amara\nBcc: x@example.org"}, "first_name", "Use letters, spaces and punctuation only."),
    ({"last_name": ""}, "last_name", "Enter your last name."),
    ({"email": "amara"}, "email", "Enter a valid email address."),
    ({"email": ""}, "email", "Enter your email address."),
    ({"password": "Qr26", "confirmation": "Qr26"}, "password", "at least 8 characters"),
    ({"password": "quietriver26", "confirmation": "quietriver26"}, "password", "Use at least one uppercase letter."),
    ({"password": "QUIETRIVER26", "confirmation": "QUIETRIVER26"}, "password", "Use at least one lowercase letter."),
    ({"password": "QuietRiver", "confirmation": "QuietRiver"}, "password", "Use at least one number."),
    ({"password": "Password1", "confirmation": "Password1"}, "password", "too common"),
    ({"password": "Amara@Example.org1", "confirmation": "Amara@Example.org1"}, "password", "too similar"),
    ({"password": "Lindgren1", "confirmation": "Lindgren1"}, "password", "too similar"),
    ({"confirmation": "QuietRover26"}, "confirmation", "Passwords do not match"),
    ({"confirmation": ""}, "confirmation", "Enter the password again."),
    ({"terms": ""}, "terms", "You must agree to the terms of service"),
]


@pytest.mark.parametrize(("change", "field", "message"), REFUSALS)
def test_an_invalid_form_shows_the_specified_errors_and_keeps_the_input(
    client: Client, change: dict[str, str], field: str, message: str
) -> None:
    page = client.post("/auth/register", GOOD | change).content.decode()

    assert message in page
    assert f'<a class="link" href="#id_{field}">' in page
    assert "data-errors" in page
    assert not Registration.objects.exists()
    assert "QuietRiver26" not in page
    if field != "last_name":
        assert 'value="Lindgren"' in page


@pytest.mark.parametrize(("change", "field", "message"), REFUSALS)
def test_live_validation_reports_the_same_errors(
    client: Client, change: dict[str, str], field: str, message: str
) -> None:
    told = client.post("/auth/register/check", GOOD | change).json()

    assert list(told) == [field]
    assert any(message in one for one in told[field])
    assert not Registration.objects.exists()


def test_live_validation_does_not_reveal_accounts(client: Client, leo: User) -> None:
    assert client.post("/auth/register/check", GOOD | {"email": leo.email}).json() == {}


# --- Attacks -----------------------------------------------------------------------------


def test_registration_ignores_a_role(client: Client) -> None:
    register(client, role="admin", is_staff="1", is_superuser="1", is_active="0", provider="google", user="1")
    assert Registration.objects.get().provider == ""

    client.post("/auth/verify-email", {"code": read_email()[1]})

    user = User.objects.get()
    assert (user.role, user.is_staff, user.is_superuser, user.is_active) == ("student", False, False, True)


def test_a_taken_email_gets_the_same_response_and_work_as_a_free_one(
    leo: User, ben: User, hashed_passwords: list[str]
) -> None:
    answers, pages, costs = set(), set(), set()
    register(Client())  # the address is counted from its first attempt
    for email in ("nobody@example.com", "Leo@Example.com", "ben@example.com"):
        browser = Client()
        hashed_passwords.clear()
        with CaptureQueriesContext(connection) as queries:
            answer = browser.post("/auth/register", GOOD | {"email": email})
        answers.add((answer.status_code, answer["Location"], tuple(sorted(answer.cookies))))
        costs.add((len(hashed_passwords), len(queries)))
        jobs.run_pending("default")
        page = browser.get("/auth/verify-email").content.decode().split("<main")[1]
        pages.add(re.sub(r'value="\w{64}"|data-wait="\d+"', "", page.replace(email.lower(), "")))
        refused = browser.post("/auth/verify-email", {"code": "123456"}).content.decode()
        assert "This code is wrong or has expired." in refused

    assert (len(answers), len(pages), len(costs)) == (1, 1, 1)
    assert costs.pop()[0] == 1


def test_registering_a_taken_email_only_notifies_its_owner(client: Client, leo: User) -> None:
    register(client, email=leo.email.upper())

    told = mail.outbox[0]
    assert (told.to, told.subject) == ([leo.email], "You already have an account at Study Platform")
    assert "http://127.0.0.1:8000/auth/login" in str(told.body)
    assert "/auth/forgot-password" in str(told.body)
    assert "Amara" not in str(told.body), "the owner does not see text from a stranger"
    assert not re.search(r"\b\d{6}\b", str(told.body))
    leo.refresh_from_db()
    assert leo.check_password(PASSWORD)
    assert User.objects.count() == 1


def test_a_blocked_user_gets_no_email(client: Client, ben: User) -> None:
    register(client, email=ben.email)

    assert mail.outbox == []


def test_the_password_of_an_unfinished_registration_signs_no_user_in(client: Client) -> None:
    """Otherwise, registering and then signing in would reveal whether an email was free."""
    register(client)

    body = {"email": "amara@example.org", "password": "QuietRiver26"}
    answer = Client().post("/api/v1/auth/login", body, content_type="application/json")

    assert answer.json()["code"] == "AUTH_INVALID_CREDENTIALS"


def test_the_email_contains_no_text_from_the_form(client: Client) -> None:
    register(client, first_name="Win at https://evil.example")

    assert "evil.example" not in str(mail.outbox[0].body)


def test_five_wrong_codes_end_the_registration(client: Client) -> None:
    register(client)
    code = read_email()[1]

    for _ in range(5):
        client.post("/auth/verify-email", {"code": wrong_code(code)})
    client.post("/auth/verify-email", {"code": code})

    assert not User.objects.exists()


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_parallel_guesses_are_counted_exactly() -> None:
    row = services.request_registration(
        email="amara@example.org", first_name="Amara", last_name="Lindgren", now=timezone.now()
    )
    services.send_registration_email(uid=str(row.uid))
    code = read_email()[1]
    gate = Barrier(16)

    def guess() -> User | None:
        gate.wait()
        try:
            return services.complete_registration_by_code(uid=row.uid, code=wrong_code(code), now=timezone.now())
        finally:
            connections.close_all()

    with ThreadPoolExecutor(16) as pool:
        told = [done.result() for done in [pool.submit(guess) for _ in range(16)]]

    assert told == [None] * 16
    assert Registration.objects.get().tries == 5


def test_a_code_works_in_one_browser(client: Client) -> None:
    register(client)
    code = read_email()[1]
    stranger = Client()
    register(stranger, email="eve@example.org")

    stranger.post("/auth/verify-email", {"code": code if code != read_email()[1] else wrong_code(code)})

    assert not is_signed_in(stranger)
    assert not User.objects.exists()


def test_only_the_first_of_two_registrations_to_verify_an_email_gets_it(client: Client) -> None:
    """An attacker registers with a stranger's email and waits: verification creates the owner's account."""
    waiting = Client()
    register(waiting, password="AttackRiver26", confirmation="AttackRiver26")
    old_link, old_code = read_email()
    register(client)
    client.post("/auth/verify-email", {"code": read_email()[1]})

    late = waiting.post("/auth/verify-email", {"code": old_code})

    assert "You already have an account" in late.content.decode()
    assert "You already have an account" in waiting.post(old_link).content.decode()
    assert not is_signed_in(waiting)
    assert User.objects.get().check_password("QuietRiver26")


def test_the_link_and_the_code_work_for_half_an_hour(client: Client) -> None:
    register(client)
    link, code = read_email()

    with time_machine.travel(timezone.now() + timedelta(minutes=31)):
        assert "This link has expired" in client.post(link).content.decode()
        client.post("/auth/verify-email", {"code": code})

    assert not User.objects.exists()


@pytest.mark.parametrize("key", ["x", "a:b:c", "WyJhIl0:1abc:def"])
def test_a_forged_link_creates_no_account(client: Client, key: str) -> None:
    register(client)

    assert "This link has expired" in client.post(f"/auth/verify-email?key={key}").content.decode()
    assert not User.objects.exists()


def test_an_email_address_gets_at_most_six_emails_an_hour(settings: Any) -> None:
    settings.RATE_LIMITS = settings.RATE_LIMITS | {"mail-to-one": (6, 3600)}

    told = [register(Client(), email="leo@example.com").status_code for _ in range(8)]

    assert told == [302] * 6 + [429] * 2
    assert len(mail.outbox) == 6


def test_registration_gives_the_session_a_new_key(client: Client) -> None:
    register(client)
    before = client.session.session_key

    client.post("/auth/verify-email", {"code": read_email()[1]})

    assert client.session.session_key != before


def test_expired_registrations_are_deleted() -> None:
    now = timezone.now()
    for hours in (1, 25):
        services.request_registration(
            email="amara@example.org", first_name="A", last_name="L", now=now - timedelta(hours=hours)
        )

    services.clean_up(now=now)

    assert Registration.objects.count() == 1


def test_an_unverified_registration_does_not_reserve_the_email(client: Client) -> None:
    UserFactory(username="other")
    register(Client())

    register(client)
    client.post("/auth/verify-email", {"code": read_email()[1]})

    assert User.objects.filter(email="amara@example.org").exists()
