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
def hashed() -> Iterator[list[str]]:
    """Every password that is hashed."""
    seen: list[str] = []
    real = hashers.MD5PasswordHasher.encode

    def encode(self: hashers.MD5PasswordHasher, password: str, salt: str) -> str:
        seen.append(password)
        return real(self, password, salt)

    with mock.patch.object(hashers.MD5PasswordHasher, "encode", encode):
        yield seen


def register(client: Client, **changed: str) -> Any:
    """Send the form and have the mail sent."""
    answer = client.post("/auth/register", GOOD | changed)
    jobs.run_pending("default")
    return answer


def posted() -> tuple[str, str]:
    """The link and the code of the newest mail."""
    jobs.run_pending("default")
    words = str(mail.outbox[-1].body)
    link = re.search(r"http://127\.0\.0\.1:8000(/auth/verify-email\S+)", words)
    code = re.search(r"\b(\d{6})\b", words)
    assert link
    assert code
    return link[1], code[1]


def wrong(code: str) -> str:
    return f"{(int(code) + 1) % 10**6:06}"


def is_signed_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


# --- What works ------------------------------------------------------------------------------------


def test_the_mailed_code_makes_the_account_and_signs_in_the_browser_that_registered(client: Client) -> None:
    answer = register(client, next="/courses/rivers-and-their-work")
    assert answer["Location"] == "/auth/verify-email?next=/courses/rivers-and-their-work"
    asked = client.get(answer["Location"]).content.decode()
    assert "amara@example.org" in asked
    assert 'data-wait="' in asked
    assert not User.objects.exists()
    assert mail.outbox[0].to == ["amara@example.org"]
    assert re.match(r"\d{6} is your code for Study Platform", str(mail.outbox[0].subject))

    code = posted()[1]
    typed = {"code": f" {code[:3]} {code[3:]}-", "next": "/courses/rivers-and-their-work"}
    arrived = client.post("/auth/verify-email", typed)

    user = User.objects.get(email="amara@example.org")
    assert arrived["Location"] == "/courses/rivers-and-their-work"
    assert client.session["_auth_user_id"] == str(user.pk)
    assert (user.first_name, user.last_name, user.role, user.is_staff) == ("Amara", "Lindgren", "student", False)
    assert user.terms_accepted_at is not None
    assert user.email_verified_at is not None
    assert user.check_password("QuietRiver26")


def test_the_link_does_the_same_in_that_browser(client: Client) -> None:
    register(client)

    opened = client.get(posted()[0])
    assert "Verify email" in opened.content.decode()
    assert not User.objects.exists(), "mail programs that follow links prove nothing"
    assert client.post(posted()[0])["Location"] == "/me/enrollments"
    assert is_signed_in(client)


CHOSEN = {
    "first_name": "Amara",
    "last_name": "Lindgren-Okafor",
    "password": "OwnersRiver26",
    "confirmation": "OwnersRiver26",
    "terms": "on",
}


def finish(browser: Client, link: str, **changed: str) -> Any:
    """Open the link in a browser that did not register, and send the form that it shows."""
    browser.get(link)
    return browser.post("/auth/verify-email", CHOSEN | {"key": link.split("key=")[1]} | changed)


def test_in_another_browser_the_link_asks_for_a_password_and_signs_in_only_there(client: Client) -> None:
    register(client)
    phone, link = Client(), posted()[0]

    asked = phone.get(link).content.decode()
    assert "Choose your password" in asked
    assert 'value="Lindgren"' in asked
    assert "QuietRiver26" not in asked
    phone.post(link)
    assert not User.objects.exists(), "a press alone makes no account there"

    assert finish(phone, link)["Location"] == "/me/enrollments"
    user = User.objects.get()
    assert (user.last_name, user.email_verified_at is not None) == ("Lindgren-Okafor", True)
    assert user.check_password("OwnersRiver26")
    assert phone.session["_auth_user_id"] == str(user.pk)

    waiting = client.get("/auth/verify-email")
    assert waiting.status_code == 200
    assert 'href="/auth/login"' in waiting.content.decode()
    assert not is_signed_in(client)


@pytest.mark.parametrize("way", ["waits", "types the code", "asks for another mail", "opens the link", "signs in"])
def test_registering_with_a_stranger_s_email_gains_nothing_from_its_owner_s_click(way: str) -> None:
    waiting, owner = Client(), Client()
    register(waiting, password="AttackRiver26", confirmation="AttackRiver26")
    link, code = posted()
    before = waiting.get("/auth/verify-email").content.decode().split("<main")[1]
    finish(owner, link)

    match way:
        case "waits":
            answer = waiting.get("/auth/verify-email")
            same = [re.sub(r'value="\w{64}"|data-wait="\d+"', "", page) for page in (before, answer.content.decode())]
            assert same[0].split("</main")[0] == same[1].split("<main")[1].split("</main")[0], "it learns nothing"
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
            finish(waiting, link, password="AttackRiver26", confirmation="AttackRiver26")
            waiting.post(link)
        case "signs in":
            body = {"email": "amara@example.org", "password": "AttackRiver26"}
            assert waiting.post("/auth/login", body).status_code == 200

    assert not is_signed_in(waiting)
    assert is_signed_in(owner)
    assert User.objects.get().check_password("OwnersRiver26")


