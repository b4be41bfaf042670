"""Proving an email: the link, the code, and those who guess it."""

import re
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
import time_machine
from django.core import mail
from django.db import connections
from django.test import Client
from django.utils import timezone

from apps.accounts import services
from apps.accounts.models import EmailVerification, User
from studyplatform.kit import jobs
from tests.factories.accounts import UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def leo() -> User:
    return UserFactory(username="leo", email_verified_at=None)


@pytest.fixture
def mia() -> User:
    return UserFactory(username="mia", email_verified_at=None)


def send(user: User) -> tuple[str, str]:
    """Have the mail sent; the link and the code in it."""
    services.send_verification_email(user_id=user.pk)
    jobs.run_pending("default")
    words = str(mail.outbox[-1].body)
    link = re.search(r"http://127\.0\.0\.1:8000(/auth/verify-email\S+)", words)
    code = re.search(r"\b(\d{6})\b", words)
    assert link
    assert code
    return link[1], code[1]


def is_verified(user: User) -> bool:
    user.refresh_from_db()
    return user.email_verified_at is not None


def wrong(code: str) -> str:
    return f"{(int(code) + 1) % 10**6:06}"


def test_the_link_verifies_by_a_press_in_any_browser(client: Client, leo: User) -> None:
    link, _ = send(leo)

    opened = client.get(link)
    assert "Verify email" in opened.content.decode()
    assert not is_verified(leo)

    pressed = client.post(link)
    assert "Email verified" in pressed.content.decode()
    assert is_verified(leo)
    assert "_auth_user_id" not in client.session  # it proves an email, not a person


def test_the_code_verifies_the_signed_in_user(client: Client, leo: User) -> None:
    _, code = send(leo)
    client.force_login(leo)

    page = client.post("/auth/verify-email", {"code": f" {code[:3]} {code[3:]}-"})

    assert "Email verified" in page.content.decode()
    assert is_verified(leo)
    assert not EmailVerification.objects.exists()


def test_a_code_works_for_one_user(client: Client, leo: User, mia: User) -> None:
    _, code = send(leo)
    send(mia)
    client.force_login(mia)

    client.post("/auth/verify-email", {"code": code})

    assert not is_verified(leo)


def test_five_wrong_codes_end_it(client: Client, leo: User) -> None:
    _, code = send(leo)
    client.force_login(leo)

    for _ in range(5):
        page = client.post("/auth/verify-email", {"code": wrong(code)}).content.decode()
    assert "This code is wrong or has expired." in page

    client.post("/auth/verify-email", {"code": code})
    assert not is_verified(leo)


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_guesses_at_once_are_counted_exactly() -> None:
    user = UserFactory(email_verified_at=None)
    _, code = send(user)
    gate = Barrier(20)

    def guess() -> bool:
        gate.wait()
        try:
            return services.verify_email_by_code(user=user, code=wrong(code), now=timezone.now())
        finally:
            connections.close_all()

    with ThreadPoolExecutor(20) as pool:
        told = [done.result() for done in [pool.submit(guess) for _ in range(20)]]

    assert told == [False] * 20
    assert EmailVerification.objects.get().tries == 5


def test_a_new_code_replaces_the_old_one(client: Client, leo: User) -> None:
    _, older = send(leo)
    _, newer = send(leo)
    client.force_login(leo)

    if older != newer:
        client.post("/auth/verify-email", {"code": older})
        assert not is_verified(leo)
    client.post("/auth/verify-email", {"code": newer})
    assert is_verified(leo)


def test_link_and_code_work_for_half_an_hour(client: Client, leo: User) -> None:
    link, code = send(leo)
    client.force_login(leo)

    with time_machine.travel(timezone.now() + timedelta(minutes=31)):
        ended = client.post(link)
        client.post("/auth/verify-email", {"code": code})

    assert "This link has expired" in ended.content.decode()
    assert "Send a new link" in ended.content.decode()
    assert not is_verified(leo)


@pytest.mark.parametrize("key", ["x", "a:b:c", "WyJhIl0:1abc:def"])
def test_a_made_up_link_proves_nothing(client: Client, leo: User, key: str) -> None:
    assert "This link has expired" in client.post(f"/auth/verify-email?key={key}").content.decode()
    assert not is_verified(leo)


def test_a_link_for_an_earlier_email_proves_nothing(client: Client, leo: User) -> None:
    link, code = send(leo)
    User.objects.filter(pk=leo.pk).update(email="leo@example.net")
    client.force_login(leo)

    client.post(link)
    client.post("/auth/verify-email", {"code": code})

    assert not is_verified(leo)


def test_asks_again_at_most_once_a_minute(client: Client, leo: User) -> None:
    client.force_login(leo)

    for _ in range(3):
        client.post("/auth/verify-email/resend", {"next": "/courses/"})
        jobs.run_pending("default")
    assert len(mail.outbox) == 1
    assert 'data-wait="' in client.get("/auth/verify-email").content.decode()

    with time_machine.travel(timezone.now() + timedelta(seconds=61)):
        answer = client.post("/auth/verify-email/resend", {"next": "https://evil.example/"})
        jobs.run_pending("default")
    assert len(mail.outbox) == 2
    assert answer["Location"] == "/auth/verify-email"


def test_a_verified_user_gets_no_verification_email(client: Client, leo: User) -> None:
    User.objects.filter(pk=leo.pk).update(email_verified_at=timezone.now())
    client.force_login(leo)

    client.post("/auth/verify-email/resend")
    jobs.run_pending("default")
    services.send_verification_email(user_id=leo.pk)

    assert mail.outbox == []
    assert "Email verified" in client.get("/auth/verify-email").content.decode()


def test_a_visitor_sees_what_to_do(client: Client) -> None:
    page = client.get("/auth/verify-email").content.decode()

    assert 'href="/auth/login?next=/auth/verify-email"' in page
    assert client.post("/auth/verify-email/resend")["Location"].startswith("/auth/login")


@pytest.mark.parametrize(
    ("typed", "message"), [("", "Enter the six-digit code"), ("12345", "six digits"), ("١٢٣٤٥٦", "six digits")]
)
def test_says_what_a_code_looks_like(client: Client, leo: User, typed: str, message: str) -> None:
    client.force_login(leo)

    assert message in client.post("/auth/verify-email", {"code": typed}).content.decode()
