"""Reads of sharing: what is shared, with whom, in what state, and what may be opened through a share."""

import itertools
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import overload

from django.db.models import Count, F, Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.accounts.models import User
from apps.accounts.policies import AnyUser
from apps.files import policies
from apps.files.counts import files_in_folder
from apps.files.models import File, Folder, Share, ShareOpening
from apps.files.services.folders import ancestors, line_to, parents_of
from studyplatform.kit.errors import NotFound
from studyplatform.kit.policies import enforce

PRIVATE, COURSE, LINK = "private", "course", "link"


def unrevoked() -> QuerySet[Share]:
    """Shares that were not revoked, whose owner is not blocked and whose entry is not in the bin."""
    return Share.objects.select_related("file__current", "folder", "owner").filter(
        revoked_at=None, owner__is_active=True, file__deleted_at=None, folder__deleted_at=None
    )


def _is_ours() -> Q:
    """The owner still belongs to the course of the share."""
    return policies.course_members().belongs("owner", "course")


def shared_with(user: User, courses: Iterable[uuid.UUID]) -> QuerySet[Share]:
    """What others share with these courses, to which the user belongs, newest first."""
    found = unrevoked().filter(_is_ours(), kind=Share.Kind.COURSE, course__in=list(courses))
    return found.exclude(owner=user).order_by("-created_at", "-pk")


def names_still_open_to(user: User, *, now: datetime) -> dict[int, str]:
    """The names of what the user has opened and may open now, by the id of the share. Three queries.

    Without links with a password: the user may not know it any longer.
    """
    opened = ShareOpening.objects.filter(user=user).values("share")
    courses = policies.course_members().courses_of(user)
    links = (
        unrevoked()
        .filter(kind=Share.Kind.LINK, expires_at__gt=now, password="")
        .filter(Q(max_downloads=None) | Q(downloads__lt=F("max_downloads")))
    )
    lists = (shared_with(user, courses), links)
    return {share.pk: share.entry.name for found in lists for share in found.filter(pk__in=opened)}


def course_share_for(user: User, uid: uuid.UUID) -> tuple[Share, str]:
    """A share with a course that the user belongs to, and the course's title. Two queries.

    :raises NotFound: there is none, or it has ended.
    """
    share = unrevoked().filter(_is_ours(), kind=Share.Kind.COURSE, uid=uid).first()
    title = policies.course_members().courses_of(user).get(share.course) if share and share.course else None
    if share is None or title is None:
        raise NotFound
    return share, title


def file_within(share: Share, uid: uuid.UUID) -> File:
    """A file that a live share opens, see `file_and_trail`."""
    return file_and_trail(share, uid)[0]


def file_and_trail(share: Share, uid: uuid.UUID) -> tuple[File, list[Folder]]:
    """A file that a live share opens: the shared file, or one in the shared folder, at any depth. At most two queries.

    With the folders from the shared one down to that of the file.

    :raises NotFound: the file lies elsewhere, is in the bin, or does not exist.
    """
    if share.file is not None:
        if share.file.uid != uid:
            raise NotFound
        return share.file, []
    file = File.objects.present().select_related("current", "folder").filter(uid=uid, owner=share.owner_id).first()
    if file is None or file.folder is None:
        raise NotFound
    is_top = file.folder_id == share.folder_id
    trail = _within(share, [file.folder] if is_top else [*ancestors(file.folder), file.folder])
    return file, trail


def trail_within(share: Share, uid: uuid.UUID | None) -> list[Folder]:
    """The shared folder of a live share (``uid`` None), or the folders from it down to one within it. One query.

    :raises NotFound: the folder lies elsewhere, is in the bin, or does not exist.
    """
    if share.folder is None:
        raise NotFound
    if uid is None or uid == share.folder.uid:
        return [share.folder]
    return _within(share, line_to(uid))


def _within(share: Share, line: Sequence[Folder]) -> list[Folder]:
    """The part of a line of folders that begins with the shared one.

    :raises NotFound: it is not in the line, or a folder below it is in the bin.
    """
    found = list(itertools.dropwhile(lambda folder: folder.pk != share.folder_id, line))
    if not found or any(folder.deleted_at is not None for folder in found):
        raise NotFound
    return found


class Contents(Sequence[Folder | File]):
    """The folders of a folder, then its files, each by name, for those it is shared with.

    For a paginator: it reads only the rows of its page. One query, and two for a page.
    """

    def __init__(self, folder: Folder) -> None:
        inside = Count("children", filter=Q(children__deleted_at=None))
        counts = Folder.objects.filter(pk=folder.pk).annotate(folder_count=inside, file_count=files_in_folder())
        found: tuple[int, int] = counts.values_list("folder_count", "file_count").get()
        self._split, self.file_count = found
        folders = folder.children.filter(deleted_at=None).annotate(file_count=files_in_folder())
        self._folders = folders.order_by("sort_name", "pk")
        self._files = folder.files.filter(deleted_at=None).order_by("sort_name", "pk")

    def __len__(self) -> int:
        return self._split + self.file_count

    @overload
    def __getitem__(self, key: int) -> Folder | File: ...
    @overload
    def __getitem__(self, key: slice) -> list[Folder | File]: ...
    def __getitem__(self, key: int | slice) -> Folder | File | list[Folder | File]:
        if isinstance(key, int):
            return self._folders[key] if key < self._split else self._files[key - self._split]
        start, stop = key.indices(len(self))[:2]
        return [
            *self._folders[min(start, self._split) : min(stop, self._split)],
            *self._files[max(start - self._split, 0) : max(stop - self._split, 0)],
        ]


def share_for(user: AnyUser, uid: uuid.UUID) -> Share:
    """A share of the user.

    :raises NotFound: it does not exist, or belongs to another user.
    """
    share = Share.objects.select_related("file", "folder").filter(uid=uid).first()
    if share is None:
        raise NotFound
    enforce(policies.edit_share(user, share))
    return share