def test_a_browser_with_another_registration_counts_as_another_browser(client: Client) -> None:
    """The owner registers too, and opens the stranger's mail: what the stranger chose is not taken over."""
    register(Client(), password="AttackRiver26", confirmation="AttackRiver26")
    strangers_link = posted()[0]
    register(client)

    assert "Choose your password" in client.post(strangers_link).content.decode()
    assert not User.objects.exists()


def test_a_signed_in_user_stays_signed_in(leo: User, browser_of: Callable[[User], Client]) -> None:
    register(Client())
    browser = browser_of(leo)

    assert "Your account is ready" in finish(browser, posted()[0]).content.decode()
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
def test_the_password_chosen_by_link_obeys_the_same_rules(change: dict[str, str], field: str, message: str) -> None:
    register(Client())
    link, phone = posted()[0], Client()

    told = phone.post("/auth/verify-email/check", CHOSEN | {"key": link.split("key=")[1]} | change)
    assert message in " ".join(told.json()[field])
    assert message in finish(phone, link, **change).content.decode()
    assert not User.objects.exists()
    assert phone.post("/auth/verify-email/check", CHOSEN | {"key": "x"}).status_code == 404


@pytest.mark.parametrize("locked_out", ["a new password", "ending the other browsers", "a block"])
def test_who_is_signed_out_everywhere_does_not_come_back_by_having_registered(client: Client, locked_out: str) -> None:
    register(client)
    finish(Client(), posted()[0])
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
    link = posted()[0]
    client.post(link)

    for browser in (client, Client()):
        again = finish(browser, link, password="SecondRiver26", confirmation="SecondRiver26")
        assert "Your account is ready" in again.content.decode()

    assert User.objects.get().check_password("QuietRiver26")


def test_two_people_whose_emails_begin_alike_get_different_usernames() -> None:
    for email in ("amara@example.org", "amara@example.net"):
        browser = Client()
        register(browser, email=email)
        browser.post("/auth/verify-email", {"code": posted()[1]})

    assert sorted(User.objects.values_list("username", flat=True)) == ["amara", "amara2"]


def test_asks_again_after_a_minute_and_a_new_code_ends_the_one_before(client: Client) -> None:
    register(client)
    older = posted()[1]

    client.post("/auth/verify-email/resend", {"next": "/courses/"})
    jobs.run_pending("default")
    assert len(mail.outbox) == 1

    with time_machine.travel(timezone.now() + timedelta(seconds=61)):
        answer = client.post("/auth/verify-email/resend", {"next": "https://evil.example/"})
        jobs.run_pending("default")
        newer = posted()[1]
        assert len(mail.outbox) == 2
        assert answer["Location"] == "/auth/verify-email"
        if older != newer:
            client.post("/auth/verify-email", {"code": older})
            assert not User.objects.exists()
        client.post("/auth/verify-email", {"code": newer})
    assert User.objects.exists()


