"""Resetting a forgotten password, from the form to the new password."""

import re
from datetime import timedelta
from typing import Any
from unittest import mock

import pytest
import time_machine
from django.core import mail
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from apps.accounts import services
from apps.accounts.models import BrowserSession, EmailVerification, PersonalToken, User
from studyplatform.kit import jobs
from tests.factories.accounts import PASSWORD, UserFactory
from tests.factories.tokens import make_token

pytestmark = pytest.mark.django_db
NEW = {"password": "AnotherRiver27", "confirmation": "AnotherRiver27"}


def request_reset(client: Client, email: str) -> str:
    page = client.post("/auth/forgot-password", {"email": email}).content.decode()
    jobs.run_pending("default")
    return page.replace(email, "EMAIL")


def html_of(sent: mail.EmailMessage) -> str:
    """The email as HTML."""
    assert isinstance(sent, mail.EmailMultiAlternatives)
    [(page, kind)] = sent.alternatives
    assert kind == "text/html"
    return str(page)


def link_for(user: User) -> str:
    request_reset(Client(), user.email)
    found = re.search(r"http://127\.0\.0\.1:8000(/auth/reset-password/\S+)", str(mail.outbox[-1].body))
    assert found
    return found[1]


def can_sign_in(user: User, password: str) -> bool:
    return Client().post("/auth/login", {"email": user.email, "password": password}).status_code == 302


def test_the_email_goes_to_its_owner_as_text_and_html(client: Client) -> None:
    user = UserFactory(email="oreilly@example.org", first_name="Seán O'Reilly <b>")

    request_reset(client, user.email)

    sent = mail.outbox[0]
    assert sent.to == ["oreilly@example.org"]
    assert sent.subject == "Choose a new password for Study Platform"
    assert "Hello Seán O'Reilly <b>," in sent.body
    page = html_of(sent)
    assert "O&#39;Reilly &lt;b&gt;" in page
    assert page.count("/auth/reset-password/") == 3


def test_a_reset_link_sets_a_new_password(client: Client, leo: User) -> None:
    link = link_for(leo)

    shown = client.get(link)
    answer = client.post(link, NEW, follow=True)

    assert leo.email in shown.content.decode()
    assert shown["Referrer-Policy"] == "same-origin"
    assert "no-store" in shown["Cache-Control"]
    assert answer.redirect_chain[-1][0] == "/auth/login"
    assert "Your new password is set, and every device was signed out." in answer.content.decode()
    assert can_sign_in(leo, NEW["password"])
    assert not can_sign_in(leo, PASSWORD)
    leo.refresh_from_db()
    assert leo.email_verified_at is not None


def test_a_reset_removes_the_lock_and_ends_all_sessions_and_tokens(client: Client, leo: User) -> None:
    body = {"email": leo.email, "password": PASSWORD}
    token = client.post("/api/v1/auth/login", body, content_type="application/json").json()["token"]
    for _ in range(6):
        Client().post("/auth/login", {"email": leo.email, "password": "WrongGuess1"})
    assert not can_sign_in(leo, PASSWORD)
    assistant, _ = make_token(leo)
    EmailVerification.objects.create(user=leo, email="other@example.com", code_hash="a", sent_at=timezone.now())

    Client().post(link_for(leo), NEW)

    assert not BrowserSession.objects.of(leo).exists()
    assert PersonalToken.objects.get(pk=assistant.pk).revoked_at is not None
    assert not EmailVerification.objects.filter(email="other@example.com").exists()
    assert client.get("/api/v1/auth/session/").status_code == 401
    assert Client().get("/api/v1/auth/session/", headers={"Authorization": f"Bearer {token}"}).status_code == 401
    assert can_sign_in(leo, NEW["password"])


def test_the_response_does_not_reveal_whether_an_account_exists(client: Client, leo: User, ben: User) -> None:
    pages, costs = set(), set()
    client.post(
        "/auth/forgot-password", {"email": "first@example.com"}
    )  # the address is counted from its first attempt
    for email in (leo.email, ben.email, "nobody@example.com"):
        with CaptureQueriesContext(connection) as queries:
            page = client.post("/auth/forgot-password", {"email": email}).content.decode()
        pages.add(re.sub(r'nonce="[^"]*"', "", page.replace(email, "EMAIL")))
        costs.add(len(queries))
    jobs.run_pending("default")

    assert len(pages) == 1
    assert len(costs) == 1
    assert [sent.to for sent in mail.outbox] == [[leo.email]]


