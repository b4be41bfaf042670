"""Links with which outside experts review a course: made, opened, revoked (docs/adr/0065)."""

import hashlib
import secrets
from datetime import datetime, timedelta

from django.db import transaction

from apps.accounts.models import User
from apps.courses import policies
from apps.courses.errors.review import ReviewLinkExpired, ReviewLinkFull, ReviewLinkNotFound
from apps.courses.models import Course, ReviewGuest, ReviewLink, Right
from apps.courses.queries.review_links import digest_of_course, name_version
from studyplatform.kit.policies import enforce
from studyplatform.kit.web import rate_limits

MAX_LINK_DAYS = 60
MAX_GUESTS = 5  # browsers in which one link can be opened: of one person, not of a mailing list
_SEEN_INTERVAL = timedelta(minutes=5)  # so often it is noted that a guest is there


def create_review_link(*, course: Course, by: User, recipient: str, days: int, now: datetime) -> tuple[ReviewLink, str]:
    """Make a link to the course as it is shown, and return it with its token, which can't be read again later.

    :raises RateLimitExceeded: the user made too many.
    """
    enforce(policies.hold_right(by, course, Right.EDIT))
    rate_limits.consume("review_link", str(by.pk), now=now)
    token = secrets.token_urlsafe(32)
    link = ReviewLink.objects.create(
        course=course.live,
        shown_course=course,
        shown_digest=digest_of_course(course),
        version_name=name_version(course)[:80],
        token_hash=_hash(token),
        recipient=recipient[:80],
        created_by=by,
        created_at=now,
        expires_at=now + timedelta(days=max(1, min(days, MAX_LINK_DAYS))),
    )
    return link, token


def revoke_review_link(*, link: ReviewLink, by: User, now: datetime) -> None:
    """End a link at once, with the media that it opened. Idempotent."""
    enforce(policies.hold_right(by, link.course, Right.EDIT))
    ReviewLink.objects.filter(pk=link.pk, revoked_at=None).update(revoked_at=now)


def link_of_token(token: str, *, now: datetime) -> ReviewLink:
    """Return the live link of an address, with the course that it shows. One query, two for its maker's rights.

    :raises ReviewLinkNotFound: there is none, it was revoked, or who made it may no longer edit the course.
    :raises ReviewLinkExpired: its time is over.
    """
    found = ReviewLink.objects.select_related(
        "course__instructor", "shown_course__subject", "shown_course__instructor", "created_by"
    )
    link = found.filter(token_hash=_hash(token), revoked_at=None).first()
    if link is None or policies.hold_right(link.created_by, link.course, Right.EDIT) is not None:
        raise ReviewLinkNotFound
    if link.expires_at <= now:
        raise ReviewLinkExpired
    return link


def enter_review(*, link: ReviewLink, name: str, now: datetime) -> ReviewGuest:
    """Note the name of the person in a browser.

    :raises ReviewLinkFull: it was opened in ``MAX_GUESTS`` browsers before.
    """
    with transaction.atomic():
        locked = ReviewLink.objects.select_for_update(of=("self",)).get(pk=link.pk)
        if locked.guests.count() >= MAX_GUESTS:
            raise ReviewLinkFull
        return ReviewGuest.objects.create(link=locked, name=name, began_at=now, seen_at=now)


def note_guest(*, guest: ReviewGuest, now: datetime) -> None:
    """Note that a guest is there, at most every five minutes."""
    if now - guest.seen_at >= _SEEN_INTERVAL:
        ReviewGuest.objects.filter(pk=guest.pk).update(seen_at=now)


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
