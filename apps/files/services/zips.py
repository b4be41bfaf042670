"""Several files as one zip, made while it is sent: nothing of it is held in memory or on disk.

The contents are stored uncompressed: most are compressed already, and so the length is known before the first byte.
"""

import io
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from datetime import datetime
from typing import IO, cast

from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from zipstream import ZipStream

from apps.files import errors, policies
from apps.files.file_readers import CHUNK_SIZE, AsyncRangeIterator, RangeIterator
from apps.files.file_types import clean_name
from apps.files.http_ranges import ByteRange
from apps.files.library_names import free_name, sort_name
from apps.files.models import File, Folder, Upload
from apps.files.services.folders import Selection
from apps.files.storage import is_content_present, is_local, open_content_once
from apps.files.streaming import NO_STORE, SANDBOX
from studyplatform.kit.concurrency import ConcurrencyLimitPerUser
from studyplatform.kit.web.rate_limits import consume

MOST_ZIPPED = 10_000  # files and folders in one zip
AT_ONCE = 2  # zips that one user downloads from one process
_ENDLESS = 1 << 62  # bytes: of a zip whose length is unknown
_running = ConcurrencyLimitPerUser(AT_ONCE, retry_after=30)


@dataclass(frozen=True)
class ZipEntry:
    """A file, or a folder if ``upload`` is None; ``path`` is unique within the zip, whatever its case."""

    path: str
    upload: Upload | None


def stream_zip(
    request: HttpRequest,
    *,
    selection: Selection,
    name: str,
    who: Hashable,
    now: datetime,
    to_owner: bool = False,
) -> HttpResponseBase:
    """A response that sends the files and folders of a selection as one zip; entries in the bin are left out.

    The caller has checked that the user may read them. ``who`` is the user, or the session of a visitor, whose
    downloads are limited. If a content is missing, the zip contains a text that names the file. ``to_owner``: to the
    owner of the selection, who also gets what is too large to scan.

    :raises EntryInBin: all of them are in the bin.
    :raises ZipTooLarge: they are more than `MOST_ZIPPED`, counting what the folders contain.
    :raises RateLimitExceeded: the user downloads `AT_ONCE` zips already, or has downloaded too many.
    """
    entries = zip_entries(selection)
    if request.method != "HEAD":
        consume("zip", str(who), now=now)
    with ExitStack() as stack:
        stack.enter_context(_running.slot(who))
        length, chunks = zip_chunks(entries, to_owner=to_owner)
        headers = {
            "Content-Type": "application/zip",
            "Content-Disposition": content_disposition_header(as_attachment=True, filename=clean_name(f"{name}.zip"))
            or "attachment",
            "Content-Security-Policy": SANDBOX,
            "Cache-Control": NO_STORE,
            "Accept-Ranges": "none",
        }
        if length is not None:
            headers["Content-Length"] = str(length)
        if request.method == "HEAD":
            return HttpResponse(headers=headers)
        iterator = AsyncRangeIterator if isinstance(request, ASGIRequest) else RangeIterator
        whole = ByteRange(0, _ENDLESS if length is None else length)
        release: Callable[[], None] = stack.pop_all().close
        return StreamingHttpResponse(
            iterator(lambda: cast(IO[bytes], ChunksReader(chunks)), whole, on_close=release), headers=headers
        )


def zip_entries(selection: Selection) -> list[ZipEntry]:
    """The entries of the zip of a selection, with the paths they get there. Two queries per level of folders.

    :raises EntryInBin: all of them are in the bin.
    :raises ZipTooLarge: they are more than `MOST_ZIPPED`.
    """
    folders = [folder for folder in selection.folders if folder.deleted_at is None]
    files = [file for file in selection.files if file.deleted_at is None]
    if not folders and not files:
        raise errors.EntryInBin
    found: list[ZipEntry] = []
    taken: dict[str, set[str]] = {}  # the names in each folder of the zip

    def add(entry: Folder | File, inside: str) -> str:
        """Add an entry to a folder of the zip, whose path ends with "/"; returns its own path."""
        if len(found) >= MOST_ZIPPED:
            raise errors.ZipTooLarge(limit=MOST_ZIPPED)
        names = taken.setdefault(inside, set())
        name = free_name(clean_name(entry.name), names)
        names.add(sort_name(name))
        path = f"{inside}{name}"
        found.append(ZipEntry(path, entry.current) if isinstance(entry, File) else ZipEntry(f"{path}/", None))
        return found[-1].path

    level = {folder.pk: add(folder, "") for folder in folders}
    for file in files:
        add(file, "")
    while level:
        left = MOST_ZIPPED - len(found) + 1  # one more than allowed shows that there are too many
        for file in _files_of(level, left):
            add(file, level[file.folder_id or 0])
        children = Folder.objects.present().filter(parent__in=level).order_by("sort_name", "pk")
        level = {folder.pk: add(folder, level[folder.parent_id or 0]) for folder in children[:left]}
    return found


