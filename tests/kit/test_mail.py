"""Mails on their way: through the job table to a real mail server."""

import smtplib
import ssl
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import environ
import pytest
import time_machine
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from django.utils import timezone

from apps.accounts.models import User
from studyplatform.kit import jobs, mail
from studyplatform.kit.models import Job
from tests import servers

pytestmark = pytest.mark.django_db


class Post:
    """A mail server's memory; ``refusal`` is what it answers to the next recipients."""

    def __init__(self) -> None:
        self.received: list[EmailMessage] = []
        self.refusal = ""
        self.signed_in: list[tuple[str, str]] = []

    async def handle_RCPT(self, server: Any, session: Any, envelope: Any, address: str, options: Any) -> str:  # noqa: N802
        if self.refusal:
            return self.refusal
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802
        parsed = message_from_bytes(envelope.content, policy=policy.default)
        assert isinstance(parsed, EmailMessage)
        self.received.append(parsed)
        return "250 OK"


@pytest.fixture
def post() -> Post:
    return Post()


@pytest.fixture
def serve(post: Post, settings: Any) -> Iterator[Callable[..., Controller]]:
    """Start a mail server and have the site use it, as EMAIL_URL would."""
    running: list[Controller] = []

    def start(port: int = 0, scheme: str = "smtp", who: str = "", **options: Any) -> Controller:
        controller = Controller(post, hostname="127.0.0.1", port=port or servers.free_port(), **options)
        use(settings, f"{scheme}://{who}localhost:{controller.port}")
        controller.start()
        running.append(controller)
        return controller

    yield start
    for controller in running:
        controller.stop(no_assert=True)


def use(settings: Any, url: str) -> None:
    for name, value in environ.Env.email_url_config(url).items():
        setattr(settings, name, value)


@pytest.fixture
def leo(leo: User) -> User:
    leo.first_name = "Leo\r\nBcc: eve@example.com"
    leo.save()
    return leo


def send(leo: User, **given: Any) -> Job:
    return mail.send("reset-password", to=leo.email, user=leo, link="/auth/reset-password/secret", **given)


def state(row: Job) -> tuple[str, int]:
    row.refresh_from_db()
    return row.state, row.attempts


def later(**by: int) -> Any:
    return time_machine.travel(timezone.now() + timedelta(**by))


def test_an_email_has_a_text_an_html_part_and_the_logo(leo, serve, post) -> None:
    serve()

    row = send(leo, unsubscribe="/notifications/unsubscribe/x")
    jobs.run_pending("default")

    assert state(row) == ("done", 1)
    (arrived,) = post.received
    assert (arrived["To"], arrived["Subject"]) == (leo.email, "Choose a new password for Study Platform")
    assert arrived["List-Unsubscribe"] == "<http://127.0.0.1:8000/notifications/unsubscribe/x>"
    assert arrived["Message-ID"] == f"<{row.uid}@127.0.0.1>"
    kinds = [part.get_content_type() for part in arrived.walk()]
    assert kinds == ["multipart/related", "multipart/alternative", "text/plain", "text/html", "image/png"]
    page = arrived.get_body(("html",)).get_content()
    assert 'src="cid:mark"' in page
    assert "prefers-color-scheme: dark" in page
    assert "http://127.0.0.1:8000/auth/reset-password/secret" in page


def test_the_content_of_a_sent_email_is_deleted(leo, serve) -> None:
    serve()
    row = send(leo)
    jobs.run_pending("default")

    row.refresh_from_db()
    assert row.payload == {"name": "reset-password", "to": leo.email}


def test_a_name_cannot_inject_headers(leo, serve, post) -> None:
    serve()
    course = "Tides\r\nBcc: eve@example.com\r\n\r\n<script>alert(1)</script>"
    notice = {"headline": course, "text": course, "quote": "", "action": "Look"}
    mail.send("notice", to=leo.email, user=leo, notice=notice, settings="", link="/")
    jobs.run_pending("default")

    (arrived,) = post.received
    assert arrived["Bcc"] is None
    assert arrived["Subject"] == "Tides"
    assert [arrived["To"], *arrived.get_all("Cc", [])] == [leo.email]
    assert "<script>" not in arrived.get_body(("html",)).get_content()


def test_an_address_cannot_inject_headers(leo, serve, post) -> None:
    serve()
    row = mail.send("reset-password", to="leo@example.com\r\nBcc: eve@example.com", user=leo, link="/")
    jobs.run_pending("default")

    assert state(row)[0] != "done"
    assert post.received == []


