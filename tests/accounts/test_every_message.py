"""Every notification and every email renders with all its parameters."""

from collections.abc import Callable
from datetime import timedelta
from html import unescape
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.conf import settings
from django.core import mail as post
from django.test import Client
from django.utils import timezone

from apps.accounts import services
from apps.accounts.kinds import KINDS
from apps.accounts.models import Notification, User
from apps.accounts.queries.notices import as_notice
from apps.accounts.services.digests import MOST, send_digest
from studyplatform.kit import jobs, mail

pytestmark = pytest.mark.django_db
EMAILS = sorted(file.stem for file in Path(settings.BASE_DIR, "templates", "emails").glob("*.txt"))


class Sample(dict[str, Any]):
    """Returns a sample value for each parameter of a text."""

    def __missing__(self, name: str) -> str:
        self[name] = f"100% {name}"
        return str(self[name])


def render_and_notify(kind: str, leo: User, **given: Any) -> tuple[str, str]:
    """Create a notification of this kind; return its headline and its text."""
    params = Sample()
    headline, text, _ = KINDS[kind].words(params)
    services.notify(kind, leo, "/courses/", **params)
    Notification.objects.filter(kind=kind).update(in_app=True, **given)
    jobs.run_pending("default")  # whichever channel this kind uses
    post.outbox.clear()
    return headline, text


def sent_emails() -> list[tuple[str, str, str]]:
    """Return the subject, the text and the HTML of each email."""
    jobs.run_pending("default")
    return [(one.subject, str(one.body), str(one.alternatives[0][0])) for one in post.outbox]


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_notification_is_shown_and_emailed(kind: str, leo: User, browser_of: Callable[[User], Client]) -> None:
    headline, text = render_and_notify(kind, leo)
    services.mail_notification(notification_id=Notification.objects.get(kind=kind).pk)

    page = unescape(browser_of(leo).get("/notifications").content.decode())
    [(subject, words, mailed)] = sent_emails()

    assert "%(" not in headline + text
    assert headline in page
    assert headline in unescape(mailed)
    assert subject.startswith(headline[:100])
    assert text in words


def test_a_digest_renders_every_notification(leo: User) -> None:
    now = timezone.now()
    headlines = [render_and_notify(kind, leo, digest_due_at=now)[0] for kind in sorted(KINDS)]

    send_digest(user_id=leo.pk, now=now + timedelta(minutes=1))

    [(_, words, page)] = sent_emails()
    lines = [line.strip() for line in words.splitlines()]
    assert len([one for one in headlines if one in lines and one in unescape(page)]) == min(MOST, len(headlines))


@pytest.mark.parametrize("name", EMAILS)
def test_every_email_renders(name: str, leo: User) -> None:
    render_and_notify("account.welcome", leo)
    notice = as_notice(Notification.objects.get(kind="account.welcome"))

    mail.send(
        name,
        to=leo.email,
        unsubscribe="/notifications/unsubscribe/x",
        link="/where-it-leads",
        user=leo,
        email="new@example.com",
        code="123456",
        greeting="Leo",
        notice=notice,
        notices=[notice],
        notices_and_links=[(notice, "/courses/")],
        count=1,
        more=1,
        settings="/settings/",
        gift=SimpleNamespace(sender_name="Ada", recipient_name="Leo", message="For you"),
        title="Rivers",
        team="Halden",
        sender="Ada",
        course="",
        until="1 May 2027",
    )

    [(subject, words, page)] = sent_emails()
    assert subject
    assert settings.SITE_NAME in words
    for written in (subject, words, page):
        assert "%(" not in written
    if name != "goodbye":  # which leads nowhere
        assert "/where-it-leads" in words
        assert "/where-it-leads" in page
