"""Run commands, end them all together, and say why one failed."""

import contextlib
import fcntl
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

from studyplatform.launch import places

UNREACHABLE = re.compile(
    r"NewConnectionError|NameResolutionError|Failed to establish a new connection|Temporary failure (?:in name )?resol"
    r"|Connect(?:ion)?Timeout|ReadTimeout|Read timed out|Max retries exceeded|ProxyError|Cannot connect to proxy"
    r"|CERTIFICATE_VERIFY_FAILED|Network is unreachable|Connection (?:refused|reset|aborted)|RemoteDisconnected"
    r"|Could not connect to|Connection failed|Could not resolve|Unable to connect"
    r"|\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|E407"
    r"|ERR_INVALID_URL|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w*(?:CERT|SIGNATURE)\w*|CERT_HAS_EXPIRED)\b"
)
# pip found the package's list of versions: the registry was reached, whatever was tried again before.
REACHED = re.compile(r"\(from versions: (?!none\))")
DISK_FULL = re.compile(r"No space left on device|\bENOSPC\b|Disk quota exceeded|\bEDQUOT\b|\[Errno 28\]")
CANT_REACH = "Can't reach the package registries: check the network, or the proxy (HTTPS_PROXY)."


class SetupError(Exception):
    """Setting up can't go on; the message is for the user."""


def say(text: str) -> None:
    """Print one line of progress."""
    print(f"\033[1m•\033[0m {text}" if sys.stdout.isatty() else f"- {text}", flush=True)


class Commands:
    """The running commands of this process, so that an interruption or a failure ends them all."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[str]] = set()
        self._is_over = False
        self.lock_of_folder: int | None = None

    def start(
        self, command: list[str], *, piped: bool, keeps_lock: bool, env: dict[str, str]
    ) -> "subprocess.Popen[str]":
        """Start a command in a session of its own, where Ctrl-C doesn't reach it: :meth:`end` ends it."""
        lock = self.lock_of_folder if keeps_lock else None
        with self._lock:
            if self._is_over:
                raise SetupError("Stopped.")
            process = subprocess.Popen(
                command,
                cwd=places.ROOT,
                env={**os.environ, **env},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE if piped else None,
                stderr=subprocess.STDOUT if piped else None,
                text=True,
                errors="replace",
                start_new_session=True,
                pass_fds=() if lock is None else (lock,),
            )
            self._running.add(process)
            return process

    def forget(self, process: "subprocess.Popen[str]") -> None:
        """Call when a command has ended."""
        with self._lock:
            self._running.discard(process)

    def end(self) -> None:
        """End all commands with their child processes, and let none start any more."""
        with self._lock:
            self._is_over = True
            running = list(self._running)
        for number in (signal.SIGTERM, signal.SIGKILL):
            for process in running:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                for process in running:
                    process.wait(3)
                return


RUNNING = Commands()


def run(*command: str | Path, quiet: bool = False, keeps_lock: bool = False, **env: str) -> None:
    """Run a command in the project's folder; of a quiet one only the output of a failure is shown.

    With ``keeps_lock`` it holds the lock of the folder until it has ended, also if this process is killed.

    :raises SetupError: it failed; the message names the cause if it is a common one.
    """
    words = [str(part) for part in command]
    process = RUNNING.start(words, piped=quiet, keeps_lock=keeps_lock, env=env)
    output: list[str] = []
    is_told = False
    for line in process.stdout or ():
        output.append(line)
        if not is_told and "etry" in line and UNREACHABLE.search(line):  # pip and npm try again; the user waits
            is_told = True
            say(f"{CANT_REACH} Trying again")
    process.wait()
    RUNNING.forget(process)
    if process.returncode:
        raise SetupError(explain_failure(words, "".join(output)))


def explain_failure(words: list[str], output: str) -> str:
    """What a failed command printed, and last what it means: no network, a full disk, or the command that failed."""
    name = " ".join(words)
    if DISK_FULL.search(output):
        return f"The disk is full ({shutil.disk_usage(places.ROOT).free / 1e6:.0f} MB are free). Failed: {name}"
    if UNREACHABLE.search(output) and not REACHED.search(output):
        lines = [line.strip() for line in output.splitlines() if UNREACHABLE.search(line)]
        return f"{CANT_REACH}\nThe last answer was: {lines[-1][:300]}"
    return f"{output.rstrip()}\n\nFailed: {name}".lstrip()


@contextlib.contextmanager
def lock_folder() -> Iterator[None]:
    """Let one command at a time set this folder up. Commands that outlive a killed launcher keep the lock."""
    folder = os.open(places.ROOT, os.O_RDONLY)
    try:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("Waiting for another make command, which is setting up this folder")
            fcntl.flock(folder, fcntl.LOCK_EX)
        except OSError:
            pass  # this file system has no locks
        RUNNING.lock_of_folder = folder
        yield
    finally:
        RUNNING.lock_of_folder = None
        os.close(folder)
