"""An OpenAI-compatible address that hears and translates, and can fail in every way.

``python -m tests.files.speech_standin PORT`` serves it; tests run it in a thread. ``behaviors`` says what it does with
the next requests, ``behavior`` with those after them.
"""

import contextlib
import email.policy
import json
import sys
import threading
from collections.abc import Callable, Iterator
from email.parser import BytesParser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

SEGMENTS: dict[str, list[Any]] = {
    "answer": [
        {"start": 0.0, "end": 1.2, "text": " Light bends."},
        {"start": 1.4, "end": 2.6, "text": " Always and everywhere."},
    ],
    "unkind times": [
        {"start": 2.0, "end": 2.9, "text": "third"},
        {"start": -5, "end": 0.9, "text": "first"},
        {"start": 1.0, "end": 0.2, "text": "second"},
        {"start": 1.1, "end": 99, "text": "and a half"},
        {"start": 500, "end": 501, "text": "after the end"},
        {"start": None, "end": 1, "text": "no time"},
        {"start": 1e400, "end": 1, "text": "infinite"},
        {"start": 1, "end": 2, "text": 7},
        "no segment",
    ],
    "stuck": [{"start": at / 10, "end": at / 10 + 0.1, "text": "Thank you."} for at in range(1000)],
    "invented": [{"start": 0, "end": 3, "text": "Subscribe!", "no_speech_prob": 0.95, "avg_logprob": -1.6}],
    "nothing": [],
}
STRANGE: dict[str, bytes] = {
    "html": b"<!doctype html><h1>Welcome to nginx</h1>",
    "list": b"[1, 2]",
    "null": b"null",
    "deep": b"[" * 100_000,
    "empty": b"",
    "other object": b'{"error": null}',
    "segments of texts": b'{"segments": ["a", "b"]}',
}


class SpeechStandin:
    """``requests``: path, key and fields of each; ``files``: the sounds that were sent."""

    def __init__(self) -> None:
        self.port = 0
        self.reset()

    def reset(self) -> None:
        self.behavior, self.behaviors = "answer", list[str]()
        self.language = "english"
        self.most_bytes = 25 * 2**20
        self.requests: list[dict[str, Any]] = []
        self.files: list[bytes] = []
        self.leave = threading.Event()
        self.translate: Callable[[list[str]], Any] = lambda texts: [f"«{text}»" for text in texts]

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @contextlib.contextmanager
    def serving(self, port: int = 0) -> Iterator["SpeechStandin"]:
        standin = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                with contextlib.suppress(ConnectionError):
                    standin._answer(self)

            def log_message(self, *_: Any) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        server.daemon_threads = True
        self.port = server.server_address[1]
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        try:
            yield self
        finally:
            self.leave.set()
            server.shutdown()
            server.server_close()

    def _answer(self, request: BaseHTTPRequestHandler) -> None:
        body = request.rfile.read(int(request.headers.get("Content-Length") or 0)) or _read_chunks(request)
        fields = self._read_fields(request, body)
        self.requests.append({"path": request.path, "key": request.headers.get("Authorization", ""), **fields})
        behavior = self.behaviors.pop(0) if self.behaviors else self.behavior
        if behavior == "answer" and self.files and len(self.files[-1]) > self.most_bytes:
            behavior = "413"
        if behavior.isdigit():
            more = {"Retry-After": "40"} if behavior == "429" else {}
            _send(request, int(behavior), b'{"error": {"message": "no, secret-key"}}', more)
        elif behavior in STRANGE:
            _send(request, 200, STRANGE[behavior])
        elif behavior == "redirect":
            _send(request, 302, b"", {"Location": "http://169.254.169.254/"})
        elif behavior == "drop":
            request.connection.close()
        elif behavior == "silent":
            self.leave.wait(600)
        elif behavior == "endless":
            request.send_response(200)
            request.end_headers()
            while not self.leave.is_set():
                request.wfile.write(b" " * 65536)
        elif request.path.endswith("/chat/completions"):
            texts = json.loads(fields["messages"][-1]["content"])["captions"]
            found = self.translate(texts)
            content = found if isinstance(found, str) else json.dumps({"captions": found})
            _send(request, 200, json.dumps({"choices": [{"message": {"content": content}}]}).encode())
        elif behavior == "text only":
            _send(request, 200, json.dumps({"text": "Light bends. Always and everywhere."}).encode())
        else:
            answer = {"language": self.language, "text": "…", "segments": SEGMENTS[behavior]}
            _send(request, 200, json.dumps(answer).encode())

    def _read_fields(self, request: BaseHTTPRequestHandler, body: bytes) -> dict[str, Any]:
        kind = request.headers.get("Content-Type", "")
        if not kind.startswith("multipart/"):
            return dict(json.loads(body))
        head = f"Content-Type: {kind}\r\n\r\n".encode()
        fields: dict[str, Any] = {}
        for part in BytesParser(policy=email.policy.HTTP).parsebytes(head + body).iter_parts():
            name = str(part.get_param("name", header="content-disposition"))
            value = part.get_payload(decode=True)
            if part.get_filename():
                self.files.append(bytes(value))
            else:
                fields[name] = value.decode()
        return fields


def _read_chunks(request: BaseHTTPRequestHandler) -> bytes:
    if request.headers.get("Transfer-Encoding") != "chunked":
        return b""
    body = b""
    while size := int(request.rfile.readline(), 16):
        body += request.rfile.read(size)
        request.rfile.readline()
    return body


def _send(request: BaseHTTPRequestHandler, status: int, body: bytes, more: dict[str, str] | None = None) -> None:
    request.send_response(status)
    for name, value in {"Content-Length": str(len(body)), "Connection": "close", **(more or {})}.items():
        request.send_header(name, value)
    request.end_headers()
    request.wfile.write(body)


if __name__ == "__main__":
    with SpeechStandin().serving(int(sys.argv[1])) as serving:
        sys.stdout.write(f"TRANSCRIPTION_URL={serving.address} TUTOR_URL={serving.address} TUTOR_MODEL=standin\n")
        sys.stdout.flush()
        threading.Event().wait()
