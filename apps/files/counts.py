# ruff: noqa: S608 (the statements consist of constants)
"""Counts of what each user stores, kept by triggers in the transaction that changes it (docs/adr/0019).

The sum over 100,000 files costs more than the page that shows it. So the files and bytes of each user are counted under
keys. Every upload and video counts under one key at most, so that the keys of `STORED` add up to the storage used:

=============  ========================================================================================
``held``       reserved: unfinished uploads, and partial uploads that no final one has taken
``kind:…``     contents of the library by `FileKind`: current and older versions, each content once
``bin``        contents that only files in the bin refer to
``loose``      other uploaded files: those of lessons, and those that nothing refers to
``video``      originals of videos, while one is replaced the former one too
``original``   originals of videos in the bin
=============  ========================================================================================

Besides, the files of the library count under ``folder:<id>`` of the folder that contains them (0 for the top), and the
files in the bin under ``binned``, or under ``with:<id>`` of the folder that took them there, with the sizes of their
current versions.
"""

from __future__ import annotations

import contextlib
import random
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db import OperationalError, connection, transaction
from django.db.models import BigIntegerField, CharField, OuterRef, QuerySet, Subquery, Sum, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast, Coalesce, Concat

from apps.files.count_triggers import INSERT_COUNTS, SOURCES, rows_of, wanted
from apps.files.models import FileKind, StorageAccount, StorageCount
from studyplatform.kit.db import triggers
from studyplatform.kit.db.triggers import Triggers

HELD, BIN, LOOSE, VIDEO, ORIGINAL_IN_BIN, BINNED = "held", "bin", "loose", "video", "original", "binned"
KINDS = {kind: f"kind:{kind.value}" for kind in FileKind}
_ALLOWANCE = "allowance"
LOCK_TIMEOUT = 800  # milliseconds
LOCK_ATTEMPTS = 20
STORED = (HELD, BIN, LOOSE, VIDEO, ORIGINAL_IN_BIN, *KINDS.values())


@dataclass(frozen=True)
class Count:
    """Files and their bytes."""

    files: int = 0
    bytes: int = 0


def folder_key(folder_id: int | None) -> str:
    """The key of the files in a folder; None for the top of the library."""
    return f"folder:{folder_id or 0}"


def binned_key(folder_id: int) -> str:
    """The key of the files that a folder took to the bin."""
    return f"with:{folder_id}"


def counts_of(user_id: int, keys: Iterable[str]) -> Mapping[str, Count]:
    """The user's counts under these keys; a key without files is missing. One query."""
    return {key: Count(files, size) for key, files, size in _sums_of(user_id, keys)}


def counts_and_allowance(user_id: int, keys: Iterable[str]) -> tuple[dict[str, Count], int | None]:
    """The user's counts under these keys, and the allowance that an admin set for them, if any. One query."""
    own = StorageAccount.objects.filter(user=user_id, allowance__isnull=False)
    row = own.values_list(Value(_ALLOWANCE, CharField()), Value(0, BigIntegerField()), "allowance")
    counts = {key: Count(files, size) for key, files, size in _sums_of(user_id, keys).union(row, all=True)}
    allowance = counts.pop(_ALLOWANCE, None)
    return counts, allowance.bytes if allowance is not None else None


def files_in_folder() -> Combinable:
    """An expression for a query of folders: how many files each one contains, without those in its folders."""
    rows = StorageCount.objects.filter(
        owner=OuterRef("owner"), key=Concat(Value("folder:"), Cast(OuterRef("pk"), CharField()))
    )
    files = rows.order_by().values("key").annotate(total=Sum("files")).values("total")
    return Coalesce(Subquery(files, output_field=BigIntegerField()), 0)


def _sums_of(user_id: int, keys: Iterable[str]) -> QuerySet[StorageCount, tuple[str, int, int]]:
    rows = StorageCount.objects.filter(owner_id=user_id, key__in=list(keys))
    return rows.order_by().values_list("key").annotate(Sum("files"), Sum("bytes"))


def forget_folders(user_id: int, folders: Iterable[int]) -> None:
    """Delete the counts of deleted folders, which contain nothing."""
    keys = [key for pk in folders for key in (folder_key(pk), binned_key(pk))]
    StorageCount.objects.filter(owner_id=user_id, key__in=keys).delete()


