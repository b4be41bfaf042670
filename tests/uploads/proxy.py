"""A TCP proxy that counts what it delivers of each chunk and cuts all its connections on request."""

from __future__ import annotations

import contextlib
import select
import socket
import struct
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass

PIECE = 1 << 16  # bytes


@dataclass
class Chunk:
    """A chunk on its way: the URL's path, its first byte's offset in the file, the bytes delivered to the server."""

    path: str
    begin: int
    length: int
    delivered: int = 0

    @property
    def end(self) -> int:
        """The offset after the delivered bytes."""
        return self.begin + self.delivered


class Watcher:
    """Follows the requests of one connection."""

    def __init__(self) -> None:
        self._head = b""
        self._rest = 0  # bytes of the present request's body that have not been sent
        self.chunk: Chunk | None = None

    def feed(self, data: bytes) -> int:
        """Take what the client sent next; return how many of the bytes belong to chunks."""
        counted = 0
        while data:
            if self._rest:
                now, data = data[: self._rest], data[self._rest :]
                self._rest -= len(now)
                if self.chunk:
                    self.chunk.delivered += len(now)
                    counted += len(now)
                continue
            head, end, data = (self._head + data).partition(b"\r\n\r\n")
            self._head = b"" if end else head
            if end:
                self._begin(head.decode("latin-1"))
        return counted

    def _begin(self, head: str) -> None:
        first, *lines = head.split("\r\n")
        method, path, _ = first.split(" ")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        self._rest = int(headers.get("content-length", 0))
        is_chunk = method == "PATCH"
        self.chunk = Chunk(path, int(headers["upload-offset"]), self._rest) if is_chunk else None


class Proxy:
    """Listens on ``port`` and passes everything on to the server at ``target``."""

    def __init__(self, target: int) -> None:
        self.target = target
        self.delivered = 0  # bytes of chunks
        self.delay = 0.0  # seconds before each piece, to slow the client down
        self.is_open = threading.Event()
        self.is_open.set()
        self._cut = False
        self._lock = threading.Lock()
        self._connections = 0
        self._interrupted: list[Chunk] = []
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self.is_open.clear()
        self._listener.close()

    @contextlib.contextmanager
    def cut(self) -> Iterator[list[Chunk]]:
        """Cut all connections; yield the interrupted chunks. New connections wait until the block ends.

        The server gets everything that was sent before and then the end of the stream; the client gets a reset.
        """
        self.is_open.clear()
        self._cut = True
        while self._connections:
            time.sleep(0.005)
        self._cut = False
        with self._lock:
            chunks, self._interrupted = self._interrupted, []
        try:
            yield chunks
        finally:
            self.is_open.set()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):  # it was closed
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        self.is_open.wait()
        with self._lock:
            self._connections += 1
        watcher = Watcher()
        try:
            with client, socket.create_connection(("127.0.0.1", self.target)) as server:
                self._pass_on(client, server, watcher)
                # Without lingering, closing sends a reset.
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        except OSError:
            pass  # the server is away, or one side closed the connection
        finally:
            with self._lock:
                if watcher.chunk and watcher.chunk.delivered:
                    self._interrupted.append(watcher.chunk)
                self._connections -= 1

    def _pass_on(self, client: socket.socket, server: socket.socket, watcher: Watcher) -> None:
        while not self._cut:
            ready, _, _ = select.select([client, server], [], [], 0.02)
            for each in ready:
                data = each.recv(PIECE)
                if not data:
                    return
                if each is server:
                    client.sendall(data)
                    watcher.chunk = None  # it has been answered
                    continue
                server.sendall(data)
                counted = watcher.feed(data)
                with self._lock:
                    self.delivered += counted
                if self.delay and counted:
                    time.sleep(self.delay)
