"""Run ffmpeg: it ends with its parent process, and is killed when it hangs or its work is no longer needed."""

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
from studyplatform.kit.disk import NO_SPACE

from .failures import CorruptFile, FormatUnsupported, ProcessingFailed, VideoFailure
from .recipe import Recipe

#: Called about once a second with the progress, 0 to 1. May raise to stop the work.
Report = Callable[[float], None]

PID_FILE = "ffmpeg.pid"
#: ffmpeg's exit code when more frames than `-max_error_rate` could not be decoded.
TOO_MANY_ERRORS = 69
#: ffmpeg's message for each frame that it could not decode: before 6.0, and since.
UNDECODED = re.compile(r"Error while decoding stream|Error submitting packet to decoder")
#: ffmpeg's message for each partly decoded frame. Before 6.0 most are missing, but each damaged macroblock has one.
DAMAGED = re.compile(r"corrupt decoded frame")
DAMAGED_BLOCK = re.compile(r"error while decoding MB|Error at MB")


def run(
    arguments: Sequence[str],
    *,
    ffmpeg: Path,
    folder: Path,
    seconds: float,
    recipe: Recipe,
    report: Report,
) -> int:
    """Run ffmpeg and return how many frames of the input could not be decoded, or only in part.

    `seconds` is the duration of the output, from which the progress is computed. `folder` holds the process id while
    ffmpeg runs, for `kill_stray`.

    :raises CorruptFile: most of the input cannot be decoded.
    :raises FormatUnsupported: this ffmpeg has no decoder for the input.
    :raises ProcessingFailed: ffmpeg failed, or made no progress for `recipe.stall` seconds.
    """
    process = _start([str(ffmpeg), *arguments], recipe)
    record = folder / PID_FILE
    record.write_text(json.dumps({"pid": process.pid, "marker": str(folder)}))
    errors = _ErrorLog()
    lines: queue.Queue[str | None] = queue.Queue()
    readers = (
        threading.Thread(target=_read_lines, args=(process.stderr, errors.add), daemon=True),
        threading.Thread(target=_queue_lines, args=(process.stdout, lines), daemon=True),
    )
    for reader in readers:
        reader.start()
    try:
        _track_progress(lines, seconds, recipe, report)
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
        _remove_pid_file(record, process.pid)
    if code != 0:
        raise _explain(code, "\n".join(errors.last))
    report(1.0)
    return errors.undecoded


class _ErrorLog:
    """The last lines of ffmpeg's error output, and how many frames could not be decoded according to it."""

    def __init__(self) -> None:
        self.last: deque[str] = deque(maxlen=60)
        self._counts = dict.fromkeys((UNDECODED, DAMAGED, DAMAGED_BLOCK), 0)

    def add(self, line: str) -> None:
        self.last.append(line)
        for what in self._counts:
            self._counts[what] += what.search(line) is not None

    @property
    def undecoded(self) -> int:
        return self._counts[UNDECODED] + max(self._counts[DAMAGED], self._counts[DAMAGED_BLOCK])


def _start(command: list[str], recipe: Recipe) -> subprocess.Popen[str]:
    wrapper = [sys.executable, "-I", "-S", die_with_parent.__file__, str(os.getpid()), str(recipe.niceness)]
    return subprocess.Popen(  # noqa: S603 (our own list of arguments, no shell)
        [*wrapper, *command],
        # A pipe without data: where the kernel cannot signal the parent's death, the end of the pipe does.
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    )


def _remove_pid_file(record: Path, pid: int) -> None:
    """Remove the id of a process that has ended, unless a newer process has replaced it."""
    with contextlib.suppress(OSError, ValueError, KeyError):
        if json.loads(record.read_text())["pid"] == pid:
            record.unlink()


def _read_lines(pipe: IO[str] | None, keep: Callable[[str], None]) -> None:
    # ffmpeg stops when the pipe is full, so it must be read all the time.
    if pipe is not None:
        for line in pipe:
            keep(line.rstrip()[:500])


def _queue_lines(pipe: IO[str] | None, lines: queue.Queue[str | None]) -> None:
    if pipe is not None:
        for line in pipe:
            lines.put(line)
    lines.put(None)


def _track_progress(lines: queue.Queue[str | None], seconds: float, recipe: Recipe, report: Report) -> None:
    """Read the output of `-progress` until it ends, and call `report` about once a second.

    :raises ProcessingFailed: there was no progress for `recipe.stall` seconds.
    """
    progressed_at = reported_at = time.monotonic()
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
                    progressed_at = time.monotonic()
                mark = f"{mark[-60:]} {value}"
        now = time.monotonic()
        if now - progressed_at > recipe.stall:
            raise ProcessingFailed("stalled", f"no progress for {recipe.stall:.0f} s", retry=True)
        if now - reported_at >= 1:
            reported_at = now
            report(done)


def _explain(code: int, errors: str) -> VideoFailure:
    note = f"ffmpeg exit {code}: {errors[-4000:]}"
    if code == TOO_MANY_ERRORS:
        return CorruptFile("short", note)
    if any(os.strerror(code) in errors for code in NO_SPACE):
        return ProcessingFailed("no_space", note, retry=True)
    if "Decoder (codec" in errors or "no decoder found" in errors.lower():
        return FormatUnsupported("picture_codec", note)
    if code < 0 or code in (137, 143):  # killed from outside: out of memory, shutdown
        return ProcessingFailed("crashed", note, retry=True)
    return ProcessingFailed("encoder", note)


def kill_stray(folder: Path) -> bool:
    """Kill an ffmpeg that an earlier attempt left running in the same folder; return whether there was one.

    The process id may have been reused by another program, so its command line must contain the folder.
    """
    record = folder / PID_FILE
    try:
        saved = json.loads(record.read_text())
        pid, marker = int(saved["pid"]), str(saved["marker"])
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
