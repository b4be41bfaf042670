"""Runs ffmpeg: leashed, watched, and killed when it hangs or nobody wants its work any more."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import re
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

from studyplatform.kit import die_with_parent
from studyplatform.kit.disk import FULL

from .failures import CorruptFile, FormatUnsupported, ProcessingFailed, VideoFailure
from .recipe import Recipe

#: Called about once a second with the part that is done, 0 to 1. May raise to stop the work.
Report = Callable[[float], None]

PID_FILE = "ffmpeg.pid"
#: ffmpeg's exit code when more frames than `-max_error_rate` could not be decoded.
TOO_MANY_ERRORS = 69
#: What ffmpeg says of each frame that it could not decode: before 6.0, and since.
UNDECODED = re.compile(r"Error while decoding stream|Error submitting packet to decoder")
#: What it says of each frame that it decoded in part. Before 6.0 it forgets most, but names each broken block (MB).
DAMAGED = re.compile(r"corrupt decoded frame")
BLOCK = re.compile(r"error while decoding MB|Error at MB")


def run(
    arguments: Sequence[str],
    *,
    ffmpeg: Path,
    folder: Path,
    seconds: float,
    recipe: Recipe,
    report: Report,
) -> int:
    """Run ffmpeg to its end. `seconds` is the length of what it makes, for the percentage.

    `folder` receives the process's number while it runs, for `end_stray`. Answers how many frames of the input could
    not be decoded, or only in part.

    :raises CorruptFile: most of the input cannot be decoded.
    :raises FormatUnsupported: this ffmpeg has no decoder for the input.
    :raises ProcessingFailed: ffmpeg failed or made no progress for `recipe.stall` seconds.
    """
    process = _start([str(ffmpeg), *arguments], recipe)
    record = folder / PID_FILE
    record.write_text(json.dumps({"pid": process.pid, "marker": str(folder)}))
    complaints = _Complaints()
    lines: queue.Queue[str | None] = queue.Queue()
    readers = (
        threading.Thread(target=_drain, args=(process.stderr, complaints.hear), daemon=True),
        threading.Thread(target=_forward, args=(process.stdout, lines), daemon=True),
    )
    for reader in readers:
        reader.start()
    try:
        _follow(lines, seconds, recipe, report)
        code = process.wait(timeout=recipe.stall)
    except subprocess.TimeoutExpired:
        raise ProcessingFailed("stalled", "did not exit", retry=True) from None
    finally:
        if process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        for reader in readers:
            reader.join(timeout=5)
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()
        _forget(record, process.pid)
    if code != 0:
        raise _explain(code, "\n".join(complaints.last))
    report(1.0)
    return complaints.unread


class _Complaints:
    """What ffmpeg says while it works: the last lines, and how many tell of a frame that could not be read."""

    def __init__(self) -> None:
        self.last: deque[str] = deque(maxlen=60)
        self._heard = dict.fromkeys((UNDECODED, DAMAGED, BLOCK), 0)

    def hear(self, line: str) -> None:
        self.last.append(line)
        for what in self._heard:
            self._heard[what] += what.search(line) is not None

    @property
    def unread(self) -> int:
        return self._heard[UNDECODED] + max(self._heard[DAMAGED], self._heard[BLOCK])


def _start(command: list[str], recipe: Recipe) -> subprocess.Popen[str]:
    keeper = [sys.executable, "-I", "-S", die_with_parent.__file__, str(os.getpid()), str(recipe.niceness)]
    return subprocess.Popen(  # noqa: S603 (our own list of arguments, no shell)
        [*keeper, *command],
        # A pipe that nobody writes to: where the kernel has no leash, its end is the signal.
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    )


def _forget(record: Path, pid: int) -> None:
    """Remove the note about a process that has ended, unless a successor has written its own."""
    with contextlib.suppress(OSError, ValueError, KeyError):
        if json.loads(record.read_text())["pid"] == pid:
            record.unlink()


def _drain(pipe: IO[str] | None, keep: Callable[[str], None]) -> None:
    # ffmpeg stops at a full pipe, so somebody always reads.
    if pipe is not None:
        for line in pipe:
            keep(line.rstrip()[:500])


def _forward(pipe: IO[str] | None, lines: queue.Queue[str | None]) -> None:
    if pipe is not None:
        for line in pipe:
            lines.put(line)
    lines.put(None)


def _follow(lines: queue.Queue[str | None], seconds: float, recipe: Recipe, report: Report) -> None:
    """Read `-progress` until it ends, telling `report` at least once a second."""
    moved_at = told_at = time.monotonic()
    mark, done = "", 0.0
    while True:
        with contextlib.suppress(queue.Empty):
            line = lines.get(timeout=1)
            if line is None:
                return
            key, _, value = line.strip().partition("=")
            if key == "out_time_us" and value.lstrip("-").isdigit():
                done = min(max(int(value) / 1e6 / max(seconds, 0.001), done), 1.0)
            if key in ("out_time_us", "frame", "total_size") and f"{key}{value}" != mark:
                if value not in mark:
                    moved_at = time.monotonic()
                mark = f"{mark[-60:]} {value}"
        now = time.monotonic()
        if now - moved_at > recipe.stall:
            raise ProcessingFailed("stalled", f"no progress for {recipe.stall:.0f} s", retry=True)
        if now - told_at >= 1:
            told_at = now
            report(done)


def _explain(code: int, complaints: str) -> VideoFailure:
    note = f"ffmpeg exit {code}: {complaints[-4000:]}"
    if code == TOO_MANY_ERRORS:
        return CorruptFile("short", note)
    if any(os.strerror(code) in complaints for code in FULL):
        return ProcessingFailed("no_space", note, retry=True)
    if "Decoder (codec" in complaints or "no decoder found" in complaints.lower():
        return FormatUnsupported("picture_codec", note)
    if code < 0 or code in (137, 143):  # killed from outside: memory, a shutdown
        return ProcessingFailed("crashed", note, retry=True)
    return ProcessingFailed("encoder", note)


def end_stray(folder: Path) -> bool:
    """Kill an ffmpeg that a former try at the same folder left behind. Answers whether one was.

    The number alone could by now belong to another program, so its command must name the folder.
    """
    record = folder / PID_FILE
    try:
        noted = json.loads(record.read_text())
        pid, marker = int(noted["pid"]), str(noted["marker"])
    except (OSError, ValueError, KeyError, TypeError):
        return False
    ended = False
    if marker in _command_of(pid):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
            ended = True
    record.unlink(missing_ok=True)
    return ended


def _command_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        pass
    if sys.platform.startswith("linux"):
        return ""
    ran = subprocess.run(  # noqa: S603
        ["ps", "-ww", "-o", "command=", "-p", str(pid)],  # noqa: S607
        capture_output=True,
        text=True,
        check=False,
    )
    return ran.stdout