@pytest.mark.database
def test_a_link_works_once(client: Client, leo: User) -> None:
    link = link_for(leo)
    client.post(link, NEW)

    again = client.post(link, {"password": "ThirdRiver28", "confirmation": "ThirdRiver28"})

    assert again.status_code == 410
    assert "This link has expired" in again.content.decode()
    assert can_sign_in(leo, NEW["password"])


def test_a_new_password_ends_older_links(client: Client, leo: User) -> None:
    older, newer = link_for(leo), link_for(leo)
    client.post(newer, NEW)

    assert client.get(older).status_code == 410


def test_a_link_works_for_an_hour(client: Client, leo: User) -> None:
    link = link_for(leo)

    with time_machine.travel(timezone.now() + timedelta(minutes=59)):
        assert client.get(link).status_code == 200
    with time_machine.travel(timezone.now() + timedelta(minutes=61)):
        assert client.get(link).status_code == 410
        assert client.post(link, NEW).status_code == 410


def test_a_link_works_for_one_user(client: Client, leo: User, sam: User) -> None:
    link = link_for(leo)

    assert client.get(link.replace(str(leo.uid), str(sam.uid))).status_code == 410
    assert client.post(link.replace(str(leo.uid), str(sam.uid)), NEW).status_code == 410
    assert can_sign_in(sam, PASSWORD)


def test_the_link_of_a_blocked_user_does_not_work(client: Client, leo: User) -> None:
    link = link_for(leo)
    services.block(user=leo)

    assert client.post(link, NEW).status_code == 410


@pytest.mark.parametrize("token", ["x", "a-b", "set-password", "0-" + "0" * 64])
def test_a_forged_link_does_not_work(client: Client, leo: User, token: str) -> None:
    assert client.get(f"/auth/reset-password/{leo.uid}/{token}").status_code == 410


def test_the_new_password_follows_the_rules(client: Client, leo: User) -> None:
    link = link_for(leo)

    page = client.post(link, {"password": "short", "confirmation": "other"}).content.decode()

    for message in ("at least 8 characters", "uppercase letter", "one number", "Passwords do not match"):
        assert message in page
    assert can_sign_in(leo, PASSWORD)


def test_live_validation_reports_the_password_rules(client: Client, leo: User, sam: User) -> None:
    link = link_for(leo)
    assert f'data-check="{link}/check"' in client.get(link).content.decode()

    told = client.post(f"{link}/check", {"password": "Leo@Example1", "confirmation": "x"})

    assert "too similar" in told.json()["password"][0]
    assert told.json()["confirmation"] == ["Passwords do not match"]
    assert told["Referrer-Policy"] == "same-origin"
    assert client.post(f"{link}/check", NEW).json() == {}
    assert can_sign_in(leo, PASSWORD)
    for other in (link[:-1] + "x", link.replace(str(leo.uid), str(sam.uid))):
        assert client.post(f"{other}/check", NEW).status_code == 404


def test_a_user_gets_at_most_one_reset_email_a_minute(client: Client, leo: User, settings: Any) -> None:
    settings.RATE_LIMITS = settings.RATE_LIMITS | {"reset-to-one": (1, 60)}
    for _ in range(5):
        request_reset(client, leo.email)
    assert len(mail.outbox) == 1

    with time_machine.travel(timezone.now() + timedelta(seconds=61)):
        request_reset(client, leo.email.upper())
    assert len(mail.outbox) == 2


def test_the_next_attempt_sends_an_email_that_failed(client: Client, leo: User, settings: Any) -> None:
    settings.RATE_LIMITS = settings.RATE_LIMITS | {"reset-to-one": (1, 60)}
    full = mock.patch("studyplatform.kit.mail.sending.jobs.enqueue", side_effect=OSError("the disk is full"))
    with full, pytest.raises(OSError, match="disk"):
        services.send_password_reset(email=leo.email)

    services.send_password_reset(email=leo.email)
    jobs.run_pending("default")

    assert len(mail.outbox) == 1


def test_a_forged_host_header_does_not_change_the_reset_link(leo: User) -> None:
    Client(headers={"Host": "evil.example"}).post("/auth/forgot-password", {"email": leo.email})
    jobs.run_pending("default")

    assert "evil.example" not in str(mail.outbox[0].body) + html_of(mail.outbox[0])


def test_the_reset_form_is_filled_with_the_email(client: Client) -> None:
    assert 'value="leo@example.com"' in client.get("/auth/forgot-password?email=leo@example.com").content.decode()
    assert "Enter a valid email address." in client.post("/auth/forgot-password", {"email": "leo"}).content.decode()
