"""Compare the database with storage: orphans, missing files, sizes, checksums (``manage.py check_storage``).

Both sides are written to a temporary SQLite database, which compares them: memory does not grow with the number of
files. A problem is reported only if a second look at the row and at the file confirms it, because the site is in use
meanwhile.
"""

import contextlib
import itertools
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Literal, TypeVar

from django.conf import settings

from apps.files import counts, scanner, storage
from apps.files.services import scanning
from apps.files.services.storage_references import (
    BATCH,
    FOLDERS,
    SOURCES,
    Place,
    Reference,
    directory_of,
    is_referenced,
)
from studyplatform.kit import jobs

GRACE = timedelta(hours=24)  # younger files are no orphans: an upload or a job may be about to refer to them
FEW_ORPHANS = 20  # up to so many are deleted whatever else is stored
TABLES = """
CREATE TABLE stored (place TEXT, name TEXT, files INTEGER, size INTEGER, changed REAL, PRIMARY KEY (place, name))
WITHOUT ROWID;
CREATE TABLE expected (
    place TEXT, name TEXT, line TEXT, size INTEGER, may_grow INTEGER, sha256 TEXT, required INTEGER
);
"""
Report = Callable[[str, int], None]
T = TypeVar("T")


class MostlyOrphans(Exception):
    """Most of what is stored has no row: this is probably the wrong database."""


@dataclass(kw_only=True)
class Problem:
    """One difference. ``size`` and ``expected_size`` in bytes; ``row`` is empty for an orphan.

    Of the kinds "count" and "scan" there is at most one; its ``files``: how many counts are wrong, files unscanned.
    """

    kind: Literal["orphan", "missing", "size", "checksum", "count", "scan"]
    place: Place | Literal["database"]
    name: str
    row: str = ""
    files: int = 0
    size: int | None = None
    expected_size: int | None = None
    is_repaired: bool = False


@dataclass
class Totals:
    """How many files are stored, their bytes, and how many of them have no recorded checksum."""

    files: int = 0
    bytes: int = 0
    without_checksum: int = 0


class StorageCheck:
    """One comparison; use it in a ``with`` statement. ``report(step, count)`` is called with the progress."""

    def __init__(self, *, now: datetime, grace: timedelta = GRACE, report: Report = lambda step, count: None) -> None:
        self._before = (now - grace).timestamp()
        self._report = report
        self.totals = Totals()

    def __enter__(self) -> "StorageCheck":
        self._folder = tempfile.TemporaryDirectory(prefix="check-storage-")
        self._ledger = sqlite3.connect(Path(self._folder.name) / "ledger.sqlite3", isolation_level=None)
        self._ledger.executescript(TABLES)
        # First the files, then the rows: what is stored in between is not taken for an orphan.
        self._list_files()
        self._list_rows()
        return self

    def __exit__(self, *_: object) -> None:
        self._ledger.close()
        self._folder.cleanup()

    def _list_files(self) -> None:
        insert = """
            INSERT INTO stored VALUES (?, ?, 1, ?, ?) ON CONFLICT (place, name) DO UPDATE SET
            files = files + 1, size = size + excluded.size, changed = max(changed, excluded.changed)
        """
        done = 0
        for batch in _batched(_stored()):
            self._insert(insert, [(place, directory_of(place, name), size, at) for place, name, size, at in batch])
            done += len(batch)
            self._report("files listed", done)
        row = self._ledger.execute("SELECT sum(files), sum(size) FROM stored WHERE place = 'storage'").fetchone()
        self.totals.files, self.totals.bytes = row[0] or 0, row[1] or 0

    def _list_rows(self) -> None:
        done = 0
        references = itertools.chain.from_iterable(source.read() for source in SOURCES.values())
        for batch in _batched(references):
            self._insert(
                "INSERT INTO expected VALUES (?, ?, ?, ?, ?, ?, ?)",
                [(r.place, r.name, r.row, r.size, r.may_grow, r.sha256, r.required) for r in batch],
            )
            done += len(batch)
            self._report("references read", done)
        self._ledger.execute("CREATE INDEX expected_name ON expected (place, name)")
        query = "SELECT count(DISTINCT name) FROM expected WHERE required AND sha256 = '' AND name LIKE ?"
        self.totals.without_checksum = sum(
            self._ledger.execute(query, [f"{folder}/%"]).fetchone()[0] for folder in ("files", "originals")
        )

    def _insert(self, statement: str, rows: list[tuple[object, ...]]) -> None:
        self._ledger.execute("BEGIN")
        self._ledger.executemany(statement, rows)
        self._ledger.execute("COMMIT")

    def problems(self, *, checksums: bool = False) -> Iterator[Problem]:
        """All problems, one by one. ``checksums``: read every file that has a recorded checksum."""
        yield from self._orphans()
        yield from self._missing_and_sizes()
        if checksums:
            yield from self._checksums()
        if wrong := counts.drift():
            yield Problem(kind="count", place="database", name="storage counts", files=wrong)
        if scanner.is_enabled() and (unscanned := scanning.unscanned().count()):
            yield Problem(kind="scan", place="database", name=f"{unscanned} files", files=unscanned)

    def check_repair(self) -> None:
        """Check that deleting the orphans is what an operator can want.

        :raises MostlyOrphans: they are more than half of what is stored.
        """
        orphans = sum(1 for _ in self._ledger.execute(ORPHANS, [self._before]))
        everything = self._ledger.execute("SELECT count(*) FROM stored").fetchone()[0]
        if orphans > FEW_ORPHANS and 2 * orphans > everything:
            raise MostlyOrphans

    def repair(self, problem: Problem) -> bool:
        """Delete an orphan, count again what users store, start scans. A row whose file is missing stays.

        Returns False if the problem no longer exists: the file changed, or a row refers to it by now.
        """
        if problem.kind == "orphan" and not self._is_still_orphan(problem):
            return False
        if problem.kind not in {"orphan", "count", "scan"}:
            return True
        if problem.kind == "count":
            counts.recount()
        elif problem.kind == "scan":
            jobs.enqueue("files.scan_unscanned", key="all")
        elif problem.place == "storage":
            storage.remove(problem.name)
        elif (path := _local(problem.place, problem.name)).is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
        problem.is_repaired = True
        return True

    def _is_still_orphan(self, problem: Problem) -> bool:
        if problem.place == "database":
            return False
        changed = _changed(problem.place, problem.name)
        return changed is not None and changed <= self._before and not is_referenced(problem.place, problem.name)

    def _orphans(self) -> Iterator[Problem]:
        for place, name, files, size in self._ledger.execute(ORPHANS, [self._before]):
            yield Problem(kind="orphan", place=place, name=name, files=files, size=size)

    def _missing_and_sizes(self) -> Iterator[Problem]:
        for place, name, line in self._ledger.execute(DIFFERENT):
            reference = _fresh(line, place, name)
            if reference is None or not reference.required:
                continue
            found = _measured(place, name)
            if found is None:
                yield Problem(kind="missing", place=place, name=name, row=line, expected_size=reference.size)
            elif _is_wrong(found, reference):
                yield Problem(
                    kind="size", place=place, name=name, row=line, files=1, size=found, expected_size=reference.size
                )

    def _checksums(self) -> Iterator[Problem]:
        known = (
            "SELECT name, min(line), min(sha256) FROM expected WHERE sha256 != '' AND place = 'storage' GROUP BY name"
        )
        for done, (name, line, sha256) in enumerate(self._ledger.execute(known), start=1):
            with contextlib.suppress(FileNotFoundError), storage.open_stored(name) as file:
                if storage.sha256_of(file) != sha256 and _fresh(line, "storage", name) is not None:
                    yield Problem(kind="checksum", place="storage", name=name, row=line, files=1)
            self._report("checksums verified", done)