def test_a_signed_in_user_cannot_register(browser_of: Callable[[User], Client], leo: User) -> None:
    browser = browser_of(leo)

    assert browser.get("/auth/register")["Location"] == "/me/enrollments"
    assert browser.post("/auth/register", GOOD)["Location"] == "/me/enrollments"
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
def test_refuses_with_the_specified_words_and_keeps_what_was_typed(
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


def test_the_check_does_not_know_who_has_an_account(client: Client, leo: User) -> None:
    assert client.post("/auth/register/check", GOOD | {"email": leo.email}).json() == {}


# --- What attackers tried --------------------------------------------------------------------------


def test_registration_ignores_a_role(client: Client) -> None:
    register(client, role="admin", is_staff="1", is_superuser="1", is_active="0", provider="google", user="1")
    assert Registration.objects.get().provider == ""

    client.post("/auth/verify-email", {"code": posted()[1]})

    user = User.objects.get()
    assert (user.role, user.is_staff, user.is_superuser, user.is_active) == ("student", False, False, True)


def test_a_taken_email_is_answered_like_a_free_one_with_the_same_work(leo: User, ben: User, hashed: list[str]) -> None:
    answers, pages, costs = set(), set(), set()
    register(Client())  # the address is counted from its first try on
    for email in ("nobody@example.com", "Leo@Example.com", "ben@example.com"):
        browser = Client()
        hashed.clear()
        with CaptureQueriesContext(connection) as queries:
            answer = browser.post("/auth/register", GOOD | {"email": email})
        answers.add((answer.status_code, answer["Location"], tuple(sorted(answer.cookies))))
        costs.add((len(hashed), len(queries)))
        jobs.run_pending("default")
        page = browser.get("/auth/verify-email").content.decode().split("<main")[1]
        pages.add(re.sub(r'value="\w{64}"|data-wait="\d+"', "", page.replace(email.lower(), "")))
        refused = browser.post("/auth/verify-email", {"code": "123456"}).content.decode()
        assert "This code is wrong or has expired." in refused

    assert (len(answers), len(pages), len(costs)) == (1, 1, 1)
    assert costs.pop()[0] == 1


def test_the_owner_of_a_taken_email_is_told_and_nothing_else_happens(client: Client, leo: User) -> None:
    register(client, email=leo.email.upper())

    told = mail.outbox[0]
    assert (told.to, told.subject) == ([leo.email], "You already have an account at Study Platform")
    assert "http://127.0.0.1:8000/auth/login" in str(told.body)
    assert "/auth/forgot-password" in str(told.body)
    assert "Amara" not in str(told.body), "a stranger's words do not reach the owner"
    assert not re.search(r"\b\d{6}\b", str(told.body))
    leo.refresh_from_db()
    assert leo.check_password(PASSWORD)
    assert User.objects.count() == 1


def test_a_blocked_user_gets_no_email(client: Client, ben: User) -> None:
    register(client, email=ben.email)

    assert mail.outbox == []


def test_the_password_of_a_registration_signs_nobody_in(client: Client) -> None:
    """Else registering and then signing in would tell whether an email was free."""
    register(client)

    body = {"email": "amara@example.org", "password": "QuietRiver26"}
    answer = Client().post("/api/v1/auth/login", body, content_type="application/json")

    assert answer.json()["code"] == "AUTH_INVALID_CREDENTIALS"


def test_a_stranger_s_words_do_not_stand_in_the_mail(client: Client) -> None:
    register(client, first_name="Win at https://evil.example")

    assert "evil.example" not in str(mail.outbox[0].body)


def test_five_wrong_codes_end_it(client: Client) -> None:
    register(client)
    code = posted()[1]

    for _ in range(5):
        client.post("/auth/verify-email", {"code": wrong(code)})
    client.post("/auth/verify-email", {"code": code})

    assert not User.objects.exists()


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_guesses_at_once_are_counted_exactly() -> None:
    row = services.request_registration(
        email="amara@example.org", first_name="Amara", last_name="Lindgren", now=timezone.now()
    )
    services.send_registration_email(uid=str(row.uid))
    code = posted()[1]
    gate = Barrier(16)

    def guess() -> User | None:
        gate.wait()
        try:
            return services.complete_registration_by_code(uid=row.uid, code=wrong(code), now=timezone.now())
        finally:
            connections.close_all()

    with ThreadPoolExecutor(16) as pool:
        told = [done.result() for done in [pool.submit(guess) for _ in range(16)]]

    assert told == [None] * 16
    assert Registration.objects.get().tries == 5


def test_a_code_is_for_one_browser(client: Client) -> None:
    register(client)
    code = posted()[1]
    stranger = Client()
    register(stranger, email="eve@example.org")

    stranger.post("/auth/verify-email", {"code": code if code != posted()[1] else wrong(code)})

    assert not is_signed_in(stranger)
    assert not User.objects.exists()


def test_the_first_to_prove_an_email_has_it_and_the_other_learns_so(client: Client) -> None:
    """Somebody registers with a stranger's email and waits: the owner's proof makes the owner's account."""
    waiting = Client()
    register(waiting, password="AttackRiver26", confirmation="AttackRiver26")
    old_link, old_code = posted()
    register(client)
    client.post("/auth/verify-email", {"code": posted()[1]})

    late = waiting.post("/auth/verify-email", {"code": old_code})

    assert "You already have an account" in late.content.decode()
    assert "You already have an account" in waiting.post(old_link).content.decode()
    assert not is_signed_in(waiting)
    assert User.objects.get().check_password("QuietRiver26")


def test_link_and_code_work_for_half_an_hour(client: Client) -> None:
    register(client)
    link, code = posted()

    with time_machine.travel(timezone.now() + timedelta(minutes=31)):
        assert "This link has expired" in client.post(link).content.decode()
        client.post("/auth/verify-email", {"code": code})

    assert not User.objects.exists()


@pytest.mark.parametrize("key", ["x", "a:b:c", "WyJhIl0:1abc:def"])
def test_a_made_up_link_makes_nothing(client: Client, key: str) -> None:
    register(client)

    assert "This link has expired" in client.post(f"/auth/verify-email?key={key}").content.decode()
    assert not User.objects.exists()


def test_an_address_gets_at_most_six_emails_an_hour(settings: Any) -> None:
    settings.RATE_LIMITS = settings.RATE_LIMITS | {"mail-to-one": (6, 3600)}

    told = [register(Client(), email="leo@example.com").status_code for _ in range(8)]

    assert told == [302] * 6 + [429] * 2
    assert len(mail.outbox) == 6


def test_the_session_has_a_new_key_after_arriving(client: Client) -> None:
    register(client)
    before = client.session.session_key

    client.post("/auth/verify-email", {"code": posted()[1]})

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
    client.post("/auth/verify-email", {"code": posted()[1]})

    assert User.objects.filter(email="amara@example.org").exists()
