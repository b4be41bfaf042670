"""Reads of the library: what a folder contains, the bin, and what uses the storage."""

import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Q, QuerySet, UUIDField

from apps.accounts.models import User
from apps.accounts.policies import AnyUser
from apps.files import name_search, policies, scanner
from apps.files.counts import STORED, Count, counts_and_allowance, counts_of, folder_key
from apps.files.errors import TooManyEntries
from apps.files.library_names import sort_name
from apps.files.models import BinnedOriginal, File, FileKind, FileVersion, Folder
from apps.files.queries import Storage, allowance_of_role, storage_from, storage_of
from apps.files.services.folders import MAX_ENTRIES, Selection, ancestors, line_to, subtree
from studyplatform.kit.db.prepared_queries import Param, PreparedQuery
from studyplatform.kit.errors import NotFound
from studyplatform.kit.policies import enforce

ORDERS = {
    "modified": ("-modified_at", "-pk"),
    "name": ("sort_name", "pk"),
    "size": ("-size", "-pk"),
    "type": ("kind", "sort_name", "pk"),
}
MOST_TARGETS = 100  # folders that the choice of a target offers
MOST_FOLDERS = 2000  # that a call lists
AUDIO_VIDEO, IMAGES, DOCUMENTS = "audio_video", "images", "documents"


def folder_for(user: AnyUser, uid: uuid.UUID) -> Folder:
    """The folder, if it is the user's.

    :raises NotFound: it does not exist, or belongs to another user.
    """
    folder = Folder.objects.filter(uid=uid).first()
    if folder is None:
        raise NotFound
    enforce(policies.edit_entry(user, folder))
    return folder


def line_for(user: AnyUser, uid: uuid.UUID) -> list[Folder]:
    """The folders from the top down to this one, which is the user's. One query.

    :raises NotFound: it does not exist, is in the bin, or belongs to another user.
    """
    line = line_to(uid)
    if not line or line[-1].deleted_at is not None:
        raise NotFound
    enforce(policies.edit_entry(user, line[-1]))
    return line


def file_for(user: AnyUser, uid: uuid.UUID) -> File:
    """The file, if it is the user's.

    :raises NotFound: it does not exist, or belongs to another user.
    """
    file = _file_by_uid.first(uid=uid)
    if file is None:
        raise NotFound
    enforce(policies.edit_entry(user, file))
    return file


def file_to_send(user: AnyUser, uid: uuid.UUID) -> File:
    """The file with its current content, without its folder, if it is the user's.

    :raises NotFound: it does not exist, or belongs to another user.
    """
    file = _content_by_uid.first(uid=uid)
    if file is None:
        raise NotFound
    enforce(policies.edit_entry(user, file))
    return file


# Prepared, because each range of a download needs it.
_file_by_uid = PreparedQuery(
    lambda: File.objects.select_related("current", "folder").filter(uid=Param("uid", UUIDField()))
)

_content_by_uid = PreparedQuery(
    lambda: (
        File.objects.select_related("current")
        .defer("current__metadata", "current__concat")
        .filter(uid=Param("uid", UUIDField()))
    )
)


def above(folder: Folder) -> list[Folder]:
    """The folders above, from the top. One query."""
    return ancestors(folder)


def selection_for(
    user: User, *, files: Iterable[uuid.UUID], folders: Iterable[uuid.UUID], originals: Iterable[uuid.UUID] = ()
) -> Selection:
    """The user's files and folders, and originals in the bin, with these uids.

    :raises NotFound: one of them does not exist, or belongs to another user.
    :raises TooManyEntries: more than `MAX_ENTRIES`.
    """
    wanted_files, wanted_folders, wanted_originals = set(files), set(folders), set(originals)
    wanted = len(wanted_files) + len(wanted_folders) + len(wanted_originals)
    if wanted > MAX_ENTRIES:
        raise TooManyEntries(limit=MAX_ENTRIES)
    found = Selection(
        folders=list(Folder.objects.of(user.pk).filter(uid__in=wanted_folders)),
        files=list(File.objects.of(user.pk).select_related("current").filter(uid__in=wanted_files)),
        originals=list(binned_originals(user).filter(uid__in=wanted_originals)) if wanted_originals else (),
    )
    if len(found) < wanted:
        raise NotFound
    return found


def folders_in(user: User, folder: Folder | None) -> QuerySet[Folder]:
    """The folders of a folder by name."""
    return Folder.objects.of(user.pk).present().filter(parent=folder).order_by("sort_name")


def with_counts(user: User, folders: Iterable[Folder], key: Callable[[int], str] = folder_key) -> list[Folder]:
    """These folders, each with ``file_count`` and ``byte_count``: the files in it, without those in its folders.

    With the key `binned_key`, the files that it took to the bin. One query for all.
    """
    found = list(folders)
    _set_counts(found, counts_of(user.pk, [key(folder.pk) for folder in found]) if found else {}, key)
    return found


def _set_counts(folders: Iterable[Folder], counts: Mapping[str, Count], key: Callable[[int], str]) -> None:
    for folder in folders:
        count = counts.get(key(folder.pk), Count())
        folder.file_count, folder.byte_count = count.files, count.bytes  # type: ignore[attr-defined]


