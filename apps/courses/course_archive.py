"""The format of an archive of a course: a zip whose entries are stored uncompressed, and whose names are known.

    tree.json                 the content tree
    uploads/<uid>             contents of files
    videos/<uid>.json         a video, its renditions and captions
    videos/<uid>/original, videos/<uid>/public/…
    archive.json              format, title, and size and SHA-256 of every other entry; written last

Nothing is ever extracted by the name of an entry. Entries are stored as they are, so no archive
grows when it is read.
"""

import hashlib
import json
import re
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from apps.courses.errors import CourseArchiveUnreadable

KIND = "study-platform-course"
ARCHIVE_FORMAT = 1
MANIFEST, TREE = "archive.json", "tree.json"
MAX_JSON_BYTES = 64 * 2**20
MAX_ENTRIES = 500_000
_HEX = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_ENTRY = re.compile(
    rf"archive\.json|tree\.json|uploads/{_HEX}|videos/{_HEX}\.json|videos/{_HEX}/(?:original|public/[\w./-]{{1,60}})",
    re.ASCII,
)
_FIXED_DATE = (1980, 1, 1, 0, 0, 0)  # the same course makes the same archive
_IS_ENCRYPTED = 0x1


class ArchiveWriter:
    """Writes an archive. `add` streams; `finish` writes what stands last."""

    def __init__(self, path: Path) -> None:
        self._zip = zipfile.ZipFile(path, "w", zipfile.ZIP_STORED, allowZip64=True)
        self._entries: dict[str, dict[str, Any]] = {}

    def add(self, name: str, chunks: Iterable[bytes]) -> int:
        """Add an entry; return its size in bytes."""
        digest, size = hashlib.sha256(), 0
        info = zipfile.ZipInfo(name, _FIXED_DATE)
        info.external_attr = 0o600 << 16
        with self._zip.open(info, "w", force_zip64=True) as target:
            for chunk in chunks:
                target.write(chunk)
                digest.update(chunk)
                size += len(chunk)
        self._entries[name] = {"size": size, "sha256": digest.hexdigest()}
        return size

    def add_json(self, name: str, value: object) -> None:
        """Add an entry of JSON."""
        self.add(name, [json.dumps(value, ensure_ascii=False, indent=1).encode()])

    def finish(self, about: Mapping[str, object]) -> None:
        """Write the manifest and close the archive."""
        entries = dict(self._entries)
        self.add_json(MANIFEST, {"kind": KIND, "format": ARCHIVE_FORMAT, **about, "entries": entries})
        self._zip.close()

    def close(self) -> None:
        """Close the file, whatever it has."""
        self._zip.close()


@dataclass(frozen=True)
class Archive:
    """An archive that was checked, except for the contents of its entries, which `open` checks while they are read."""

    about: Mapping[str, Any]
    tree: dict[str, Any]
    _zip: zipfile.ZipFile
    _entries: Mapping[str, Mapping[str, Any]]

    @property
    def names(self) -> list[str]:
        """The entries besides the manifest and the tree, in the order in which they are stored."""
        return [info.filename for info in self._zip.infolist() if info.filename not in {MANIFEST, TREE}]

    def size_of(self, name: str) -> int:
        """The size of an entry in bytes."""
        return int(self._entries[name]["size"])

    def digest_of(self, name: str) -> str:
        """The SHA-256 of an entry, in hex, as the archive says."""
        return str(self._entries[name]["sha256"])

    @property
    def total(self) -> int:
        """Bytes of all entries."""
        return sum(self.size_of(name) for name in self.names)

    @contextmanager
    def open(self, name: str) -> Iterator[IO[bytes]]:
        """Open an entry for reading to its end.

        :raises CourseArchiveUnreadable: what was read is not what was written.
        """
        with _as_refusals(), self._zip.open(name) as file:
            checked = _Checked(file, self.size_of(name))
            yield checked  # type: ignore[misc]
            if checked.read_bytes != self.size_of(name) or checked.digest.hexdigest() != self.digest_of(name):
                raise CourseArchiveUnreadable(reason="damaged")

    def read_json(self, name: str) -> Any:
        """Read an entry of JSON.

        :raises CourseArchiveUnreadable: it is none, or too large.
        """
        if self.size_of(name) > MAX_JSON_BYTES:
            raise CourseArchiveUnreadable(reason="large")
        with self.open(name) as file:
            return _parse(file.read())


class _Checked:
    """Counts and hashes what is read."""

    def __init__(self, file: IO[bytes], most: int) -> None:
        self._file, self._most = file, most
        self.digest, self.read_bytes = hashlib.sha256(), 0

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(size)
        self.digest.update(data)
        self.read_bytes += len(data)
        if self.read_bytes > self._most:
            raise CourseArchiveUnreadable(reason="damaged")
        return data


@contextmanager
def _as_refusals() -> Iterator[None]:
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, struct.error, NotImplementedError, EOFError, KeyError, ValueError):
        raise CourseArchiveUnreadable(reason="damaged") from None


def _parse(text: bytes) -> Any:
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise CourseArchiveUnreadable(reason="damaged") from None


def _refuse_constant(name: str) -> Any:
    raise ValueError(name)


@contextmanager
def open_archive(path: Path) -> Iterator[Archive]:
    """Open an archive and check everything but the contents of its entries.

    :raises CourseArchiveUnreadable: it is no archive of a course that this release reads.
    """
    with _as_refusals():
        file = zipfile.ZipFile(path)
    with file:
        entries = _check_entries(file, path.stat().st_size)
        if MANIFEST not in entries:
            raise CourseArchiveUnreadable(reason="foreign")
        about = _parse(_read_small(file, entries[MANIFEST]))
        if not isinstance(about, dict) or about.get("kind") != KIND:
            raise CourseArchiveUnreadable(reason="foreign")
        if about.get("format") != ARCHIVE_FORMAT:
            raise CourseArchiveUnreadable(reason="later")
        named = about.get("entries")
        if not isinstance(named, dict) or set(named) != set(entries) - {MANIFEST} or TREE not in named:
            raise CourseArchiveUnreadable(reason="damaged")
        for name, entry in named.items():
            if not isinstance(entry, dict) or entry.get("size") != entries[name].file_size:
                raise CourseArchiveUnreadable(reason="damaged")
        archive = Archive(about, {}, file, named)
        yield Archive(about, archive.read_json(TREE), file, named)


def _check_entries(file: zipfile.ZipFile, size: int) -> dict[str, zipfile.ZipInfo]:
    infos = file.infolist()
    entries = {info.filename: info for info in infos}
    is_sound = len(entries) == len(infos) <= MAX_ENTRIES and all(
        _ENTRY.fullmatch(info.filename)
        and ".." not in info.filename
        and info.compress_type == zipfile.ZIP_STORED
        and info.compress_size == info.file_size
        and not info.flag_bits & _IS_ENCRYPTED
        for info in infos
    )
    # Entries that lie on top of each other would be more than the file.
    if not is_sound or sum(info.file_size for info in infos) > size:
        raise CourseArchiveUnreadable(reason="damaged")
    return entries


def _read_small(file: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    if info.file_size > MAX_JSON_BYTES:
        raise CourseArchiveUnreadable(reason="large")
    with _as_refusals():
        return file.read(info)
