"""Read the text of a PDF in a process of its own, with limits: a small file may decode to gigabytes."""

from __future__ import annotations

import contextlib
import resource
import subprocess
import sys

import pypdfium2

MAX_BYTES = 30 * 2**20
MAX_PAGES = 300
MAX_CHARACTERS = 500_000
TIMEOUT = 30  # seconds
MEMORY = 2**30  # bytes
EXIT_UNREADABLE = 3  # exit status of the subprocess
PAGE_END = "\f"


class UnreadablePdf(ValueError):
    """It is damaged, encrypted or too large, or takes too long."""


def pages_of(raw: bytes) -> list[str]:
    """Return the text of each page, at most :data:`MAX_PAGES` and :data:`MAX_CHARACTERS`. Scanned pages are empty.

    :raises UnreadablePdf: nothing can be read in the time and memory allowed.
    """
    if len(raw) > MAX_BYTES:
        raise UnreadablePdf("too large")
    try:
        # -I: nothing of the working folder or the user's is imported.
        done = subprocess.run(  # noqa: S603
            [sys.executable, "-I", __file__],
            input=raw,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=TIMEOUT,
        )
    except subprocess.TimeoutExpired:
        raise UnreadablePdf("took too long") from None
    if done.returncode:
        raise UnreadablePdf(f"status {done.returncode}")
    return done.stdout.decode(errors="replace").split(PAGE_END)[:-1]


def _main() -> int:
    with contextlib.suppress(ValueError, OSError):  # not every system lets a process limit itself
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (TIMEOUT, TIMEOUT))
    try:
        document = pypdfium2.PdfDocument(sys.stdin.buffer.read(MAX_BYTES + 1))
        left = MAX_CHARACTERS
        for number in range(min(len(document), MAX_PAGES)):
            page = document[number]
            text = page.get_textpage().get_text_bounded()[:left].replace(PAGE_END, " ")
            page.close()
            left -= len(text)
            sys.stdout.buffer.write((text + PAGE_END).encode(errors="replace"))
            if left <= 0:
                break
    except (pypdfium2.PdfiumError, MemoryError, ValueError):
        return EXIT_UNREADABLE
    return 0


if __name__ == "__main__":
    sys.exit(_main())
