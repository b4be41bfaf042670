"""The tree of a library: its lock, its names, and what is above and below a folder.

Every change of a library locks its owner's row first, so that the changes happen one after the other. That makes the
check of a name and its use one step, and no folder can become a part of itself.
"""

import itertools
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from django.db import connection
from django.db.models import QuerySet

from apps.accounts.models import User
from apps.files import errors, policies
from apps.files.file_types import clean_name
from apps.files.library_names import MAX_DEPTH, numbered, sort_name
from apps.files.models import BinnedOriginal, File, Folder
from studyplatform.kit.policies import enforce

MAX_ENTRIES = 1000  # in one call
NAMES_PER_QUERY = 1000
MAX_LIBRARY_ENTRIES = 200_000  # of one user, with those in the bin; entries cost room that no allowance counts


@dataclass(frozen=True)
class Selection:
    """Some folders and files of one owner, and originals of videos in the bin."""

    folders: Sequence[Folder] = ()
    files: Sequence[File] = ()
    originals: Sequence[BinnedOriginal] = ()

    @property
    def entries(self) -> list[Folder | File]:
        return [*self.folders, *self.files]

    def __len__(self) -> int:
        return len(self.folders) + len(self.files) + len(self.originals)


def lock_library(owner_id: int) -> User:
    """Lock the owner's row until the surrounding transaction ends.

    A transaction that also locks videos, folders or files locks the library first. Rows that refer to the
    owner can be added meanwhile: the lock does not cover the key.
    """
    return User.objects.select_for_update(no_key=True).get(pk=owner_id)


def require_room(owner_id: int, added: int) -> None:
    """Check that a locked library may have so many more entries. Two queries.

    :raises LibraryFull: it would have more than `MAX_LIBRARY_ENTRIES`.
    """
    present = File.objects.filter(owner=owner_id).count() + Folder.objects.filter(owner=owner_id).count()
    if present + added > MAX_LIBRARY_ENTRIES:
        raise errors.LibraryFull(limit=MAX_LIBRARY_ENTRIES)