ORPHANS = """
    SELECT place, name, files, size FROM stored WHERE changed <= ? AND NOT EXISTS (
        SELECT 1 FROM expected WHERE expected.place = stored.place AND expected.name = stored.name
    ) ORDER BY place, name
"""
DIFFERENT = """
    SELECT expected.place, expected.name, expected.line FROM expected
    LEFT JOIN stored ON stored.place = expected.place AND stored.name = expected.name
    WHERE expected.required AND (
        stored.name IS NULL OR stored.size < expected.size
        OR (stored.size > expected.size AND NOT expected.may_grow)
    ) ORDER BY expected.place, expected.name
"""


def _batched(items: Iterable[T]) -> Iterator[list[T]]:
    rest = iter(items)
    while batch := list(itertools.islice(rest, BATCH)):
        yield batch


def _stored() -> Iterator[tuple[Place, str, int, float]]:
    """Everything that is stored: place, name, size, modification time."""
    for folder in FOLDERS:
        for name, info in storage.walk(folder):
            yield "storage", name, info.size, info.changed.timestamp()
    uploads, work = Path(settings.UPLOAD_ROOT), Path(settings.WORK_ROOT)
    for path, info in storage.walk_local(uploads):
        yield "uploads", path.relative_to(uploads).as_posix(), info.size, info.changed.timestamp()
    with contextlib.suppress(FileNotFoundError):
        for entry in os.scandir(work):
            yield "work", entry.name, 0, entry.stat(follow_symlinks=False).st_mtime
    for path, info in storage.walk_local(work):
        yield "work", path.relative_to(work).as_posix(), info.size, info.changed.timestamp()


def _fresh(line: str, place: str, name: str) -> Reference | None:
    """What the row says now; None if it no longer refers to this file."""
    source, _, pk = line.partition(" ")
    found = [one for one in SOURCES[source].read(int(pk)) if (one.place, one.name) == (place, name)]
    return max(found, key=lambda one: one.required, default=None)


def _measured(place: str, name: str) -> int | None:
    """The bytes of a file or directory as it is now; None if there is none."""
    if place != "storage":
        path = _local(place, name)
        return path.stat().st_size if path.exists() else None
    if name.startswith("videos/"):
        sizes = [info.size for _, info in storage.walk(name)]
        return sum(sizes) if sizes else None
    try:
        return storage.file_info(name).size
    except FileNotFoundError:
        return None


def _changed(place: Place, name: str) -> float | None:
    """When a file, or the newest file of a directory, was modified, as Unix time; None if there is none."""
    if place == "storage":
        with contextlib.suppress(NotADirectoryError):
            newest = max((info.changed.timestamp() for _, info in storage.walk(name)), default=None)
            if newest is not None:
                return newest
        try:
            return storage.file_info(name).changed.timestamp()
        except FileNotFoundError:
            return None
    path = _local(place, name)
    try:
        own = path.stat().st_mtime
    except FileNotFoundError:
        return None
    return max([own, *(info.changed.timestamp() for _, info in storage.walk_local(path))] if path.is_dir() else [own])


def _local(place: str, name: str) -> Path:
    return Path(settings.UPLOAD_ROOT if place == "uploads" else settings.WORK_ROOT) / name


def _is_wrong(size: int, reference: Reference) -> bool:
    if reference.size is None or size == reference.size:
        return False
    return size < reference.size or not reference.may_grow
