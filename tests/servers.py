"""Start real PostgreSQL and Redis, and an S3 stand-in, for the tests: on free ports, deleted afterwards."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def is_alive(pid: int) -> bool:
    """Whether a process with this id runs. One that has ended and waits for its parent does not."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):  # the second: it ended between opening and reading
        return False
    # The name in parentheses may contain spaces and parentheses: read after it.
    return status.rpartition(")")[2].split()[0] not in {"Z", "X"}


def _postgres_bin() -> Path:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda p: int(p.parts[-3]))
    return found[-1].parent if found else Path(shutil.which("initdb") or "initdb").parent


def chromium() -> str:
    """The path of Chromium; preferably its headless shell, which needs much less CPU."""
    found = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    assert found, "no Chromium is installed"
    return found


@contextlib.contextmanager
def postgres(
    *, durable: bool = False, data_dir: Path | None = None, initialize: bool = True
) -> Iterator[tuple[str, int]]:
    """A PostgreSQL server; yields its DATABASE_URL (database "postgres") and the postmaster's pid.

    Without ``durable`` it does not wait for the disk, which tests do not need. Its data are deleted at the end unless
    ``data_dir`` says where to store them; without ``initialize`` the data that are already there are used.
    """
    # initdb refuses to run as root; Debian's package creates the user postgres.
    user = "postgres" if os.geteuid() == 0 else None
    folder = data_dir or Path(tempfile.mkdtemp(prefix="study-postgres-"))
    if data_dir and initialize:
        shutil.rmtree(data_dir, ignore_errors=True)
        data_dir.mkdir(parents=True)
    if user:
        shutil.chown(folder, user)
    port = free_port()
    bin_ = _postgres_bin()
    if initialize:
        subprocess.run(
            [bin_ / "initdb", "-D", folder / "data", "-U", "study", "-A", "trust", "-E", "UTF8", "--no-sync"],
            check=True,
            user=user,
            cwd="/",
            stdout=subprocess.DEVNULL,
        )
    settings = {"listen_addresses": "127.0.0.1", "unix_socket_directories": str(folder), "max_connections": "200"}
    if not durable:
        settings |= {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
    options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(
            [bin_ / "postgres", "-D", folder / "data", "-p", str(port), *options],
            user=user,
            cwd="/",
            stdout=log,
            stderr=log,
        )
    try:
        _wait(port, server)
        yield f"postgres://study@127.0.0.1:{port}/postgres", server.pid
    finally:
        server.send_signal(signal.SIGINT)  # does not wait for clients, as SIGTERM would
        try:
            server.wait(5)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()
        if not data_dir:
            shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def redis() -> Iterator[str]:
    """A Redis server without persistence; yields its REDIS_URL."""
    port = free_port()
    server = subprocess.Popen(
        ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"],
        stdout=subprocess.DEVNULL,
    )
    try:
        _wait(port, server)
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        server.terminate()
        server.wait()


@contextlib.contextmanager
def s3() -> Iterator[dict[str, str]]:
    """An S3 server that stores everything in memory (moto); yields the environment variables to reach it.

    It sends the CORS headers that a bucket is configured with, and no others.
    """
    port = free_port()
    server = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
        env={**os.environ, "MOTO_DISABLE_GLOBAL_CORS": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait(port, server)
        yield {
            "S3_ENDPOINT_URL": f"http://127.0.0.1:{port}",
            "S3_REGION": "eu-central-1",
            "AWS_ACCESS_KEY_ID": "a-key",
            "AWS_SECRET_ACCESS_KEY": "a-secret",
        }
    finally:
        server.terminate()
        server.wait()


def _wait(port: int, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and server.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            # PostgreSQL accepts connections before it is ready and refuses the first ones.
            time.sleep(0.3)
            return
        time.sleep(0.05)
    raise RuntimeError(f"no server on port {port}")
