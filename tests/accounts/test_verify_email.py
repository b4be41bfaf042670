"""Verifying an email: the link, the code, and guesses of the code."""

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


def send_verification(user: User) -> tuple[str, str]:
    """Send the email and return its link and code."""
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


def wrong_code(code: str) -> str:
    return f"{(int(code) + 1) % 10**6:06}"


def test_the_link_verifies_the_email_in_any_browser(client: Client, leo: User) -> None:
    link, _ = send_verification(leo)

    opened = client.get(link)
    assert "Verify email" in opened.content.decode()
    assert not is_verified(leo)

    pressed = client.post(link)
    assert "Email verified" in pressed.content.decode()
    assert is_verified(leo)
    assert "_auth_user_id" not in client.session  # it verifies an email and signs no user in


def test_the_code_verifies_the_signed_in_user(client: Client, leo: User) -> None:
    _, code = send_verification(leo)
    client.force_login(leo)

    page = client.post("/auth/verify-email", {"code": f" {code[:3]} {code[3:]}-"})

    assert "Email verified" in page.content.decode()
    assert is_verified(leo)
    assert not EmailVerification.objects.exists()


def test_a_code_works_for_one_user(client: Client, leo: User, mia: User) -> None:
    _, code = send_verification(leo)
    send_verification(mia)
    client.force_login(mia)

    client.post("/auth/verify-email", {"code": code})

    assert not is_verified(leo)


def test_five_wrong_codes_end_the_verification(client: Client, leo: User) -> None:
    _, code = send_verification(leo)
    client.force_login(leo)

    for _ in range(5):
        page = client.post("/auth/verify-email", {"code": wrong_code(code)}).content.decode()
    assert "This code is wrong or has expired." in page

    client.post("/auth/verify-email", {"code": code})
    assert not is_verified(leo)


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_parallel_guesses_are_counted_exactly() -> None:
    user = UserFactory(email_verified_at=None)
    _, code = send_verification(user)
    gate = Barrier(20)

    def guess() -> bool:
        gate.wait()
        try:
            return services.verify_email_by_code(user=user, code=wrong_code(code), now=timezone.now())
        finally:
            connections.close_all()

    with ThreadPoolExecutor(20) as pool:
        told = [done.result() for done in [pool.submit(guess) for _ in range(20)]]

    assert told == [False] * 20
    assert EmailVerification.objects.get().tries == 5


def test_a_new_code_replaces_the_old_one(client: Client, leo: User) -> None:
    _, older = send_verification(leo)
    _, newer = send_verification(leo)
    client.force_login(leo)

    if older != newer:
        client.post("/auth/verify-email", {"code": older})
        assert not is_verified(leo)
    client.post("/auth/verify-email", {"code": newer})
    assert is_verified(leo)


def test_the_link_and_the_code_work_for_half_an_hour(client: Client, leo: User) -> None:
    link, code = send_verification(leo)
    client.force_login(leo)

    with time_machine.travel(timezone.now() + timedelta(minutes=31)):
        ended = client.post(link)
        client.post("/auth/verify-email", {"code": code})

    assert "This link has expired" in ended.content.decode()
    assert "Send a new link" in ended.content.decode()
    assert not is_verified(leo)


@pytest.mark.parametrize("key", ["x", "a:b:c", "WyJhIl0:1abc:def"])
def test_a_forged_link_verifies_nothing(client: Client, leo: User, key: str) -> None:
    assert "This link has expired" in client.post(f"/auth/verify-email?key={key}").content.decode()
    assert not is_verified(leo)


def test_a_link_for_an_earlier_email_verifies_nothing(client: Client, leo: User) -> None:
    link, code = send_verification(leo)
    User.objects.filter(pk=leo.pk).update(email="leo@example.net")
    client.force_login(leo)

    client.post(link)
    client.post("/auth/verify-email", {"code": code})

    assert not is_verified(leo)


def test_a_new_email_can_be_requested_once_a_minute(client: Client, leo: User) -> None:
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


def test_a_visitor_sees_instructions(client: Client) -> None:
    page = client.get("/auth/verify-email").content.decode()

    assert 'href="/auth/login?next=/auth/verify-email"' in page
    assert client.post("/auth/verify-email/resend")["Location"].startswith("/auth/login")


@pytest.mark.parametrize(
    ("typed", "message"), [("", "Enter the six-digit code"), ("12345", "six digits"), ("١٢٣٤٥٦", "six digits")]
)
def test_a_malformed_code_shows_the_expected_format(client: Client, leo: User, typed: str, message: str) -> None:
    client.force_login(leo)

    assert message in client.post("/auth/verify-email", {"code": typed}).content.decode()