def recount() -> int:
    """Count everything from the tables; returns how many counts were wrong.

    For `manage.py check_storage --repair`. Between two statements of other transactions it would count wrong, so it
    locks the tables against writing until it commits.

    :raises OperationalError: on PostgreSQL, if the tables stay in use.
    """
    for _ in range(LOCK_ATTEMPTS - 1):
        with contextlib.suppress(OperationalError), transaction.atomic():
            _lock_tables()
            return _recount()
        time.sleep(random.uniform(0.1, 1))  # noqa: S311 (no secret)
    with transaction.atomic():
        _lock_tables()
        return _recount()


def _lock_tables() -> None:
    if connection.vendor != "postgresql":
        return
    tables = ", ".join([*(source.table for source in SOURCES), "files_fileversion", "files_storagecount"])
    with connection.cursor() as cursor:
        # Requests lock these tables in several orders. This gives up before PostgreSQL ends a request as a deadlock,
        # which it does after a second.
        cursor.execute(f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT}ms'")
        cursor.execute(f"LOCK TABLE {tables} IN SHARE ROW EXCLUSIVE MODE")
        cursor.execute("SET LOCAL lock_timeout TO DEFAULT")


def _recount() -> int:
    wrong = drift()
    with connection.cursor() as cursor:
        cursor.execute(_RECOUNT_REFERENCES)
        cursor.execute("DELETE FROM files_storagecount")
        for source in SOURCES:
            rows = rows_of(source, source.table, "")
            cursor.execute(INSERT_COUNTS.format(rows=rows))
    return wrong


def drift() -> int:
    """How many counts differ from what the tables contain. One statement, which sees one state and locks nothing."""
    with connection.cursor() as cursor:
        cursor.execute(_DRIFT)
        references, sums = cursor.fetchone()
        return max(int(references), int(sums))


_REFERENCES = """
    SELECT files_upload.id, files_upload.library_kind AS old_kind,
        COALESCE(SUM(CASE WHEN files_file.id IS NOT NULL AND files_file.deleted_at IS NULL THEN 1 ELSE 0 END), 0)
            AS in_files,
        COALESCE(SUM(CASE WHEN files_file.deleted_at IS NOT NULL THEN 1 ELSE 0 END), 0) AS in_bin,
        COALESCE(MAX(CASE WHEN files_file.current_id = files_upload.id THEN files_file.kind END), '') AS kind
    FROM files_upload
    LEFT JOIN files_fileversion ON files_fileversion.upload_id = files_upload.id
    LEFT JOIN files_file ON files_file.id = files_fileversion.file_id
    GROUP BY files_upload.id, files_upload.library_kind"""
_IS_WRONG = """
    files_upload.in_files <> counted.in_files OR files_upload.in_bin <> counted.in_bin
    OR (counted.kind <> '' AND files_upload.library_kind <> counted.kind)
    OR (files_upload.library_kind = '' AND counted.in_files + counted.in_bin > 0)"""
_RECOUNT_REFERENCES = f"""
    UPDATE files_upload SET in_files = counted.in_files, in_bin = counted.in_bin,
        library_kind = CASE WHEN counted.kind <> '' THEN counted.kind
            WHEN counted.old_kind <> '' THEN counted.old_kind ELSE 'other' END
    FROM ({_REFERENCES}) AS counted
    WHERE files_upload.id = counted.id AND ({_IS_WRONG})"""
_ROWS = " UNION ALL ".join(f"SELECT * FROM ({rows_of(source, source.table, '-')}) AS one" for source in SOURCES)
_DRIFT = f"""
    SELECT (
        SELECT COUNT(*) FROM files_upload JOIN ({_REFERENCES}) AS counted ON counted.id = files_upload.id
        WHERE {_IS_WRONG}
    ), (
        SELECT COUNT(*) FROM (
            SELECT owner_id, key FROM (
                SELECT owner_id, key, files, bytes FROM files_storagecount UNION ALL {_ROWS}
            ) AS changes WHERE key IS NOT NULL GROUP BY owner_id, key HAVING SUM(files) <> 0 OR SUM(bytes) <> 0
        ) AS wrong
    )"""

triggers.register(Triggers(prefix="files_counts_", table="files_storagecount", wanted=wanted, renew=recount))