def _files_of(folders: Iterable[int], most: int) -> Iterable[File]:
    files = File.objects.present().filter(folder__in=list(folders)).select_related("current")
    files = files.defer("current__metadata", "current__concat")
    return files.order_by("sort_name", "pk")[:most]


def zip_chunks(entries: list[ZipEntry], *, to_owner: bool = False) -> tuple[int | None, Generator[bytes]]:
    """The length of the zip in bytes and its bytes. The length is None for contents in a bucket.

    A bucket is asked for each content only when its turn comes. Local ones are checked before. What the virus scan does
    not let out is left out.
    """
    refused = {
        entry.path
        for entry in entries
        if entry.upload is not None and policies.hand_out(entry.upload, to_owner=to_owner)
    }
    if not is_local():
        let_out = [entry for entry in entries if entry.path not in refused]
        return None, _made(let_out, sorted(refused), ZipStream(), to_owner=to_owner)
    missing = [
        entry.path
        for entry in entries
        if entry.upload is not None and (entry.path in refused or not is_content_present(entry.upload))
    ]
    gone = set(missing)
    present = [entry for entry in entries if entry.path not in gone]
    measured = ZipStream(sized=True)
    for entry in present:
        _add(measured, entry, b"" if entry.upload is None else _unread)
    _add_note(measured, present, missing)
    return len(measured), _made(present, missing, ZipStream(sized=True), to_owner=to_owner)


_unread: Iterable[bytes] = iter(())


def _add(stream: ZipStream, entry: ZipEntry, content: Iterable[bytes] | bytes) -> None:
    if entry.upload is None:
        stream.mkdir(entry.path)
    elif entry.upload.length:
        stream.add(content, entry.path, size=entry.upload.length)
    else:
        stream.add(b"", entry.path)


def _made(entries: list[ZipEntry], missing: list[str], stream: ZipStream, *, to_owner: bool) -> Generator[bytes]:
    """The bytes of the zip. One content is open at a time.

    :raises OSError: a content that was there a moment ago is gone, or has another length than the headers promised.
    """
    for entry in entries:
        if entry.upload is None or not entry.upload.length:
            _add(stream, entry, b"")
            yield from stream.file()
            continue
        try:
            content = _Content(entry.upload, to_owner=to_owner)
        except FileNotFoundError:
            if stream.sized:
                raise
            missing.append(entry.path)
            continue
        with closing(content):
            _add(stream, entry, content)
            yield from stream.file()
        if not content.is_whole:
            missing.append(entry.path)
    _add_note(stream, entries, missing)
    yield from stream.finalize()


def _add_note(stream: ZipStream, entries: list[ZipEntry], missing: list[str]) -> None:
    """Add a text that names the files whose contents are missing or incomplete."""
    if not missing:
        return
    text = _("These files couldn't be included. They're missing or incomplete, or the virus scan hasn't cleared them:")
    taken = {sort_name(path.partition("/")[0]) for path in [*missing, *(entry.path for entry in entries)]}
    stream.add("\r\n".join([text, "", *missing, ""]).encode(), free_name(clean_name(_("Missing files.txt")), taken))


class _Content:
    """The bytes of an upload, from wherever it is stored.

    :raises FileNotFoundError: they are missing.
    """

    def __init__(self, upload: Upload, *, to_owner: bool) -> None:
        self._file = open_content_once(upload, to_owner=to_owner)
        self._left = upload.length
        try:
            self._first = self._file.read(CHUNK_SIZE)  # with which a bucket says that it lacks the object
        except BaseException:
            self._file.close()
            raise

    def __iter__(self) -> Iterator[bytes]:
        chunk, self._first = self._first, b""
        while chunk:
            self._left -= len(chunk)
            yield chunk
            chunk = self._file.read(CHUNK_SIZE)

    @property
    def is_whole(self) -> bool:
        """Whether exactly as many bytes were read as the upload has."""
        return self._left == 0

    def close(self) -> None:
        self._file.close()


class ChunksReader(io.RawIOBase):
    """A generator of bytes as a readable file. Closing it ends the generator."""

    def __init__(self, chunks: Generator[bytes]) -> None:
        self._chunks = chunks
        self._buffer = b""

    def readable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Only to the beginning, before anything was read."""
        if offset:
            raise io.UnsupportedOperation
        return 0

    def read(self, size: int = -1) -> bytes:
        """Read ``size`` bytes, fewer only at the end. Small chunks, such as the headers of entries, are joined."""
        parts, length = [self._buffer], len(self._buffer)
        while size < 0 or length < size:
            chunk = next(self._chunks, None)
            if chunk is None:
                break
            parts.append(chunk)
            length += len(chunk)
        data = b"".join(parts)
        cut = len(data) if size < 0 else size
        self._buffer = data[cut:]
        return data[:cut]

    def close(self) -> None:
        self._chunks.close()
        super().close()