class Names:
    """The names in a folder of a locked library. It asks the database only for those that are wanted: a folder may
    contain 100,000 files."""

    def __init__(self, owner_id: int, folder: Folder | None, wanted: Sequence[str] = ()) -> None:
        """``wanted``: names that `free` will be called with, which are then looked up together."""
        self._owner_id, self._folder = owner_id, folder
        self._is_taken: dict[str, bool] = {}
        self._look_up([sort_name(name) for name in wanted])
        self._duplicates = [name for name in wanted if self._is_taken[sort_name(name)]]
        self._numbers_seen = 2  # of all duplicates, those below were looked up

    def free(self, name: str) -> str:
        """The name, or the first numbered one that is free; it is taken from now on."""
        if not self.has(name):
            return self._take(name)
        first = 2
        while True:
            if first >= self._numbers_seen:
                self._look_up_duplicates()
            last = max(self._numbers_seen, first + 1)
            candidates = [numbered(name, number) for number in range(first, last)]
            keys = [sort_name(candidate) for candidate in candidates]
            self._look_up([key for key in keys if key not in self._is_taken])
            for candidate, key in zip(candidates, keys, strict=True):
                if not self._is_taken[key]:
                    return self._take(candidate)
            first = last

    def _look_up_duplicates(self) -> None:
        """Look up the next numbers of all duplicates together: many copies must not be many queries."""
        count = max(1, NAMES_PER_QUERY // max(1, len(self._duplicates)))
        numbers = range(self._numbers_seen, self._numbers_seen + count)
        self._look_up([sort_name(numbered(name, number)) for name in self._duplicates for number in numbers])
        self._numbers_seen += count

    def _take(self, name: str) -> str:
        self._is_taken[sort_name(name)] = True
        return name

    def has(self, name: str) -> bool:
        """Whether an entry has this name."""
        key = sort_name(name)
        if key not in self._is_taken:
            self._look_up([key])
        return self._is_taken[key]

    def _look_up(self, keys: list[str]) -> None:
        if not keys:
            return
        files = files_in(self._owner_id, self._folder).filter(sort_name__in=keys)
        folders = Folder.objects.of(self._owner_id).present().filter(parent=self._folder, sort_name__in=keys)
        taken = set(files.order_by().values_list("sort_name").union(folders.order_by().values_list("sort_name")))
        self._is_taken |= {key: (key,) in taken for key in keys}


def place(entry: Folder | File, folder: Folder | None, names: Names) -> None:
    """Put an entry into a folder under a name that is free there."""
    entry.name = names.free(entry.name)
    entry.sort_name = sort_name(entry.name)
    if isinstance(entry, Folder):
        entry.parent = folder
    else:
        entry.folder = folder
    entry.save()


def ancestors(folder: Folder) -> list[Folder]:
    """The folders above, from the top. One query."""
    return _line("id", folder.parent_id) if folder.parent_id is not None else []


def line_to(uid: UUID) -> list[Folder]:
    """The folders from the top down to the one with this uid; empty if there is none. One query."""
    return _line("uid", uid.hex)


def _line(column: Literal["id", "uid"], value: int | str) -> list[Folder]:
    found = list(Folder.objects.raw(_LINE.format(column=column), [value, 2 * MAX_DEPTH]))
    for above, folder in itertools.pairwise(found):
        folder.parent = above
    return found


def parents_of(pks: Collection[int]) -> dict[int, int | None]:
    """The parents of these folders and of all folders above them. One query."""
    marks = ", ".join(["%s"] * len(pks))
    with connection.cursor() as cursor:
        cursor.execute(_PARENTS.format(pks=marks), list(pks))
        return dict(cursor.fetchall())


_LINE = """
    WITH RECURSIVE line (id, parent_id, level) AS (
        SELECT id, parent_id, 0 FROM files_folder WHERE {column} = %s
        UNION ALL
        SELECT above.id, above.parent_id, line.level + 1 FROM files_folder AS above
        JOIN line ON above.id = line.parent_id WHERE line.level < %s
    )
    SELECT files_folder.* FROM files_folder JOIN line ON line.id = files_folder.id ORDER BY line.level DESC"""
# UNION, not UNION ALL: it ends also if folders were within each other in a circle.
_PARENTS = """
    WITH RECURSIVE above (id, parent_id) AS (
        SELECT id, parent_id FROM files_folder WHERE id IN ({pks})
        UNION
        SELECT parent.id, parent.parent_id FROM files_folder AS parent JOIN above ON parent.id = above.parent_id
    )
    SELECT id, parent_id FROM above"""


def subtree(folders: Iterable[Folder]) -> list[int]:
    """The ids of the folders and of all folders within them. One query per level."""
    level = [folder.pk for folder in folders]
    found = list(level)
    while level := list(Folder.objects.filter(parent__in=level).values_list("pk", flat=True)):
        found += level
    return found


def height(folder: Folder) -> int:
    """How many levels of folders it has, counting itself."""
    level, count = [folder.pk], 0
    while level:
        count += 1
        level = list(Folder.objects.present().filter(parent__in=level).values_list("pk", flat=True))
    return count


def files_in(owner_id: int, folder: Folder | None) -> QuerySet[File]:
    return File.objects.of(owner_id).present().filter(folder=folder)


def still_present(folder: Folder | None) -> Folder | None:
    """The folder as it is now, in a locked library.

    :raises EntryInBin: it was moved to the bin.
    """
    if folder is None:
        return None
    fresh = Folder.objects.filter(pk=folder.pk).first()
    if fresh is None or fresh.deleted_at is not None:
        raise errors.EntryInBin
    return fresh


def checked_name(name: str, owner_id: int, folder: Folder | None, besides: Folder | File | None = None) -> str:
    """The clean name, if no other entry of the folder has it.

    :raises NameInvalid: nothing is left of the name.
    :raises NameTaken: another entry has it.
    """
    if not "".join(character for character in name if character.isprintable()).strip(" ."):
        raise errors.NameInvalid
    name = clean_name(name)
    wanted = sort_name(name)
    if besides is not None and besides.sort_name == wanted:
        return name
    if Names(owner_id, folder).has(name):
        raise errors.NameTaken(name=name)
    return name


def make_path(owner_id: int, folder: Folder | None, names: list[str], now: datetime) -> Folder | None:
    """The folder at this path below ``folder``; creates the missing ones. Stops at `MAX_DEPTH`."""
    depth = 0 if folder is None else len(ancestors(folder)) + 1
    for name in names[: max(0, MAX_DEPTH - depth)]:
        found = Folder.objects.of(owner_id).present().filter(parent=folder, sort_name=sort_name(name)).first()
        if found is None:
            name = Names(owner_id, folder).free(name)  # a file may have this name
            found = Folder.objects.create(
                owner_id=owner_id, parent=folder, name=name, sort_name=sort_name(name), created_at=now
            )
        folder = found
    return folder


def enforce_all(selection: Selection, by: User) -> None:
    """Check that the user may change each entry.

    :raises TooManyEntries: more than `MAX_ENTRIES`.
    :raises NotFound: one of them belongs to another user.
    """
    if len(selection) > MAX_ENTRIES:
        raise errors.TooManyEntries(limit=MAX_ENTRIES)
    for entry in selection.entries:
        enforce(policies.edit_entry(by, entry))
    for original in selection.originals:
        enforce(policies.edit_original(by, original))


def check_target(selection: Selection, to: Folder | None) -> None:
    """Check that the folders of a selection may be put into a folder.

    :raises FolderIntoItself: it is one of them, or lies within one.
    :raises FolderTooDeep: more than `MAX_DEPTH` folders would lie within each other.
    """
    above = {folder.pk for folder in ancestors(to)} | {to.pk} if to is not None else set()
    if above & {folder.pk for folder in selection.folders}:
        raise errors.FolderIntoItself
    if selection.folders and len(above) + max(map(height, selection.folders)) > MAX_DEPTH:
        raise errors.FolderTooDeep(limit=MAX_DEPTH)
