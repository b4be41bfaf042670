"""The virus scanner clamd, as a client of its command INSTREAM.

The protocol is a dozen lines: the manual page clamd(8), "COMMANDS". The Python clients read a local path, and give no
sign of life before the verdict; these files may be in a bucket, and a job has to extend its lease.
"""

import select
import socket
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO

from django.conf import settings

from apps.files.models import Upload

CONNECT_TIMEOUT = 5  # seconds
CHUNK = 1 << 18  # bytes
MOST_ANSWER = 4096  # bytes
WAIT = 5.0  # seconds between two extensions of the lease while clamd is thinking
Length = struct.Struct("!L")


class ScannerUnavailable(Exception):
    """clamd cannot be reached, is silent, or answers something that cannot be read. Another attempt may succeed."""


@dataclass(frozen=True)
class Finding:
    """What clamd says about a file. ``threat``: the name of what it found."""

    scan: Upload.Scan
    threat: str = ""


def is_enabled() -> bool:
    """Whether uploads are scanned."""
    return bool(settings.CLAMD_ADDRESS)


def ping() -> None:
    """Check that clamd answers.

    :raises ScannerUnavailable: it does not.
    """
    with _connection() as link:
        _send(link, b"zPING\0")
        if (answer := _receive(link)) != "PONG":
            raise ScannerUnavailable(f"answered {answer!r}")


def scan(file: IO[bytes], extend_lease: Callable[[], None] = lambda: None) -> Finding:
    """Send an open file to clamd and return its verdict. Memory does not grow with the size of the file.

    :raises ScannerUnavailable: there is no verdict.
    """
    with _connection() as link:
        _send(link, b"zINSTREAM\0")
        is_refused = False
        while not is_refused and (data := file.read(CHUNK)):
            is_refused = _has_answered(link) or not _sent(link, Length.pack(len(data)) + data)
            extend_lease()
        if not is_refused:
            _sent(link, Length.pack(0))
        return _finding(_receive(link, extend_lease))


def _finding(answer: str) -> Finding:
    if answer == "INSTREAM size limit exceeded. ERROR":
        return Finding(Upload.Scan.TOO_LARGE)
    subject, _, verdict = answer.partition(": ")
    if subject == "stream" and verdict == "OK":
        return Finding(Upload.Scan.CLEAN)
    if subject == "stream" and verdict.endswith(" FOUND"):
        return Finding(Upload.Scan.INFECTED, verdict.removesuffix(" FOUND")[:120])
    raise ScannerUnavailable(f"answered {answer!r}")


def _connection() -> socket.socket:
    address = settings.CLAMD_ADDRESS
    host, _, port = address.rpartition(":")
    try:
        if address.startswith("/"):
            link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            link.settimeout(CONNECT_TIMEOUT)
            link.connect(address)
        else:
            link = socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT_TIMEOUT)
    except (OSError, ValueError) as problem:
        raise ScannerUnavailable(f"{address}: {problem}") from problem
    link.settimeout(settings.CLAMD_TIMEOUT)
    return link


def _has_answered(link: socket.socket) -> bool:
    """Whether clamd has said something before the end of the file, such as that it is too large."""
    return _is_readable(link, 0)


def _is_readable(link: socket.socket, seconds: float) -> bool:
    poll = select.poll()
    poll.register(link, select.POLLIN)
    return bool(poll.poll(seconds * 1000))


def _sent(link: socket.socket, data: bytes) -> bool:
    """Send; False if clamd has closed the connection. Its last words may still be read.

    :raises ScannerUnavailable: it takes nothing for ``CLAMD_TIMEOUT`` seconds.
    """
    try:
        link.sendall(data)
    except TimeoutError as problem:
        raise ScannerUnavailable("takes nothing more") from problem
    except OSError:
        return False
    return True


def _send(link: socket.socket, data: bytes) -> None:
    if not _sent(link, data):
        raise ScannerUnavailable("closed the connection")


def _receive(link: socket.socket, extend_lease: Callable[[], None] = lambda: None) -> str:
    """The answer, which ends with a null byte.

    :raises ScannerUnavailable: it is silent or closes the connection before.
    """
    answer = b""
    left = float(settings.CLAMD_TIMEOUT)
    while not answer.endswith(b"\0"):
        wait = min(WAIT, left)
        if not _is_readable(link, wait):
            left -= wait
            if left <= 0:
                raise ScannerUnavailable(f"silent for {settings.CLAMD_TIMEOUT} seconds")
            extend_lease()
            continue
        try:
            data = link.recv(MOST_ANSWER)
        except OSError as problem:
            raise ScannerUnavailable(str(problem)) from problem
        answer += data
        if not data or len(answer) > MOST_ANSWER:
            raise ScannerUnavailable(f"ended with {answer[:100]!r}")
    return answer[:-1].decode("utf-8", errors="replace").strip()