def openings_of(share: Share) -> QuerySet[ShareOpening]:
    """Who opened a share, newest first."""
    return share.openings.select_related("user").order_by("-opened_at", "-pk")


@dataclass(frozen=True)
class ShareState:
    """A share of a user with what a list says about it. ``state``: active, expired, used_up, revoked, binned, left."""

    share: Share
    state: str
    label: str
    title: str
    """The title of its course; "" for a link."""
    opened: int
    """How many visits were noted."""

    @property
    def is_active(self) -> bool:
        return self.state == "active"

    @property
    def has_ended(self) -> bool:
        """It never opens again; a share whose entry is in the bin does when the entry is restored."""
        return self.state in {"revoked", "expired", "used_up"}


def shares_of(user: User, entry: File | Folder | None = None) -> QuerySet[Share]:
    """The user's shares, newest first; ``entry``: only those of this file or folder that were not revoked."""
    found = Share.objects.of(user.pk).select_related("file", "folder").order_by("-created_at", "-pk")
    if entry is not None:
        found = found.filter(revoked_at=None, **({"file": entry} if isinstance(entry, File) else {"folder": entry}))
    return found


def states_of(shares: Iterable[Share], *, courses: Mapping[uuid.UUID, str], now: datetime) -> list[ShareState]:
    """What a list says about these shares of one user, in their order.

    ``courses``: those that the user belongs to, with their titles. One query, and one more if the user has left a
    course.
    """
    shares = list(shares)
    left = {share.course for share in shares if share.course is not None} - courses.keys()
    titles = {**courses, **(policies.course_members().titles(left) if left else {})}
    opened = dict(
        ShareOpening.objects.filter(share__in=shares).order_by().values_list("share").annotate(count=Count("pk"))
    )
    return [
        ShareState(
            share,
            *_state(share, is_ours=share.course is None or share.course in courses, now=now),
            title=titles.get(share.course, "") if share.course else "",
            opened=opened.get(share.pk, 0),
        )
        for share in shares
    ]


def _state(share: Share, *, is_ours: bool, now: datetime) -> tuple[str, str]:
    # What ended it first: a download is counted only while it is open, and an ended share can still be revoked.
    if share.is_used_up:
        return "used_up", _("Used up")
    if share.expires_at is not None and share.expires_at <= (share.revoked_at or now):
        return "expired", _("Expired")
    if share.revoked_at is not None:
        return "revoked", _("Stopped")
    if share.entry.deleted_at is not None:
        return "binned", _("In the bin")
    if not is_ours:
        return "left", _("You left the course")
    return "active", _("Active")


@dataclass(frozen=True)
class Sharing:
    """How an entry is shared: ``kind`` is private, course or link (the widest), ``label`` says it in a few words."""

    kind: str
    label: str


UNSHARED = Sharing(PRIVATE, "")


def sharing_of(
    user_id: int, *, files: Sequence[File], folders: Sequence[Folder], within: Sequence[Folder] | None, now: datetime
) -> dict[uuid.UUID, Sharing]:
    """How each of the user's entries is shared, by its uid: by itself, or with a folder that contains it.

    ``within``: the folders that contain all of them, if the caller knows them; otherwise they are read. Two queries at
    most.
    """
    live = (
        Share.objects.of(user_id)
        .filter(Q(expires_at=None) | Q(expires_at__gt=now), revoked_at=None)
        .filter(Q(max_downloads=None) | Q(downloads__lt=F("max_downloads")))
        .filter(Q(kind=Share.Kind.LINK) | _is_ours())
        .filter(Q(file__in=files) | Q(folder__isnull=False))
        .values_list("file", "folder", "kind", "expires_at")
    )
    by_file: dict[int, list[tuple[str, datetime | None]]] = {}
    by_folder: dict[int, list[tuple[str, datetime | None]]] = {}
    for file, folder, kind, expires_at in live:
        (by_file.setdefault(file, []) if file else by_folder.setdefault(folder, [])).append((kind, expires_at))
    parents = _parents(files, folders) if within is None and by_folder else {}

    def inherited(folder: int | None) -> list[tuple[str, datetime | None]]:
        found, pk, seen = [], folder, set()
        while pk is not None and pk not in seen:
            seen.add(pk)
            found += by_folder.get(pk, [])
            pk = parents.get(pk)
        return found

    above = [each for folder in within or () for each in by_folder.get(folder.pk, [])]
    return {
        **{
            file.uid: _sharing(by_file.get(file.pk, []) + above + ([] if within else inherited(file.folder_id)), now)
            for file in files
        },
        **{folder.uid: _sharing(above + inherited(folder.pk), now) for folder in folders},
    }


def _parents(files: Sequence[File], folders: Sequence[Folder]) -> dict[int, int | None]:
    """The parents of these folders and of all folders above these entries. At most one query."""
    found: dict[int, int | None] = {folder.pk: folder.parent_id for folder in folders}
    direct = {pk for pk in [*(file.folder_id for file in files), *found.values()] if pk is not None}
    return {**found, **parents_of(direct)} if direct else found


def _sharing(shares: Sequence[tuple[str, datetime | None]], now: datetime) -> Sharing:
    ends = [expires_at for kind, expires_at in shares if kind == Share.Kind.LINK and expires_at is not None]
    if ends:
        days = max(1, -(-(max(ends) - now).total_seconds() // 86400))
        left = ngettext("Link, %(num)d day left", "Link, %(num)d days left", int(days)) % {"num": days}
        return Sharing(LINK, left)
    return Sharing(COURSE, _("Course")) if shares else Sharing(PRIVATE, _("Private"))
