"""Start and stop the whole product on one machine: ``python -m studyplatform.supervisor``.

There are two processes: the web server (pages, API, websockets) and the worker (background jobs); without keys of a
payment provider a third one, which stands in for it. Each has a session of its own, so that its child processes end
with it. A process that ends is restarted.
"""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType

from django.conf import settings

BIN = Path(sys.executable).parent
DIE_WITH_PARENT = Path(__file__).with_name("kit") / "die_with_parent.py"
GRACE = 10.0  # seconds for a process to end after SIGTERM
# What a process may still be doing when it is asked to end. A job that is cut off runs again after the next start.
UNFINISHED = {"web": "open requests", "worker": "background jobs, such as the processing of a video"}


WORKER = [
    "--pool", "threads", "-c", "6", "-Q", "default,media", "-l", "warning",
    "--without-gossip", "--without-mingle", "--without-heartbeat",
]  # fmt: skip
MAX_MESSAGE_BYTES = "65536"  # browsers send only short messages through websockets
CLOSE_TIMEOUT = "5"  # seconds for open requests and sockets to end, less than `GRACE`
# h11 limits the size of headers, which httptools does not. TRUSTED_PROXIES decides about proxies, in Django.
WEB = [
    "--http", "h11", "--ws", "websockets-sansio", "--ws-max-size", MAX_MESSAGE_BYTES, "--lifespan", "on",
    "--no-server-header", "--no-proxy-headers", "--timeout-graceful-shutdown", CLOSE_TIMEOUT,
]  # fmt: skip
# Without a log of requests, and with sockets that stay open for as long as with uvicorn.
DAPHNE = [
    "--verbosity", "0", "--no-server-name", "--websocket_timeout", "-1", "--application-close-timeout", CLOSE_TIMEOUT,
    "--websocket-max-message-size", MAX_MESSAGE_BYTES, "--websocket-max-frame-size", MAX_MESSAGE_BYTES,
]  # fmt: skip


def commands(host: str, port: int) -> dict[str, list[str]]:
    """The processes of the embedded default, by name."""
    # No warning at each start for those who run it as root on their own machine.
    python = [sys.executable, "-W", "ignore:You're running the worker with superuser"]
    return {
        "web": _daphne(host, port)
        if settings.WEB_SERVER == "daphne"
        else [*_web(host, port), "--log-level", "error", "--no-access-log"],
        "worker": [*python, "-m", "celery", "--quiet", "-A", "studyplatform", "worker", *WORKER],
        **_payments(),
    }


def dev_commands(host: str, port: int) -> dict[str, list[str]]:
    """The processes for development, which restart when their sources change."""
    manage = [sys.executable, "manage.py"]
    return {
        "web": [*_web(host, port), "--reload", "--reload-dir", "apps", "--reload-dir", "studyplatform"],
        "worker": [*manage, "worker", "--reload"],
        **_payments(),
        "assets": ["npm", "run", "--silent", "watch"],
    }


def _web(host: str, port: int) -> list[str]:
    return [str(BIN / "uvicorn"), "studyplatform.asgi:application", "--host", host, "--port", str(port), *WEB]


def _daphne(host: str, port: int) -> list[str]:
    return [str(BIN / "daphne"), *DAPHNE, "--bind", host, "--port", str(port), "studyplatform.asgi:application"]


def _payments() -> dict[str, list[str]]:
    """The stand-in for the payment provider, where there are no keys of a real one."""
    if settings.BILLING_MODE != "standin":
        return {}
    folder = Path(settings.DATA_DIR) / "standin"
    options = ["--port", str(settings.STANDIN_PORT), "--folder", str(folder), "--site", settings.SITE_URL]
    return {"payments": [sys.executable, "-m", "apps.billing.standin", *options]}


class Supervisor:
    """Runs the processes and restarts them until it receives a signal."""

    def __init__(self, wanted: dict[str, list[str]], *, say: Callable[[str], None] = print) -> None:
        self.wanted = wanted
        self.say = say
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        self.stopping = False
        self.is_hurried = False
        self._started: dict[str, float] = {}

    def stop(self, number: int = 0, frame: FrameType | None = None) -> None:
        """Ask the loop to end; also the signal handler. After a second Ctrl-C nothing is finished."""
        # Other signals often come twice: make passes on the one that its group got too.
        self.is_hurried |= self.stopping and number == signal.SIGINT
        self.stopping = True

    def run(self) -> int:
        """Loop until a signal; returns the exit status."""
        signal.signal(signal.SIGTERM, self.stop)
        signal.signal(signal.SIGINT, self.stop)
        signal.signal(signal.SIGHUP, self.stop)
        try:
            while not self.stopping:
                for name in self.wanted:
                    self._keep(name)
                time.sleep(0.2)
        finally:
            self._end()
        return 0

    def _keep(self, name: str) -> None:
        process = self.running.get(name)
        if process is not None and process.poll() is None:
            return
        if process is not None:
            _signal_group(process, signal.SIGKILL)  # its child processes must not run beside the new one
            if time.monotonic() - self._started[name] < 2:
                time.sleep(1)  # it ended right after its start: wait
            self.say(f"{name} stopped with status {process.returncode}; restarting it")
        self._started[name] = time.monotonic()
        # If this process is killed, those it started end with it.
        wrapper = [sys.executable, "-I", "-S", str(DIE_WITH_PARENT), str(os.getpid()), "0"]
        self.running[name] = subprocess.Popen(  # noqa: S603
            [*wrapper, *self.wanted[name]], stdin=subprocess.PIPE, start_new_session=True
        )

    def _end(self) -> None:
        self._tell("Stopping")
        for process in self.running.values():
            _signal_group(process, signal.SIGTERM)
        began, is_told = time.monotonic(), False
        while (left := self._alive()) and time.monotonic() - began < GRACE and not self.is_hurried:
            time.sleep(0.05)
            if not is_told and time.monotonic() - began > 1:
                is_told = True
                work = " and ".join(UNFINISHED.get(name, name) for name in left)
                self._tell(f"Finishing {work}: at most {GRACE:.0f} s. Press Ctrl-C again to stop at once")
        for process in self.running.values():
            _signal_group(process, signal.SIGKILL)
            process.wait()

    def _tell(self, text: str) -> None:
        with contextlib.suppress(OSError):  # the terminal may have been closed
            self.say(text)

    def _alive(self) -> list[str]:
        return [name for name, process in self.running.items() if process.poll() is None]


def _signal_group(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "studyplatform.settings.embedded")
    address, socket = os.environ.get("HOST", "127.0.0.1"), int(os.environ.get("PORT", "8000"))
    sys.exit(Supervisor(commands(address, socket)).run())
