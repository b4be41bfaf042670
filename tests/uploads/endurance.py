"""Upload one file through cut connections, restarts and a kill, and report what happened."""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import json
import os
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from tests.uploads.proxy import PIECE, Chunk, Proxy
from tests.uploads.server import ROOT, Server, wait_until

CLIENTS = ("javascript", "javascript-parallel", "python")
PARALLEL = 4
HERE = Path(__file__).parent
MEGABYTE = 2**20
# Per connection, a killed server loses what it has not saved (SAVE_OFFSET_EVERY) and what sockets had buffered.
MAX_LOST = 24 * MEGABYTE
MAX_GROWTH = 50 * MEGABYTE


@dataclass
class Report:
    """What one run did. Sizes in bytes."""

    client: str
    size: int
    is_patient: bool = False  # its connections outlast the server's wish to stop
    seconds: float = 0
    cuts: int = 0
    restarts: int = 0
    kills: int = 0
    interrupted: int = 0  # chunks that were on their way when their connection was cut
    lost_by_cuts: int = 0
    lost_by_restarts: int = 0
    lost_by_kills: int = 0
    growth: int = 0
    is_intact: bool = False
    problems: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return (
            f"{self.client}: {self.size // MEGABYTE} MB in {self.seconds:.0f} s, {self.cuts} cuts in "
            f"{self.interrupted} chunks, {self.restarts} restarts, {self.kills} kill -9; lost "
            f"{self.lost_by_cuts} bytes by cuts, {self.lost_by_restarts} by restarts, {self.lost_by_kills} by kills; "
            f"memory +{self.growth / MEGABYTE:.0f} MB; "
            + ("the checksum is right" if self.is_intact else "THE CHECKSUM IS WRONG")
        )


def write_file(path: Path, size: int) -> str:
    """Write random bytes; return their SHA-256."""
    digest = hashlib.sha256()
    with path.open("wb") as file:
        for at in range(0, size, 4 * MEGABYTE):
            piece = os.urandom(min(4 * MEGABYTE, size - at))
            digest.update(piece)
            file.write(piece)
    return digest.hexdigest()


def run(
    server: Server, client: str, folder: Path, size: int, *, is_patient: bool, cuts: int = 20, restarts: int = 2
) -> Report:
    """Upload ``size`` bytes, with one kill. It, the cuts and the restarts are spread evenly over the delivered bytes.

    ``Report.problems`` is empty if all went well.
    """
    report = Report(client, size, is_patient)
    path = folder / "large.bin"
    expected = write_file(path, size)
    proxy = Proxy(server.port)
    proxy.delay = usual_delay = 0.001 if size < 200 * MEGABYTE else 0  # a small file would arrive too soon
    began = time.monotonic()
    process = _start(client, path, size, proxy.port, server)
    events = ["cut"] * cuts
    for name, count in (("restart", restarts), ("kill", 1)):
        for number in range(count):
            events.insert(len(events) * (number + 1) // (count + 1), name)
    try:
        for number, event in enumerate(events, start=1):
            # At least one piece more than at the last event, so that a chunk is on its way.
            threshold = max(size * number // (len(events) + 2), proxy.delivered + PIECE)
            while proxy.delivered < threshold and process.poll() is None:
                time.sleep(0.001)
            if process.poll() is not None:
                report.problems.append(f"the client ended before the {event} at {threshold} bytes")
                break
            EVENTS[event](server, proxy, report)
            proxy.delay = usual_delay
        output, _ = process.communicate(timeout=600)
    finally:
        process.kill()
        proxy.close()
    server.measure()
    report.seconds = time.monotonic() - began
    report.growth = server.growth
    if process.returncode:
        report.problems.append("the client failed")
    else:
        report.is_intact = _downloaded(server, urlsplit(output.strip()).path) == expected
    _judge(report)
    path.unlink()
    return report


def _judge(report: Report) -> None:
    connections = PARALLEL if report.client == "javascript-parallel" else 1
    checks = {
        "the checksum is wrong": not report.is_intact,
        "bytes that arrived before a cut were lost": report.lost_by_cuts > 0,
        "a restart lost bytes": report.lost_by_restarts > MAX_LOST * connections,
        "the kill lost too many bytes": report.lost_by_kills > MAX_LOST * connections,
        "the server's memory grew": report.growth > MAX_GROWTH,
    }
    report.problems += [problem for problem, is_so in checks.items() if is_so]


def _start(client: str, path: Path, size: int, port: int, server: Server) -> subprocess.Popen[str]:
    options = {
        "file": str(path),
        "endpoint": f"http://127.0.0.1:{port}/api/v1/uploads/",
        "headers": {name: value for name, value in server.headers.items() if name != "Tus-Resumable"},
        "parallel": PARALLEL if client == "javascript-parallel" else 1,
        "chunk": max(4 * MEGABYTE, size // 40),
    }
    command = [sys.executable, HERE / "client.py"] if client == "python" else ["node", HERE / "client.mjs"]
    return subprocess.Popen([*map(str, command), json.dumps(options)], cwd=ROOT, stdout=subprocess.PIPE, text=True)


def _cut(server: Server, proxy: Proxy, report: Report) -> None:
    with proxy.cut() as chunks:
        report.lost_by_cuts += _lost(server, chunks)
        report.interrupted += len(chunks)
        report.cuts += 1
    server.measure()


def _restart(server: Server, proxy: Proxy, report: Report) -> None:
    """The server gets SIGTERM while chunks arrive. Those of a patient client go on, slowly, until it ends them."""
    proxy.delay = 0.2
    stopping = threading.Thread(target=server.terminate)
    stopping.start()
    if report.is_patient:
        stopping.join()
    with proxy.cut() as chunks:
        stopping.join()
        server.start()
        report.lost_by_restarts += _lost(server, chunks, wait=0)
        report.restarts += 1


def _kill(server: Server, proxy: Proxy, report: Report) -> None:
    server_killed = threading.Thread(target=server.kill_web)
    server_killed.start()
    with proxy.cut() as chunks:
        server_killed.join()
        report.lost_by_kills += _lost(server, chunks, wait=0)
        report.kills += 1


EVENTS = {"cut": _cut, "restart": _restart, "kill": _kill}


def _lost(server: Server, chunks: list[Chunk], *, wait: float = 60) -> int:
    """How many of the delivered bytes the server does not have, after so many seconds at most."""
    lost = 0
    for chunk in chunks:
        wait_until(lambda chunk=chunk: server.offset(chunk.path) >= chunk.end, wait)  # type: ignore[misc]
        lost += max(0, chunk.end - server.offset(chunk.path))
    return lost


def _downloaded(server: Server, path: str) -> str:
    """The SHA-256 of the uploaded file. A concatenation may have to end first."""
    wait_until(lambda: server.call("HEAD", path)[1].get("upload-offset") is not None, 300)
    digest = hashlib.sha256()
    line = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    with contextlib.closing(line):
        line.request("GET", path, headers=server.headers)
        answer = line.getresponse()
        while data := answer.read(MEGABYTE):
            digest.update(data)
    return digest.hexdigest()
