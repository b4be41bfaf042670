"""Files are read by one thread at a time and closed once, however a request ends."""

import asyncio
import contextlib
import io
import time
from typing import Any

from django.http import StreamingHttpResponse
from django.test import AsyncRequestFactory

from apps.files.file_readers import CHUNK_SIZE
from apps.files.streaming import send_file


class SlowFile(io.BytesIO):
    """A file with slow reads that detects when it is closed during a read."""

    opened: "list[SlowFile]" = []

    def __init__(self) -> None:
        super().__init__(bytes(8 * CHUNK_SIZE))
        self.is_read = self.was_closed_under_read = False
        self.opened.append(self)

    def read(self, size: int | None = -1, /) -> bytes:
        self.is_read = True
        time.sleep(0.002)
        self.was_closed_under_read |= self.closed
        self.is_read = False
        return super().read(size)

    def close(self) -> None:
        self.was_closed_under_read |= self.is_read
        super().close()


def test_many_aborted_requests_leave_no_error_and_no_open_file() -> None:
    """Covers aborts during a read, between two chunks, before the first chunk, and after the response is discarded."""
    SlowFile.opened.clear()
    complaints: list[Any] = []

    async def play_and_abort(turn: int) -> None:
        chunks: list[object] = []
        request = AsyncRequestFactory().get("/media/")
        answer = send_file(request, SlowFile, size=8 * CHUNK_SIZE, changed=1.0, kind="video/mp4", cache="no-store")
        assert isinstance(answer, StreamingHttpResponse)

        async def play() -> None:
            async for chunk in answer:
                chunks.append(chunk)

        task = asyncio.create_task(play())
        while len(chunks) < turn % 5:
            await asyncio.sleep(0)
        await asyncio.sleep(0.0005 * (turn % 30))
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        if turn % 2:  # as servers do eventually
            answer.close()

    async def main() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context))
        await asyncio.gather(*(play_and_abort(turn) for turn in range(150)))
        await asyncio.get_running_loop().shutdown_default_executor()

    asyncio.run(main())

    assert complaints == []
    assert len(SlowFile.opened) >= 120  # of 150, those that were aborted after a chunk
    assert all(file.closed for file in SlowFile.opened)
    assert not any(file.was_closed_under_read for file in SlowFile.opened)
