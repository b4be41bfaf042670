"""Start a program that is killed when its parent process dies.

Run as a script, with only the standard library:
`python -I -S die_with_parent.py <parent's pid> <niceness> <program> <argument>…`

A worker killed with `kill -9` cannot end its ffmpeg. On Linux the kernel does it (`PR_SET_PDEATHSIG`,
see prctl(2)) and this process becomes ffmpeg. On other systems this process stays between the two and
watches its standard input, a pipe that closes when the worker dies.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import threading

PR_SET_PDEATHSIG = 1


def bind_to_parent(parent: int) -> bool:
    """Have the kernel kill this process when its parent dies. Returns False if the system cannot do that.

    Exits at once if the parent is already dead.
    """
    if not sys.platform.startswith("linux"):
        return False
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) != 0:
        return False
    if os.getppid() != parent:  # it died between our start and the call
        os._exit(1)
    return True


def lower_priority(niceness: int) -> None:
    """Raise the niceness of this process to ``niceness``, so that interactive work comes first; never lower it."""
    with contextlib.suppress(OSError):
        now = os.getpriority(os.PRIO_PROCESS, 0)
        os.setpriority(os.PRIO_PROCESS, 0, max(now, niceness))


def _watch_and_run(command: list[str]) -> int:
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL)  # noqa: S603

    def end_with_parent() -> None:
        sys.stdin.buffer.read()
        child.kill()

    threading.Thread(target=end_with_parent, daemon=True).start()
    signal.signal(signal.SIGTERM, lambda *_: child.terminate())
    return child.wait()


def main() -> None:
    parent, niceness, *command = sys.argv[1:]
    lower_priority(int(niceness))
    if bind_to_parent(int(parent)):
        os.execvp(command[0], command)  # noqa: S606
    code = _watch_and_run(command)
    sys.stdout.flush()
    os._exit(code if code >= 0 else 128 - code)


if __name__ == "__main__":
    main()
