"""Starts a program that may not outlive the one who started it.

Run as a script of its own, with nothing but the standard library:
`python -I -S die_with_parent.py <parent's pid> <niceness> <program> <argument>…`

A worker that is killed with `kill -9` has no moment to end its ffmpeg. On Linux the kernel does
it (`PR_SET_PDEATHSIG`), and this process becomes ffmpeg. Elsewhere this process stays between the
two and watches a pipe that ends with the worker: standard input.
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


def hold(parent: int) -> bool:
    """Bind this process to its parent's life. False where the system cannot do that.

    Ends the process at once if the parent is gone already.
    """
    if not sys.platform.startswith("linux"):
        return False
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) != 0:
        return False
    if os.getppid() != parent:  # died between our start and the call
        os._exit(1)
    return True


def be_nice(niceness: int) -> None:
    """Step back behind interactive work; never forward."""
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
    be_nice(int(niceness))
    if hold(int(parent)):
        os.execvp(command[0], command)  # noqa: S606
    code = _watch_and_run(command)
    sys.stdout.flush()
    os._exit(code if code >= 0 else 128 - code)


if __name__ == "__main__":
    main()
