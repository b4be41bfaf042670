"""The bin: move entries there, restore them, delete them permanently.

What is in the bin counts against its owner's storage until it is deleted, 30 days later at the latest.
"""

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import ProtectedError, QuerySet
from django.db.models.functions import Now

from apps.accounts.models import User
from apps.files.counts import forget_folders
from apps.files.library_names import sort_name
from apps.files.models import BinnedOriginal, File, FileVersion, Folder, Upload
from apps.files.services.folders import Names, Selection, enforce_all, lock_library, subtree
from apps.files.services.originals import schedule_purge
from apps.files.services.restored_originals import restore_original
from apps.files.services.videos import enqueue_removal
from studyplatform.kit import jobs

CHUNK = 200  # files deleted in one transaction
AT_ONCE = 2000  # files deleted within a request; a job deletes the rest


def move_to_bin(*, selection: Selection, by: User, now: datetime) -> None:
    """Move entries to the bin, folders with all they contain. Entries that are there already are ignored."""
    enforce_all(selection, by)
    with transaction.atomic():
        lock_library(by.pk)
        File.objects.present().filter(pk__in=[file.pk for file in selection.files]).update(deleted_at=now)
        for folder in selection.folders:
            if not Folder.objects.present().filter(pk=folder.pk).update(deleted_at=now):
                continue
            inside = subtree([folder])
            File.objects.present().filter(folder__in=inside).update(deleted_at=now, binned_with=folder)
            Folder.objects.present().filter(pk__in=inside).update(deleted_at=now, binned_with=folder)
        schedule_purge(now=now)


def restore_entries(*, selection: Selection, by: User, now: datetime) -> None:
    """Put entries back where they were, or at the top if that folder is gone. A taken name gets a number.

    :raises AppError: an original of a video cannot be restored (see `restore_original`).
    """
    enforce_all(selection, by)
    with transaction.atomic():
        lock_library(by.pk)
        for original in selection.originals:
            restore_original(original=original, by=by, now=now)
        for folder in Folder.objects.binned().filter(pk__in=[one.pk for one in selection.folders]):
            folder.parent = _still_present(folder.parent)
            _name_freely(folder, folder.parent)
            folder.deleted_at = None
            folder.save()
            Folder.objects.filter(binned_with=folder).update(deleted_at=None, binned_with=None)
            File.objects.filter(binned_with=folder).update(deleted_at=None, binned_with=None)
        for file in File.objects.binned().filter(pk__in=[one.pk for one in selection.files]):
            file.folder = _still_present(file.folder)
            _name_freely(file, file.folder)
            file.deleted_at = None
            file.save()


def _still_present(folder: Folder | None) -> Folder | None:
    return folder if folder is not None and folder.deleted_at is None else None


def _name_freely(entry: Folder | File, folder: Folder | None) -> None:
    entry.name = Names(entry.owner_id, folder).free(entry.name)
    entry.sort_name = sort_name(entry.name)


def delete_entries(*, selection: Selection, by: User) -> None:
    """Delete entries in the bin with their versions. A content that a copy or a lesson uses stays."""
    enforce_all(selection, by)
    _delete_originals([each.pk for each in selection.originals])
    folders = Folder.objects.binned().filter(pk__in=[one.pk for one in selection.folders])
    files = File.objects.binned().filter(pk__in=[one.pk for one in selection.files])
    _delete_files(list(files.values_list("pk", flat=True)))
    for folder in folders:
        _delete_files(list(File.objects.filter(binned_with=folder).values_list("pk", flat=True)))
        _delete_folder(folder.pk)


def empty_bin(*, user: User, until: datetime, extend_lease: Callable[[], None] | None = None) -> int:
    """Delete what the user moved to the bin up to ``until``; returns how many files are left.

    Within a request (without ``extend_lease``) it deletes `AT_ONCE` files; a job deletes the others, but nothing that
    comes to the bin after ``until``.
    """
    originals = BinnedOriginal.objects.filter(owner=user, deleted_at__lte=until)
    _delete_originals(list(originals.values_list("pk", flat=True)))
    files = File.objects.of(user.pk).filter(deleted_at__lte=until).order_by("pk")
    while found := list(files.values_list("pk", flat=True)[:AT_ONCE]):
        _delete_files(found)
        if extend_lease is not None:
            extend_lease()
        elif left := files.count():
            # Each click has its own job: the job of an earlier click ends at that click.
            jobs.enqueue(
                "files.empty_bin", key=f"{user.pk}-{until.isoformat()}", owner=user.pk, until=until.isoformat()
            )
            return left
    for pk in Folder.objects.of(user.pk).binned().filter(deleted_at__lte=until).values_list("pk", flat=True):
        _delete_folder(pk)
    return files.count()


