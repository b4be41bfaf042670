"""Emails: each has a plain text template and an HTML template in templates/emails.

The first line of ``emails/<name>.txt`` is the subject; ``emails/<name>.html`` extends ``emails/layout.html``.
An email is rendered at once and sent by a job of its own. So it is sent only if the caller's transaction commits, it is
retried while the mail server is down, and if it is rejected for good, admins see the failed job.
"""

import smtplib
from collections.abc import Sequence
from datetime import datetime, timedelta
from email.mime.image import MIMEImage
from functools import lru_cache
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from studyplatform.kit import jobs
from studyplatform.kit.mail.attachments import Attached, make_attachments
from studyplatform.kit.models import Job

KIND = "kit.deliver_mail"
_LEASE = timedelta(minutes=5)  # sending one email takes less (EMAIL_TIMEOUT)
_LONGEST_SUBJECT = 150
_LOGO = Path(settings.BASE_DIR) / "static" / "img" / "mail-mark.png"


def absolute_url(path: str) -> str:
    """The absolute URL of a path of this site, as emails need it."""
    return settings.SITE_URL.rstrip("/") + path


def send(
    name: str,
    *,
    to: str,
    unsubscribe: str = "",
    valid_for: timedelta | None = None,
    priority: int = 0,
    attachments: Sequence[Attached] = (),
    **context: Any,
) -> Job:
    """Enqueue one email to one recipient; returns the job that sends it and makes the ``attachments``.

    ``link`` in the context and ``unsubscribe`` are paths of this site. The page at ``unsubscribe`` must unsubscribe on
    a POST by anyone who knows the URL (RFC 8058). After ``valid_for`` the email is no longer sent.
    """
    if "link" in context:
        context["link"] = absolute_url(context["link"])
    context["unsubscribe"] = absolute_url(unsubscribe) if unsubscribe else ""
    # Templates escape for HTML, but the subject and the text are not HTML.
    subject, __, text = unescape(render_to_string(f"emails/{name}.txt", context)).strip().partition("\n")
    headers = {"Auto-Submitted": "auto-generated"}
    if unsubscribe:
        headers["List-Unsubscribe"] = f"<{context['unsubscribe']}>"
        headers["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    return jobs.enqueue(
        KIND,
        priority=priority,
        name=name,
        to=to,
        subject=_subject(subject),
        text=text.strip() + "\n",
        html=render_to_string(f"emails/{name}.html", context),
        headers=headers,
        attachments=[list(each) for each in attachments],
        until=(timezone.now() + valid_for).isoformat() if valid_for else "",
    )


@jobs.job(KIND, max_attempts=14, label=_("Deliver email"))  # the pauses add up to eleven hours
def deliver(
    running: jobs.Running,
    *,
    name: str,
    to: str,
    subject: str = "",
    text: str = "",
    html: str = "",
    headers: dict[str, str] | None = None,
    until: str = "",
    attachments: Sequence[Attached] = (),
) -> None:
    """Send one email, then delete its content from the job: it may contain a link that gives access to the account."""
    if not html:
        raise jobs.GiveUp("its content is gone: it was already sent, or failed before")
    if until and timezone.now() > datetime.fromisoformat(until):
        raise jobs.GiveUp("too late: what it says is no longer true")
    running.extend_lease_by(_LEASE)
    # The same Message-ID at each attempt: if two of them arrive, mail programs show one.
    host = urlsplit(settings.SITE_URL).hostname or "localhost"
    message = EmailMultiAlternatives(
        subject, text, to=[to], headers={**(headers or {}), "Message-ID": f"<{running.job.uid}@{host}>"}
    )
    made = make_attachments(attachments)
    # A file is not related to the HTML, as the logo is: programs would hide it.
    message.mixed_subtype = "mixed" if made else "related"  # type: ignore[attr-defined]
    message.attach_alternative(html, "text/html")
    message.attach(_logo())
    for each in made:
        message.attach(each.name, each.content, each.media_type)
    try:
        message.send()
    except smtplib.SMTPException as error:
        if is_final(error):
            raise jobs.GiveUp(f"the mail server refused it: {error}") from error
        raise
    Job.objects.filter(pk=running.job.pk).update(payload={"name": name, "to": to})


def is_final(error: smtplib.SMTPException) -> bool:
    """Whether a retry would fail too: a 5xx reply about this email, not about our sign-in (RFC 5321, 4.2.1)."""
    if isinstance(error, smtplib.SMTPAuthenticationError):
        return False  # the site's configuration is wrong; the email can be sent once it is fixed
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        return all(code >= 500 for code, __ in error.recipients.values())
    return isinstance(error, smtplib.SMTPResponseException) and error.smtp_code >= 500


def _subject(text: str) -> str:
    """One line of at most 150 characters, even if a name or title in it contains line breaks."""
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return line if len(line) <= _LONGEST_SUBJECT else line[: _LONGEST_SUBJECT - 1].rstrip() + "…"


@lru_cache(maxsize=1)
def _logo_bytes() -> bytes:
    return _LOGO.read_bytes()


def _logo() -> MIMEImage:
    """The logo as a part of the email, because mail programs do not load remote images by default."""
    part = MIMEImage(_logo_bytes(), "png")
    part.add_header("Content-ID", "<mark>")
    part.add_header("Content-Disposition", "inline", filename="mark.png")
    return part