@pytest.mark.database
def test_an_email_is_retried_while_the_server_is_down_and_sent_once(leo, serve, post, settings) -> None:
    port = servers.free_port()
    use(settings, f"smtp://127.0.0.1:{port}")
    row = send(leo)
    jobs.run_pending("default")
    assert state(row) == ("queued", 1)
    assert "ConnectionRefused" in row.error

    serve(port=port)
    jobs.run_pending("default")  # not before its pause is over
    assert post.received == []
    for _ in range(3):
        with later(minutes=1):
            jobs.run_pending("default")

    assert state(row) == ("done", 2)
    assert len(post.received) == 1


def test_a_permanent_rejection_fails_at_once_with_the_reason(leo, serve, post) -> None:
    serve()
    post.refusal = "550 5.1.1 no such person"

    row = send(leo)
    jobs.run_pending("default")

    assert state(row) == ("failed", 1)
    assert "no such person" in row.error


@pytest.mark.parametrize("refusal", ["421 4.3.2 closing down", "450 4.2.1 try again later"])
def test_a_temporary_rejection_is_retried(leo, serve, post, refusal) -> None:
    serve()
    post.refusal = refusal
    row = send(leo)
    jobs.run_pending("default")
    assert state(row) == ("queued", 1)

    post.refusal = ""
    with later(minutes=1):
        jobs.run_pending("default")

    assert state(row) == ("done", 2)
    assert len(post.received) == 1


def test_an_email_fails_after_its_last_attempt(leo, settings) -> None:
    use(settings, f"smtp://127.0.0.1:{servers.free_port()}")
    row = send(leo)
    for hours in range(40):
        with later(hours=hours + 1):
            jobs.run_pending("default")

    assert state(row) == ("failed", 14)


def test_an_expired_email_is_not_sent(leo, serve, post) -> None:
    serve()
    row = send(leo, valid_for=timedelta(minutes=30))
    with later(minutes=31):
        jobs.run_pending("default")

    assert state(row) == ("failed", 1)
    assert post.received == []


@pytest.mark.parametrize(
    ("error", "final"),
    [
        (smtplib.SMTPRecipientsRefused({"a": (550, b""), "b": (450, b"")}), False),
        (smtplib.SMTPRecipientsRefused({"a": (551, b"")}), True),
        (smtplib.SMTPDataError(554, b"spam"), True),
        (smtplib.SMTPDataError(451, b"later"), False),
        (smtplib.SMTPAuthenticationError(535, b"wrong password"), False),
        (smtplib.SMTPServerDisconnected("gone"), False),
    ],
)
def test_permanent_replies_are_recognized(error: smtplib.SMTPException, final: bool) -> None:
    assert mail.is_final(error) is final


def test_old_emails_are_deleted(leo, serve) -> None:
    serve()
    send(leo)
    jobs.run_pending("default")

    jobs.delete_ended_jobs(now=timezone.now() + timedelta(days=29))
    assert Job.objects.filter(kind=mail.KIND).exists()
    jobs.delete_ended_jobs(now=timezone.now() + timedelta(days=31))
    assert not Job.objects.filter(kind=mail.KIND).exists()


# --- Encrypted ------------------------------------------------------------------------------------------------


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A certificate of localhost that nobody has signed but itself, with its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number(), now, now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    file = tmp_path / "server.pem"
    file.write_bytes(
        made.public_bytes(serialization.Encoding.PEM)
        + key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return file


def test_emails_are_sent_over_tls_with_a_password_that_needs_quoting(
    leo, serve, post, certificate, monkeypatch
) -> None:
    def check(_server: Any, _session: Any, _envelope: Any, _mechanism: str, data: Any) -> AuthResult:
        post.signed_in.append((data.login.decode(), data.password.decode()))
        return AuthResult(success=True)

    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate)
    serve(
        scheme="smtp+tls",
        who="study:p%40ss%2Fword@",
        tls_context=context,
        require_starttls=True,
        authenticator=check,
        auth_required=True,
    )
    row = send(leo)

    jobs.run_pending("default")  # the certificate is nobody's: the password is not given to it
    assert state(row)[0] == "queued"
    assert "CERTIFICATE_VERIFY_FAILED" in row.error
    assert post.signed_in == []
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with later(minutes=1):
        jobs.run_pending("default")

    assert state(row)[0] == "done"
    assert post.signed_in == [("study", "p@ss/word")]
    assert len(post.received) == 1
