"""CPU seconds of process trees, from /proc."""

from __future__ import annotations

import os
import time
from pathlib import Path

TICK = os.sysconf("SC_CLK_TCK")
PROCESS_CLOCK = 2  # the clock of a process, as clock_getcpuclockid(3) makes it from a pid


def _stat(pid: int) -> list[str]:
    # The name in parentheses may contain spaces: count after it.
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def tree(root: int) -> list[int]:
    """The process and all its descendants."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents.setdefault(int(_stat(int(entry.name))[1]), []).append(int(entry.name))
            except (FileNotFoundError, ProcessLookupError):
                continue
    found, todo = [], [root]
    while todo:
        pid = todo.pop()
        found.append(pid)
        todo += parents.get(pid, [])
    return found


def cpu(*roots: int) -> float:
    """CPU seconds (user and system, with ended threads and children) of the trees so far.

    Of living processes to the nanosecond: a tick of 10 ms is several requests. A server may answer each request in a
    thread of its own, which has ended afterwards, so threads are not added up.
    """
    total = 0.0
    for root in roots:
        for pid in tree(root):
            try:
                total += time.clock_gettime(~pid << 3 | PROCESS_CLOCK)
                fields = _stat(pid)
            except OSError:
                continue
            if pid == root:
                total += sum(int(fields[index]) for index in (13, 14)) / TICK
    return total
