"""Copies of files and folders. The contents are shared, so a copy needs no storage."""

from collections.abc import Iterable
from datetime import datetime

from django.db import transaction

from apps.accounts.models import User
from apps.files import errors, policies
from apps.files.library_names import sort_name
from apps.files.models import File, FileKind, FileVersion, Folder
from apps.files.services.folders import (
    Names,
    Selection,
    check_target,
    enforce_all,
    lock_library,
    require_room,
    still_present,
)
from studyplatform.kit import jobs
from studyplatform.kit.policies import enforce
from studyplatform.kit.web import rate_limits

MAX_COPIED_ENTRIES = 500  # in one call: each is written with its version, its counts and its name for the search


def copy_entries(*, selection: Selection, to: Folder | None, by: User, now: datetime) -> None:
    """Copy entries into a folder, or to the top. The contents are shared, so a copy needs no storage.

    :raises FolderIntoItself: the target is one of the folders or lies within one.
    :raises TooManyEntries: more than `MAX_COPIED_ENTRIES` entries, counting those within the folders.
    :raises LibraryFull: the user would have more than `MAX_LIBRARY_ENTRIES`.
    :raises RateLimitExceeded: the user has copied too much in the last minutes.
    """
    enforce_all(selection, by)
    if to is not None:
        enforce(policies.edit_entry(by, to))
    with transaction.atomic():
        lock_library(by.pk)
        to = still_present(to)
        check_target(selection, to)
        count = _count_entries(selection)
        require_room(by.pk, count)
        rate_limits.consume("copy", str(by.pk), now=now, amount=count)
        names = Names(by.pk, to, [entry.name for entry in selection.entries])
        for folder in selection.folders:
            _copy_folder(folder, to, names, now)
        _copy_files(selection.files, to, names, now)


def _count_entries(selection: Selection) -> int:
    """How many entries a copy makes. Two queries per level of folders, before anything is written.

    :raises TooManyEntries: more than `MAX_COPIED_ENTRIES`.
    """
    count, level = len(selection.entries), [folder.pk for folder in selection.folders]
    while level and count <= MAX_COPIED_ENTRIES:
        count += File.objects.present().filter(folder__in=level).count()
        inside = Folder.objects.present().filter(parent__in=level).values_list("pk", flat=True)
        level = list(inside[: MAX_COPIED_ENTRIES + 1])
        count += len(level)
    if count > MAX_COPIED_ENTRIES:
        raise errors.TooManyEntries(limit=MAX_COPIED_ENTRIES)
    return count


def _copy_folder(folder: Folder, to: Folder | None, names: Names, now: datetime) -> None:
    name = names.free(folder.name)
    new = Folder.objects.create(
        owner_id=folder.owner_id, parent=to, name=name, sort_name=sort_name(name), created_at=now
    )
    folders = list(Folder.objects.present().filter(parent=folder))
    files = list(File.objects.present().filter(folder=folder))
    inside = Names(folder.owner_id, new, [entry.name for entry in [*folders, *files]])
    for child in folders:
        _copy_folder(child, new, inside, now)
    _copy_files(files, new, inside, now)


def _copy_files(files: Iterable[File], to: Folder | None, names: Names, now: datetime) -> None:
    copies = [_copy_of(file, names.free(file.name), to, now) for file in files]
    File.objects.bulk_create(copies)
    FileVersion.objects.bulk_create(
        [FileVersion(file=file, upload_id=file.current_id, number=1, created_at=now) for file in copies]
    )
    for file in copies:
        if file.kind == FileKind.IMAGE:
            jobs.enqueue("files.make_thumbnail", key=file.uid.hex, file=file.uid.hex)


def _copy_of(file: File, name: str, folder: Folder | None, now: datetime) -> File:
    return File(
        owner_id=file.owner_id,
        folder=folder,
        name=name,
        sort_name=sort_name(name),
        current_id=file.current_id,
        kind=file.kind,
        media_type=file.media_type,
        size=file.size,
        created_at=now,
        modified_at=now,
    )
