"""The pages of emails on a site without a mail server: only for admins, only from the folder, in a sandbox."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.core.mail import EmailMultiAlternatives
from django.test import Client
from django.utils import timezone

from studyplatform.kit import mail
from studyplatform.kit.jobs import run_pending
from studyplatform.kit.mail import mailbox

pytestmark = pytest.mark.django_db
NASTY = "<script>alert(1)</script>"


@pytest.fixture
def folder(settings, tmp_path: Path) -> Path:
    settings.EMAIL_BACKEND = mailbox.BACKEND
    settings.EMAIL_FILE_PATH = str(tmp_path / "mail")
    (tmp_path / "secret.eml").write_text("Subject: secret\n\nsecret")
    return tmp_path / "mail"


@pytest.fixture
def name(folder: Path) -> str:
    message = EmailMultiAlternatives(f"Tides {NASTY}", f"Words {NASTY}", to=["leo@example.com"])
    message.attach_alternative(f"<p>Page</p>{NASTY}", "text/html")
    message.send()
    (found,) = mailbox.names()
    return found


def test_an_admin_can_read_sent_emails(name, sam, browser_of) -> None:
    browser = browser_of(sam)
    for address in ("/dashboard/admin/mails/", f"/dashboard/admin/mails/{name}"):
        page = browser.get(address).content.decode()
        assert "Tides &lt;script&gt;" in page
        assert NASTY not in page
    assert "Words &lt;script&gt;" in page
    assert f'sandbox src="/dashboard/admin/mails/{name}/page"' in page


def test_an_old_email_is_deleted(name) -> None:
    mailbox.delete_old_emails(now=timezone.now() + timedelta(days=29))
    assert mailbox.names() == [name]

    mailbox.delete_old_emails(now=timezone.now() + timedelta(days=31))
    assert mailbox.names() == []


def test_the_html_of_an_email_is_sandboxed(name, sam, browser_of) -> None:
    page = browser_of(sam).get(f"/dashboard/admin/mails/{name}/page")

    policy = page["Content-Security-Policy"]
    assert policy.startswith("sandbox; default-src 'none'")
    assert "allow-scripts" not in policy
    assert "script-src" not in policy
    assert page["X-Frame-Options"] == "SAMEORIGIN"


def test_an_email_includes_the_logo(folder, leo, sam, browser_of) -> None:
    mail.send("reset-password", to=leo.email, user=leo, link="/x")
    run_pending("default")

    (found,) = mailbox.names()
    assert "data:image/png;base64," in browser_of(sam).get(f"/dashboard/admin/mails/{found}/page").content.decode()
    assert oct((folder / found).stat().st_mode)[-3:] == "600"


def test_other_users_cannot_read_emails(name, client, leo, ada, browser_of) -> None:
    for address in ("", name, f"{name}/page"):
        there = f"/dashboard/admin/mails/{address}"
        assert client.get(there)["Location"].startswith("/auth/login")
        for person in (leo, ada):
            assert browser_of(person).get(there)["Location"] == "/"


@pytest.mark.parametrize(
    "asked",
    ["../secret.eml", "..%2fsecret.eml", "%2e%2e%2fsecret.eml", "secret.eml", "20260101-000000-000000-0000000g.eml"],
)
def test_a_name_cannot_leave_the_folder(name, sam, browser_of, asked) -> None:
    browser = browser_of(sam)
    for address in (asked, f"{asked}/page"):
        answer = browser.get(f"/dashboard/admin/mails/{address}")
        assert answer.status_code == 404
        assert b"secret\n" not in answer.content
    assert mailbox.read(asked) is None


def test_the_pages_do_not_exist_with_a_mail_server(name, sam, browser_of, settings) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    browser = browser_of(sam)

    for address in ("", name, f"{name}/page"):
        assert browser.get(f"/dashboard/admin/mails/{address}").status_code == 404


def test_an_empty_folder_shows_a_message(folder, sam, browser_of: type) -> None:
    browser: Client = browser_of(sam)
    assert "No emails yet" in browser.get("/dashboard/admin/mails/").content.decode()


@pytest.mark.parametrize(
    ("kind", "secret", "context"),
    [
        (
            "reset-password",
            "cabc12-0123456789abcdef",
            {"link": "/auth/reset-password/5b1ef1cc-9f0c-4b0a-8b5e-000000000000/{}"},
        ),
        ("join", "Zm9vYmFy", {"link": "/auth/verify-email?key={}", "code": "482913"}),
        ("verify-email", "Zm9vYmFy", {"link": "/auth/verify-email?key={}", "code": "482913"}),
        ("change-email", "Zm9vYmFy", {"link": "/settings/email/confirm?key={}"}),
    ],
)
def test_admins_do_not_read_what_gives_access_to_an_account(
    folder, leo, sam, browser_of, kind, secret, context
) -> None:
    mail.send(kind, to=leo.email, user=leo, **context | {"link": context["link"].format(secret)})
    run_pending("default")

    (found,) = mailbox.names()
    browser = browser_of(sam)
    pages = [f"/dashboard/admin/mails/{found}", f"/dashboard/admin/mails/{found}/page", "/dashboard/admin/mails/"]
    for page in pages:
        text = browser.get(page).content.decode()
        assert secret not in text
        assert context.get("code", secret) not in text
    assert secret in (folder / found).read_bytes().decode().replace("=\n", "").replace("=3D", "=")
