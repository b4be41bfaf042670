"""Read stored files in chunks: several as one file, or a byte range of one in a thread or from the event loop."""

import asyncio
import io
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from typing import IO

from apps.files.http_ranges import ByteRange

CHUNK_SIZE = 1 << 18  # bytes


class ConcatenatedReader(io.RawIOBase):
    """Stored files, each a name and a size in bytes, read as if they were one file. At most one of them is open."""

    def __init__(self, parts: list[tuple[str, int]], open_part: Callable[[str], IO[bytes]]) -> None:
        self._parts = parts
        self._open = open_part
        self._index = 0
        self._offset = 0
        self._file: IO[bytes] | None = None

    def readable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Seek to an offset of the whole file, counted from its start."""
        self._close_part()
        self._index, left = 0, offset
        while self._index < len(self._parts) and left >= self._parts[self._index][1]:
            left -= self._parts[self._index][1]
            self._index += 1
        self._offset = left
        return offset

    def read(self, size: int = -1) -> bytes:
        """Read up to ``size`` bytes, at most to the end of the current part; b"" at the end of the file."""
        while self._index < len(self._parts):
            if self._file is None:
                self._file = self._open(self._parts[self._index][0])
                self._file.seek(self._offset)
            chunk = self._file.read(size)
            if chunk:
                return chunk
            self._close_part()
            self._index, self._offset = self._index + 1, 0
        return b""

    def close(self) -> None:
        self._close_part()
        super().close()

    def _close_part(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


class RangeReader:
    """Reads a byte range in chunks, from threads (WSGI) or from the event loop (ASGI).

    Only this class opens, reads and closes the file, under one lock. A request that is aborted while a thread reads
    cannot stop that thread, so `close` never waits for it: the one that ends last closes the file, and calls
    ``on_close``, even if the file was never opened. It may be called more than once.
    """

    def __init__(
        self, open_file: Callable[[], IO[bytes]], byte_range: ByteRange, *, on_close: Callable[[], None] = lambda: None
    ) -> None:
        self._on_close = on_close
        self._open = open_file
        self._range = byte_range
        self._left = byte_range.length
        self._file: IO[bytes] | None = None
        self._is_closed = False
        self._lock = threading.Lock()

    def read(self) -> bytes:
        """Read the next chunk; b"" at the end, or after `close`."""
        try:
            with self._lock:
                return self._next()
        finally:
            if self._is_closed:  # while this thread was reading
                self.close()

    def _next(self) -> bytes:
        if self._is_closed or self._left <= 0:
            return b""
        if self._file is None:
            self._file = self._open()
            self._file.seek(self._range.begin)
        chunk = self._file.read(min(CHUNK_SIZE, self._left))
        self._left -= len(chunk)
        return chunk

    def close(self) -> None:
        """Stop reading. Closes the file now, or leaves that to the thread that is reading it."""
        self._is_closed = True
        if self._lock.acquire(blocking=False):
            try:
                if self._file is not None:
                    self._file.close()
                    self._file = None
            finally:
                self._lock.release()
                self._on_close()


class RangeIterator(RangeReader):
    """Iterates over the chunks in one thread, for WSGI servers."""

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        if chunk := self.read():
            return chunk
        self.close()
        raise StopIteration


class AsyncRangeIterator(RangeReader):
    """Iterates over the chunks asynchronously, for the ASGI handler: each chunk is read in a thread."""

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        try:
            chunk = await asyncio.to_thread(self.read)
        except BaseException:  # also when the request is aborted while a thread reads
            self.close()
            raise
        if chunk:
            return chunk
        self.close()
        raise StopAsyncIteration
