"""The mailbox: while no mail server is configured, emails are stored as .eml files that admins can read."""

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from email import message_from_bytes, policy
from email.message import EmailMessage as Parsed
from pathlib import Path

from django.conf import settings
from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend
from django.utils import timezone

from studyplatform.kit import jobs
from studyplatform.kit.web.private_text import hide_codes, hide_secrets

_NAME = re.compile(r"^\d{8}-\d{6}-\d{6}-[0-9a-f]{8}\.eml$")
BACKEND = "studyplatform.kit.mail.mailbox.EmailBackend"


class EmailBackend(BaseEmailBackend):
    """Write each email to a file of its own, readable only by the site's user."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        for message in email_messages:
            folder = _folder()
            folder.mkdir(parents=True, exist_ok=True)
            name = f"{timezone.now():%Y%m%d-%H%M%S-%f}-{secrets.token_hex(4)}.eml"
            path = folder / f".{name}"
            path.touch(mode=0o600)
            path.write_bytes(message.message().as_bytes())
            path.rename(folder / name)
        return len(email_messages)


@dataclass(frozen=True)
class StoredEmail:
    """An email of the folder, parsed."""

    name: str
    subject: str
    to: str
    sent_at: datetime
    headers: list[tuple[str, str]]
    text: str
    html: str


def is_in_use() -> bool:
    """Whether emails go to the folder. With a mail server, admins cannot read them."""
    return settings.EMAIL_BACKEND == BACKEND


def names() -> list[str]:
    """The file names of all emails, the newest first."""
    folder = _folder()
    return (
        sorted((path.name for path in folder.iterdir() if _NAME.match(path.name)), reverse=True)
        if folder.is_dir()
        else []
    )


def read(name: str) -> StoredEmail | None:
    """The email with this file name, without links and codes that give access to an account; None if there is none."""
    if not _NAME.match(name):
        return None
    try:
        raw = (_folder() / name).read_bytes()
    except OSError:
        return None
    parsed = message_from_bytes(raw, policy=policy.default)
    text, html = parsed.get_body(("plain",)), parsed.get_body(("html",))
    private = _hide_access if _gives_access(text.get_content() if text else "") else _unchanged
    return StoredEmail(
        name=name,
        subject=private(str(parsed["Subject"] or "")),
        to=str(parsed["To"] or ""),
        sent_at=datetime.strptime(f"{name[:22]}+0000", "%Y%m%d-%H%M%S-%f%z"),
        headers=[(key, hide_secrets(str(value))) for key, value in parsed.items()],
        text=private(text.get_content() if text else ""),
        html=_with_inline_images(parsed, private(html.get_content() if html else "")),
    )


def _gives_access(text: str) -> bool:
    return hide_secrets(text) != text


def _hide_access(text: str) -> str:
    return hide_codes(hide_secrets(text))


def _unchanged(text: str) -> str:
    return text


def delete_old_emails(*, now: datetime) -> None:
    """Delete emails as old as the jobs that are deleted: they contain personal data."""
    oldest = f"{now - jobs.RETENTION:%Y%m%d-%H%M%S}"
    for name in names():
        if name < oldest:
            (_folder() / name).unlink(missing_ok=True)


def _with_inline_images(parsed: Parsed, html: str) -> str:
    """The HTML with each attached image that it names by ``cid:`` replaced by a data URL."""
    for part in parsed.walk():
        cid = str(part["Content-ID"] or "").strip("<>")
        if cid and part.get_content_maintype() == "image":
            data = "".join(str(part.get_payload()).split())
            html = html.replace(f"cid:{cid}", f"data:{part.get_content_type()};base64,{data}")
    return html


def _folder() -> Path:
    return Path(settings.EMAIL_FILE_PATH)
