"""Reads of sharing: what is shared, with whom, in what state, and what may be opened through a share."""

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import overload

from django.db.models import Count, F, Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.accounts.models import User
from apps.accounts.policies import AnyUser
from apps.files import policies
from apps.files.models import File, Folder, Share, ShareOpening
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


def shared_with(user: User) -> QuerySet[Share]:
    """What others share with the courses that the user belongs to, newest first. Two queries."""
    courses = policies.course_members().courses_of(user)
    found = unrevoked().filter(_is_ours(), kind=Share.Kind.COURSE, course__in=list(courses))
    return found.exclude(owner=user).order_by("-created_at", "-pk")


def names_still_open_to(user: User, *, now: datetime) -> dict[int, str]:
    """The names of what the user has opened and may open now, by the id of the share. Three queries.

    Without links with a password: the user may not know it any longer.
    """
    opened = ShareOpening.objects.filter(user=user).values("share")
    links = (
        unrevoked()
        .filter(kind=Share.Kind.LINK, expires_at__gt=now, password="")
        .filter(Q(max_downloads=None) | Q(downloads__lt=F("max_downloads")))
    )
    return {share.pk: share.entry.name for found in (shared_with(user), links) for share in found.filter(pk__in=opened)}


def course_share_for(user: User, uid: uuid.UUID) -> Share:
    """A share with a course that the user belongs to.

    :raises NotFound: there is none, or it has ended.
    """
    share = unrevoked().filter(_is_ours(), kind=Share.Kind.COURSE, uid=uid).first()
    if share is None or share.course not in policies.course_members().courses_of(user):
        raise NotFound
    return share


def file_within(share: Share, uid: uuid.UUID) -> File:
    """A file that a live share opens: the shared file, or one in the shared folder, at any depth.

    :raises NotFound: the file lies elsewhere, is in the bin, or does not exist.
    """
    if share.file is not None:
        if share.file.uid != uid:
            raise NotFound
        return share.file
    file = File.objects.present().select_related("current", "folder").filter(uid=uid, owner=share.owner_id).first()
    if file is None or file.folder is None or not trail_within(share, file.folder):
        raise NotFound
    return file


def folder_within(share: Share, uid: uuid.UUID | None) -> Folder:
    """The shared folder of a live share (``uid`` None), or a folder within it.

    :raises NotFound: the folder lies elsewhere, is in the bin, or does not exist.
    """
    if share.folder is None:
        raise NotFound
    if uid is None or uid == share.folder.uid:
        return share.folder
    folder = Folder.objects.present().select_related("parent").filter(uid=uid, owner=share.owner_id).first()
    if folder is None or not trail_within(share, folder):
        raise NotFound
    return folder


def trail_within(share: Share, folder: Folder) -> list[Folder]:
    """The folders from the shared one down to this one; empty if it lies elsewhere. One query per level."""
    found = [folder]
    while found[-1].pk != share.folder_id:
        above = found[-1].parent
        if above is None or above.deleted_at is not None:
            return []
        found.append(above)
    return found[::-1]


class Contents(Sequence[Folder | File]):
    """The folders of a folder, then its files, each by name, for those it is shared with.

    For a paginator: it reads only the rows of its page.
    """

    def __init__(self, folder: Folder) -> None:
        folders = folder.children.filter(deleted_at=None)
        self._split = folders.count()
        self._folders = folders.annotate(file_count=Count("files", filter=Q(files__deleted_at=None))).order_by(
            "sort_name", "pk"
        )
        self._files = folder.files.filter(deleted_at=None).order_by("sort_name", "pk")
        self.file_count = self._files.count()

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


def states_of(shares: Iterable[Share], *, now: datetime) -> list[ShareState]:
    """What a list says about these shares, in their order. Three queries."""
    shares = list(shares)
    pks = [share.pk for share in shares]
    courses = {share.course for share in shares if share.course is not None}
    titles = policies.course_members().titles(courses) if courses else {}
    ours = (
        set(Share.objects.filter(_is_ours(), pk__in=pks, kind=Share.Kind.COURSE).values_list("pk", flat=True))
        if courses
        else set()
    )
    opened = dict(
        ShareOpening.objects.filter(share__in=pks).order_by().values_list("share").annotate(count=Count("pk"))
    )
    return [
        ShareState(
            share,
            *_state(share, is_ours=share.course is None or share.pk in ours, now=now),
            title=titles.get(share.course, "") if share.course else "",
            opened=opened.get(share.pk, 0),
        )
        for share in shares
    ]


def _state(share: Share, *, is_ours: bool, now: datetime) -> tuple[str, str]:
    if share.revoked_at is not None:
        return "revoked", _("Stopped")
    if share.expires_at is not None and share.expires_at <= now:
        return "expired", _("Expired")
    if share.entry.deleted_at is not None:
        return "binned", _("In the bin")
    if not is_ours:
        return "left", _("You left the course")
    if share.is_used_up:
        return "used_up", _("Used up")
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

    ``within``: the folders that contain all of them, if the caller knows them; otherwise they are read, one query per
    level. One query besides.
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
    """The parents of all folders above these entries. One query per level."""
    found: dict[int, int | None] = {folder.pk: folder.parent_id for folder in folders}
    level = {pk for pk in [*(file.folder_id for file in files), *found.values()] if pk is not None} - found.keys()
    while level:
        found.update(Folder.objects.filter(pk__in=level).values_list("pk", "parent"))
        level = {pk for pk in found.values() if pk is not None} - found.keys()
    return found


def _sharing(shares: Sequence[tuple[str, datetime | None]], now: datetime) -> Sharing:
    ends = [expires_at for kind, expires_at in shares if kind == Share.Kind.LINK and expires_at is not None]
    if ends:
        days = max(1, -(-(max(ends) - now).total_seconds() // 86400))
        left = ngettext("Link, %(num)d day left", "Link, %(num)d days left", int(days)) % {"num": days}
        return Sharing(LINK, left)
    return Sharing(COURSE, _("Course")) if shares else Sharing(PRIVATE, _("Private"))