def use_and_counts(user: User, here: Folder | None, folders: Iterable[Folder]) -> tuple["LibraryUse", int]:
    """The user's storage, and how many files ``here`` contains; ``folders`` get their counts as by `with_counts`.

    One query.
    """
    found, top = list(folders), folder_key(here.pk if here is not None else None)
    keys = [*STORED, top, *(folder_key(folder.pk) for folder in found)]
    counts, allowance = counts_and_allowance(user.pk, keys)
    _set_counts(found, counts, folder_key)
    own = allowance if allowance is not None else allowance_of_role(user)
    return LibraryUse(storage_from(counts, allowance=own)), counts.get(top, Count()).files


def files_in(user: User, folder: Folder | None, order: str) -> QuerySet[File]:
    """The files of a folder in an order of `ORDERS`."""
    return with_scan(File.objects.of(user.pk).present()).filter(folder=folder).order_by(*ORDERS[order])


def with_scan(files: QuerySet[File]) -> QuerySet[File]:
    """With their contents, whose virus scan a list shows if there is one."""
    return files.select_related("current") if scanner.is_enabled() else files


def search_files(user: User, folder: Folder | None, text: str, order: str) -> QuerySet[File]:
    """The files in a folder and below whose name contains the text, whatever its case. Up to two queries at once."""
    found = name_search.containing(user.pk, sort_name(text)).select_related("folder")
    if folder is not None:
        found = found.filter(folder__in=subtree([folder]))
    return with_scan(found).order_by(*ORDERS[order])


def targets_for(user: User, here: Folder | None, above: Sequence[Folder]) -> list[tuple[Folder, int]]:
    """The folders near a folder as a tree in reading order, each with its depth; at most `MOST_TARGETS`. One query.

    Those at the top, and those beside and in each folder on the way to ``here``. ``above``: the folders above it.
    """
    opened = [*above, here] if here is not None else []
    near = Q(parent=None) | Q(parent__in=opened) | Q(pk__in=[folder.pk for folder in opened])
    folders = Folder.objects.of(user.pk).present().filter(near).order_by("sort_name")[:MOST_TARGETS]
    children: dict[int | None, list[Folder]] = {}
    for folder in folders:
        children.setdefault(folder.parent_id, []).append(folder)
    found: list[tuple[Folder, int]] = []

    def walk(parent: int | None, depth: int) -> None:
        for folder in children.get(parent, []):
            found.append((folder, depth))
            walk(folder.pk, depth + 1)

    walk(None, 0)
    return found


def all_folders(user: User) -> QuerySet[Folder]:
    """The user's folders by name, with their parents; at most `MOST_FOLDERS`."""
    return Folder.objects.of(user.pk).present().select_related("parent").order_by("sort_name", "pk")[:MOST_FOLDERS]


def file_count(folder: Folder) -> int:
    """How many files the folder contains. One query."""
    key = folder_key(folder.pk)
    return counts_of(folder.owner_id, [key]).get(key, Count()).files


def binned_files(user: User) -> QuerySet[File]:
    """The files that the user moved to the bin, newest first."""
    return with_scan(File.objects.of(user.pk).binned().select_related("folder")).order_by("-deleted_at", "-pk")


def binned_folders(user: User) -> QuerySet[Folder]:
    """The folders that the user moved to the bin, newest first."""
    return Folder.objects.of(user.pk).binned().order_by("-deleted_at", "-pk")


def binned_originals(user: User) -> QuerySet[BinnedOriginal]:
    """The originals of replaced and deleted videos in the user's bin, newest first."""
    return BinnedOriginal.objects.filter(owner=user).select_related("video").order_by("-deleted_at", "-pk")


def versions_of(file: File) -> QuerySet[FileVersion]:
    """The versions of a file, newest first."""
    return file.versions.select_related("upload").order_by("-number")


def contents_of(files: Iterable[File]) -> dict[int, set[int]]:
    """The ids of the uploads that are versions of these files, by the file's id."""
    found: dict[int, set[int]] = {}
    for file, upload in FileVersion.objects.filter(file__in=files).values_list("file", "upload"):
        found.setdefault(file, set()).add(upload)
    return found


@dataclass(frozen=True)
class LibraryUse:
    """A user's storage in bytes, as the meter of the library shows it: its parts add up to the storage used."""

    storage: Storage

    @property
    def audio_video(self) -> int:
        """Including the originals of videos for lessons."""
        return self.storage.originals + self.storage.kinds[FileKind.AUDIO] + self.storage.kinds[FileKind.VIDEO]

    @property
    def images(self) -> int:
        return self.storage.kinds[FileKind.IMAGE]

    @property
    def documents(self) -> int:
        """All others outside the bin, including the files of lessons."""
        storage = self.storage
        return storage.used - storage.held - storage.bin - self.audio_video - self.images

    @property
    def bin(self) -> int:
        """What emptying the bin frees at most, see `Storage.bin`."""
        return self.storage.bin


def library_use(user: User) -> LibraryUse:
    """The user's storage by kind. A content counts once, whatever refers to it. One query."""
    return LibraryUse(storage_of(user))