def purge_bin(
    *,
    now: datetime,
    days: int | None = None,
    dry_run: bool = False,
    extend_lease: Callable[[], None] = lambda: None,
) -> int:
    """Delete what has been in the bin for ``days`` (by default ``BIN_DAYS``); returns how many entries.

    The contents of a folder in the bin count as entries. Deletes in pieces, so that memory does not grow with the bin.
    """
    before = now - timedelta(days=settings.BIN_DAYS if days is None else days)
    files = File.objects.filter(deleted_at__lte=before)
    originals = BinnedOriginal.objects.filter(deleted_at__lte=before)
    folders = Folder.objects.binned().filter(deleted_at__lte=before)
    if dry_run:
        return files.count() + originals.count() + folders.count()
    done = 0
    for rows, delete in (
        (files, _delete_files),
        (originals, _delete_originals),
        (folders, _delete_folders),
    ):
        for pks in _in_pieces(rows):
            delete(pks)
            done += len(pks)
            extend_lease()
    return done


def _in_pieces(rows: QuerySet[Any]) -> Iterator[list[int]]:
    """The keys of the rows, `CHUNK` at a time. A row that is still there after its turn is not met again."""
    last = 0
    while pks := list(rows.filter(pk__gt=last).order_by("pk").values_list("pk", flat=True)[:CHUNK]):
        yield pks
        last = pks[-1]


def _delete_folders(pks: list[int]) -> None:
    for pk in pks:
        _delete_folder(pk)


def delete_library_of(*, user_id: int) -> None:
    """Delete all files and folders of a user, with the contents that nothing else uses, and originals in the bin."""
    _delete_originals(list(BinnedOriginal.objects.filter(owner=user_id).values_list("pk", flat=True)))
    pks = list(File.objects.of(user_id).values_list("pk", flat=True))
    File.objects.filter(pk__in=pks, deleted_at=None).update(deleted_at=Now())
    _delete_files(pks)
    folders = list(Folder.objects.of(user_id).values_list("pk", flat=True))
    Folder.objects.of(user_id).delete()
    forget_folders(user_id, folders)


def _delete_originals(pks: list[int]) -> None:
    for start in range(0, len(pks), CHUNK):
        with transaction.atomic():
            found = BinnedOriginal.objects.select_for_update().filter(pk__in=pks[start : start + CHUNK])
            names = dict(found.values_list("pk", "source"))
            BinnedOriginal.objects.filter(pk__in=names).delete()
            enqueue_removal(names=names.values())


def _delete_folder(pk: int) -> None:
    """Delete a folder in the bin whose files were deleted. What was moved to the bin before it stays there."""
    with transaction.atomic():
        folder = Folder.objects.filter(pk=pk).first()
        if folder is None:
            return
        lock_library(folder.owner_id)
        folder = Folder.objects.filter(pk=pk, deleted_at__isnull=False).first()
        if folder is None:
            return
        inside = subtree([folder])
        # Their own entries of the bin: restored later, they come to the top.
        Folder.objects.binned().filter(parent__in=inside).update(parent=None)
        inside = subtree([folder])
        File.objects.binned().filter(folder__in=inside).update(folder=None)
        # A file that was restored in the meantime must not disappear with the folder.
        if not File.objects.filter(folder__in=inside).exists():
            folder.delete()
            forget_folders(folder.owner_id, inside)


def _delete_files(pks: list[int]) -> None:
    for start in range(0, len(pks), CHUNK):
        with transaction.atomic():
            # In the order of all changes of a library: first its owner, then its files, then their contents.
            owners = File.objects.filter(pk__in=pks[start : start + CHUNK]).order_by("owner").values_list("owner")
            for (owner,) in owners.distinct():
                lock_library(owner)
            files = list(
                File.objects.select_for_update().filter(pk__in=pks[start : start + CHUNK], deleted_at__isnull=False)
            )
            contents = list(
                FileVersion.objects.filter(file__in=files)
                .values_list("upload", flat=True)
                .distinct()
                .order_by("upload")
            )
            thumbnails = [file.thumbnail for file in files if file.thumbnail]
            File.objects.filter(pk__in=[file.pk for file in files]).delete()
            enqueue_removal(names=thumbnails)
            delete_unused(contents)


def delete_unused(uploads: Iterable[int]) -> None:
    """Delete those of the complete uploads to which nothing refers any longer, with their bytes."""
    versions, names = [], []
    for upload in Upload.objects.select_for_update().filter(pk__in=list(uploads), completed_at__isnull=False):
        try:
            upload.delete()
        except ProtectedError:  # a copy, a version or a lesson uses it
            continue
        versions.append(upload.uid)
        names += [upload.stored_as] if upload.stored_as else []
    enqueue_removal(versions=versions, names=names)
