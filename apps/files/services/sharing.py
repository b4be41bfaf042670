"""Sharing: open a file or a folder to the people of a course or to anyone with a link, and end that."""

import uuid
from datetime import datetime, timedelta

from django.db import transaction

from apps.accounts.models import User
from apps.files import errors, policies
from apps.files.models import File, Folder, Share
from studyplatform.kit.errors import PermissionRefused, ValidationFailed
from studyplatform.kit.passwords import hash_password
from studyplatform.kit.policies import enforce
from studyplatform.kit.web.rate_limits import consume

LONGEST = timedelta(days=366)  # how long a link may work


def share_with_course(*, entry: File | Folder, course: uuid.UUID, by: User, now: datetime) -> Share:
    """Share an entry with everyone in a course. Sharing it once more changes nothing.

    :raises PermissionRefused: the user does not belong to the course.
    :raises EntryInBin: the entry is in the bin.
    :raises RateLimitExceeded: the user has created too many shares.
    """
    enforce(policies.share_entry(by, entry))
    if course not in policies.course_members().courses_of(by):
        raise PermissionRefused
    consume("share", str(by.pk), now=now)
    with transaction.atomic():
        found, _ = Share.objects.get_or_create(
            **_of(entry),
            kind=Share.Kind.COURSE,
            course=course,
            revoked_at=None,
            defaults={"owner": by, "created_at": now},
        )
    return found


def create_share_link(
    *,
    entry: File | Folder,
    by: User,
    expires_at: datetime,
    now: datetime,
    password: str = "",
    max_downloads: int | None = None,
) -> Share:
    """Create a link that opens an entry for anyone until ``expires_at``; see `share_links` for its address.

    :raises ValidationFailed: it would have expired, or work for longer than a year.
    :raises EntryInBin: the entry is in the bin.
    :raises RateLimitExceeded: the user has created too many shares.
    """
    enforce(policies.share_entry(by, entry))
    if not now < expires_at <= now + LONGEST:
        raise ValidationFailed
    consume("share", str(by.pk), now=now)
    return Share.objects.create(
        **_of(entry),
        owner=by,
        kind=Share.Kind.LINK,
        expires_at=expires_at,
        password=hash_password(password) if password else "",
        max_downloads=max_downloads,
        created_at=now,
    )


def revoke_share(*, share: Share, by: User, now: datetime) -> None:
    """End a share at once, for those too who have it open."""
    enforce(policies.edit_share(by, share))
    Share.objects.filter(pk=share.pk, revoked_at=None).update(revoked_at=now)


def _of(entry: File | Folder) -> dict[str, File | Folder | None]:
    """The fields of a share that refer to what is shared.

    :raises EntryInBin: the entry is in the bin.
    """
    entry.refresh_from_db(fields=["deleted_at"])
    if entry.deleted_at is not None:
        raise errors.EntryInBin
    return {"file": entry, "folder": None} if isinstance(entry, File) else {"file": None, "folder": entry}
