"""Mails: one template per mail in templates/emails, in words and as a page, in the look of the site.

``emails/<name>.txt`` begins with the subject in its first line; ``emails/<name>.html`` extends ``emails/layout.html``.
A mail is rendered where it is asked for and sent by a job of its own: it is on the table exactly when what it tells
is true, it waits out a mail server that is down, and one that will never be taken fails where admins see it.
"""

import smtplib
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
from studyplatform.kit.models import Job

KIND = "kit.deliver_mail"
_HELD = timedelta(minutes=5)  # no conversation with a mail server takes so long (EMAIL_TIMEOUT)
_LONGEST_SUBJECT = 150
_LOGO = Path(settings.BASE_DIR) / "static" / "img" / "mail-mark.png"


def absolute(path: str) -> str:
    """The address of a page of this site, with its host: mails know no other."""
    return settings.SITE_URL.rstrip("/") + path


def send(
    name: str,
    *,
    to: str,
    unsubscribe: str = "",
    valid_for: timedelta | None = None,
    priority: int = 0,
    **context: Any,
) -> Job:
    """Have one mail sent to one person.

    ``link`` in the context and ``unsubscribe`` are addresses of this site, without its host. The address given as
    ``unsubscribe`` must do it on a POST, from anybody who knows it (RFC 8058). After ``valid_for`` it is not sent.
    """
    if "link" in context:
        context["link"] = absolute(context["link"])
    context["unsubscribe"] = absolute(unsubscribe) if unsubscribe else ""
    # Templates escape for HTML; the mail's words are not HTML.
    subject, __, words = unescape(render_to_string(f"emails/{name}.txt", context)).strip().partition("\n")
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
        text=words.strip() + "\n",
        html=render_to_string(f"emails/{name}.html", context),
        headers=headers,
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
) -> None:
    """Hand one mail to the mail server. What it said is forgotten then: it may have held a key to the account."""
    if not html:
        raise jobs.GiveUp("its content is gone: it was already sent, or failed before")
    if until and timezone.now() > datetime.fromisoformat(until):
        raise jobs.GiveUp("too late: what it says is no longer true")
    running.hold(_HELD)
    # The same name at each try: should two of them arrive after all, mail programs show one.
    host = urlsplit(settings.SITE_URL).hostname or "localhost"
    message = EmailMultiAlternatives(
        subject, text, to=[to], headers={**(headers or {}), "Message-ID": f"<{running.job.uid}@{host}>"}
    )
    message.mixed_subtype = "related"  # type: ignore[attr-defined]
    message.attach_alternative(html, "text/html")
    message.attach(_logo())
    try:
        message.send()
    except smtplib.SMTPException as error:
        if is_final(error):
            raise jobs.GiveUp(f"the mail server refused it: {error}") from error
        raise
    Job.objects.filter(pk=running.job.pk).update(payload={"name": name, "to": to})


def is_final(error: smtplib.SMTPException) -> bool:
    """Whether trying again is useless: a 5xx answer about this mail, not about our own sign-in (RFC 5321, 4.2.1)."""
    if isinstance(error, smtplib.SMTPAuthenticationError):
        return False  # the site's own mistake, which somebody will mend
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        return all(code >= 500 for code, __ in error.recipients.values())
    return isinstance(error, smtplib.SMTPResponseException) and error.smtp_code >= 500


def _subject(text: str) -> str:
    """One line, whatever was in the names and titles it is made of."""
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return line if len(line) <= _LONGEST_SUBJECT else line[: _LONGEST_SUBJECT - 1].rstrip() + "…"


@lru_cache(maxsize=1)
def _logo_bytes() -> bytes:
    return _LOGO.read_bytes()


def _logo() -> MIMEImage:
    """The mark as a part of the mail: mail programs fetch nothing from outside unless they are told to."""
    part = MIMEImage(_logo_bytes(), "png")
    part.add_header("Content-ID", "<mark>")
    part.add_header("Content-Disposition", "inline", filename="mark.png")
    return part
