"""The stand-in over HTTP: the API under /v1 and /v2, its clock, and what the browser loads."""

import json
import logging
import socketserver
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from apps.billing.standin import pages
from apps.billing.standin.forms import Params, decode

if TYPE_CHECKING:
    from apps.billing.standin.standin import Standin

log = logging.getLogger(__name__)
LARGEST_BODY = 2**20  # bytes
# The browser's calls carry a key and no cookies, so any origin may make them.
CORS = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": "GET, POST, DELETE",
    "Access-Control-Allow-Headers": "Authorization, Content-Type, Idempotency-Key, Stripe-Version, Stripe-Account",
    "Access-Control-Max-Age": "600",
}


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def server_bind(self) -> None:
        """Bind without looking up the host's name, which can take seconds."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = self.server_address[0], self.server_address[1]  # type: ignore[assignment]


class Server:
    """Listens from the moment it is made; answers once started."""

    def __init__(self, standin: "Standin", host: str, port: int) -> None:
        handler = type("Handler", (_Handler,), {"standin": standin})
        self._http = _Http((host, port), handler)
        self.address = f"http://{host}:{self._http.server_address[1]}"
        self._thread = threading.Thread(target=self._http.serve_forever, args=[0.02], name="standin", daemon=True)

    def start(self) -> None:
        """Answer in a thread."""
        self._thread.start()

    def stop(self) -> None:
        """Stop listening."""
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


class _Handler(BaseHTTPRequestHandler):
    """One connection. Nothing of a request is logged: it can hold a card number."""

    standin: "Standin"
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # an answer leaves in one packet
    disable_nagle_algorithm = True
    timeout = 300

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing."""

    def do_GET(self) -> None:
        self._handle("GET")

    def do_POST(self) -> None:
        self._handle("POST")

    def do_DELETE(self) -> None:
        self._handle("DELETE")

    def do_OPTIONS(self) -> None:
        self._send(204, b"", {**CORS})

    def _handle(self, method: str) -> None:
        parts = urlsplit(self.path)
        try:
            length = int(self.headers.get("Content-Length") or 0)
        except ValueError:
            length = LARGEST_BODY + 1
        if not 0 <= length <= LARGEST_BODY:
            self.close_connection = True
            self._json(413, {"error": {"type": "invalid_request_error", "message": "The request is too large."}})
            return
        body = self.rfile.read(length).decode(errors="replace")
        try:
            self._answer(method, parts.path, parts.query, body)
        except Exception:
            log.exception("%s %s failed", method, parts.path)
            self._json(500, {"error": {"type": "api_error", "message": "The stand-in failed; its log says why."}})

    def _answer(self, method: str, path: str, query: str, body: str) -> None:
        if path.startswith(("/v1/", "/v2/")):
            form = query if method in {"GET", "DELETE"} and query else body
            answer = self.standin.call(method, path, form, dict(self.headers))
            self._json(answer.status, answer.body, {**CORS, **answer.headers})
        elif path == "/standin/clock":
            self._clock(method, body)
        else:
            status, headers, content = pages.answer(self.standin, method, path, decode(query), decode(body))
            self._send(status, content, headers)

    def _clock(self, method: str, body: str) -> None:
        """GET tells the time; POST moves it: ``moment`` (seconds since 1970), or ``seconds`` and ``days`` to add."""
        if self.headers.get("Authorization") != f"Bearer {self.standin.secret_key}":
            self._json(401, {"error": {"type": "invalid_request_error", "message": "The secret key is needed."}})
            return
        clock = self.standin.clock
        if method == "POST":
            params = Params(decode(body))
            if (moment := params.number("moment")) is not None:
                clock.set(moment)
            clock.advance(params.number("seconds") or 0, days=params.number("days") or 0)
        self._json(200, {"now": clock.now(), "offset": clock.offset})

    def _json(self, status: int, body: dict[str, Any], headers: dict[str, str] | None = None) -> None:
        self._send(status, json.dumps(body).encode(), {"Content-Type": "application/json", **(headers or {})})

    def _send(self, status: int, content: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(content)), "Cache-Control": "no-store"}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)
        self.wfile.flush()
