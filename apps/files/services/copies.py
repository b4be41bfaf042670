"""Copies of files and folders. The contents are shared, so a copy needs no storage."""

from collections.abc import Iterable
from datetime import datetime

from django.db import transaction

from apps.accounts.models import User
from apps.files import errors, policies
from apps.files.library_names import sort_name
from apps.files.models import File, FileVersion, Folder
from apps.files.services.folders import (
    MAX_ENTRIES,
    Names,
    Selection,
    check_target,
    enforce_all,
    lock_library,
    still_present,
)
from studyplatform.kit import jobs
from studyplatform.kit.policies import enforce


def copy_entries(*, selection: Selection, to: Folder | None, by: User, now: datetime) -> None:
    """Copy entries into a folder, or to the top. The contents are shared, so a copy needs no storage.

    :raises FolderIntoItself: the target is one of the folders or lies within one.
    :raises TooManyEntries: the folders hold more than `MAX_ENTRIES` entries.
    """
    enforce_all(selection, by)
    if to is not None:
        enforce(policies.edit_entry(by, to))
    with transaction.atomic():
        lock_library(by.pk)
        to = still_present(to)
        check_target(selection, to)
        left = MAX_ENTRIES
        names = Names(by.pk, to, [entry.name for entry in selection.entries])
        for folder in selection.folders:
            left = _copy_folder(folder, to, names, now, left)
        _copy_files(selection.files, to, names, now, left)


def _copy_folder(folder: Folder, to: Folder | None, names: Names, now: datetime, left: int) -> int:
    name = names.free(folder.name)
    new = Folder.objects.create(
        owner_id=folder.owner_id, parent=to, name=name, sort_name=sort_name(name), created_at=now
    )
    left -= 1
    folders = list(Folder.objects.present().filter(parent=folder)[: max(0, left) + 1])
    files = list(File.objects.present().filter(folder=folder).select_related("current")[: max(0, left) + 1])
    inside = Names(folder.owner_id, new, [entry.name for entry in [*folders, *files]])
    for child in folders:
        left = _copy_folder(child, new, inside, now, left)
    return _copy_files(files, new, inside, now, left)


def _copy_files(files: Iterable[File], to: Folder | None, names: Names, now: datetime, left: int) -> int:
    copies = []
    for file in files:
        name = names.free(file.name)
        copies.append(_copy_of(file, name, to, now))
    if len(copies) > left or left < 0:
        raise errors.TooManyEntries(limit=MAX_ENTRIES)
    File.objects.bulk_create(copies)
    FileVersion.objects.bulk_create(
        [FileVersion(file=file, upload_id=file.current_id, number=1, created_at=now) for file in copies]
    )
    for file in copies:
        if not file.thumbnail:
            jobs.enqueue("files.make_thumbnail", key=file.uid.hex, file=file.uid.hex)
    return left - len(copies)


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
