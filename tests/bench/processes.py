"""CPU seconds of process trees, from /proc."""

from __future__ import annotations

import os
from pathlib import Path

TICK = os.sysconf("SC_CLK_TCK")


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
    """CPU seconds (user and system, with ended children) of the trees so far.

    Of living processes to the nanosecond, from the scheduler: a tick of 10 ms is several requests.
    """
    total = 0.0
    for root in roots:
        for pid in tree(root):
            try:
                for thread in Path(f"/proc/{pid}/task").iterdir():
                    total += int((thread / "schedstat").read_text().split()[0]) / 1e9
                fields = _stat(pid)
            except (FileNotFoundError, ProcessLookupError):
                continue
            if pid == root:
                total += sum(int(fields[index]) for index in (13, 14)) / TICK
    return total
