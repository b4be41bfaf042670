"""Providers for tests, each over real HTTP: an honest OpenID Connect provider in its own process
(oidc-provider-mock), one that lies as a test configures it, and one that behaves like GitHub."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

import jwt
import requests
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from studyplatform.settings.parts.social import SignInProvider
from tests import servers

CLIENT = "study-platform"


def configured(issuer: str, slug: str = "school", title: str = "Field School") -> SignInProvider:
    return SignInProvider(slug=slug, title=title, issuer=issuer, client_id=CLIENT, client_secret="a-secret")


@contextlib.contextmanager
def honest(*arguments: str, port: int = 0) -> Iterator[str]:
    """Run a provider in its own process and yield its issuer."""
    port = port or servers.free_port()
    command = [sys.executable, "-m", "oidc_provider_mock", "--port", str(port), "--require-nonce", "true", *arguments]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    issuer = f"http://127.0.0.1:{port}"
    try:
        deadline = time.monotonic() + 60
        while True:
            try:
                requests.get(f"{issuer}/.well-known/openid-configuration", timeout=2).raise_for_status()
                break
            except requests.RequestException:
                assert process.poll() is None, "the provider ended"
                assert time.monotonic() < deadline, "the provider does not answer"
                time.sleep(0.1)
        yield issuer
    finally:
        process.terminate()
        process.wait(10)


def register_user(issuer: str, sub: str, **claims: Any) -> None:
    """Register a user at the provider."""
    requests.put(f"{issuer}/users/{quote(sub)}", json=claims, timeout=5).raise_for_status()


def consent(address: str, sub: str) -> str:
    """Press "Authorize" at the provider and return the address that it redirects to."""
    answer = requests.post(address, data={"sub": sub}, allow_redirects=False, timeout=10)
    assert answer.status_code == 302, answer.text
    return answer.headers["Location"]


@cache
def _keys() -> tuple[rsa.RSAPrivateKey, rsa.RSAPrivateKey]:
    first, second = (rsa.generate_private_key(public_exponent=65537, key_size=2048) for _ in range(2))
    return first, second


class LyingProvider:
    """A provider whose ID token has the claims that ``lie`` returns; other lies are attributes."""

    def __init__(self) -> None:
        self.key, self.other_key = _keys()
        self.sign: Callable[[dict[str, Any]], str] = self.sign_honestly
        self.lie: Callable[[dict[str, Any]], dict[str, Any]] = dict
        self.userinfo: dict[str, Any] = {"sub": "mia-77", "email": "mia@school.example", "email_verified": True}
        self.config: dict[str, Any] = {}
        self.broken: dict[str, tuple[int, bytes]] = {}
        self.nonces: dict[str, str] = {}
        self.received_forms: list[dict[str, list[str]]] = []
        self.issuer = ""

    def sign_honestly(self, claims: dict[str, Any]) -> str:
        return jwt.encode(claims, self.key, "RS256", headers={"kid": "one"})

    @property
    def public_pem(self) -> bytes:
        form = serialization.PublicFormat.SubjectPublicKeyInfo
        return self.key.public_key().public_bytes(serialization.Encoding.PEM, form)

    def authorize(self, address: str) -> str:
        """Consent as the user and return the address that the browser is sent to."""
        query = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        code = f"code-{len(self.nonces)}"
        self.nonces[code] = query["nonce"]
        return f"{query['redirect_uri']}?code={code}&state={query['state']}"

    def answer(self, path: str, form: dict[str, list[str]], token: str) -> tuple[int, bytes]:
        if path in self.broken:
            return self.broken[path]
        found: dict[str, Any] = {}
        match path:
            case "/.well-known/openid-configuration":
                names = {"authorization_endpoint": "/auth", "token_endpoint": "/token", "jwks_uri": "/jwks"}
                found = {name: self.issuer + place for name, place in names.items()}
                found |= {"issuer": self.issuer, "userinfo_endpoint": f"{self.issuer}/userinfo", **self.config}
            case "/jwks":
                key = jwt.algorithms.RSAAlgorithm.to_jwk(self.key.public_key(), as_dict=True)
                found = {"keys": [{**key, "kid": "one", "use": "sig", "alg": "RS256"}]}
            case "/token":
                self.received_forms.append(form)
                now = int(time.time())
                claims = {"iss": self.issuer, "aud": CLIENT, "sub": "mia-77", "iat": now, "exp": now + 60}
                claims |= {"nonce": self.nonces[form["code"][0]]}
                found = {"access_token": "a", "token_type": "Bearer", "id_token": self.sign(self.lie(claims))}
            case "/userinfo":
                found = self.userinfo
        return 200, json.dumps(found).encode()


class GitHubProvider:
    """GitHub's three responses: a token for a code, the user, and the user's emails. Tests change them."""

    def __init__(self) -> None:
        self.user: dict[str, Any] = {"id": 4711, "login": "mia-hub", "name": "Mia Moss", "email": None}
        self.emails: Any = [
            {"email": "123+mia-hub@users.noreply.github.com", "primary": False, "verified": True, "visibility": None},
            {"email": "Mia@Hub.example", "primary": True, "verified": True, "visibility": "private"},
        ]
        self.broken: dict[str, tuple[int, Any]] = {}
        self.codes: dict[str, str] = {}
        self.tokens: list[str] = []
        self.issuer = ""

    def authorize(self, address: str, **more: str) -> str:
        """Consent as the user and return the address that the browser is sent to."""
        query = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()} | more
        code = f"code-{len(self.codes)}"
        self.codes[code] = query["redirect_uri"]
        return f"{query['redirect_uri']}?code={code}&state={query['state']}"

    def answer(self, path: str, form: dict[str, list[str]], token: str) -> tuple[int, bytes]:
        status, found = self.broken.get(path) or self._answer_honestly(path, form, token)
        return status, json.dumps(found).encode()

    def _answer_honestly(self, path: str, form: dict[str, list[str]], token: str) -> tuple[int, Any]:
        if path == "/login/oauth/access_token":
            secret, place = form.get("client_secret"), self.codes.pop(form["code"][0], None)
            if secret != ["a-secret"] or form.get("redirect_uri") != [place]:  # GitHub refuses with a 200
                return 200, {"error": "bad_verification_code", "error_description": "The code is incorrect."}
            self.tokens.append(f"gho_{len(self.tokens)}")
            return 200, {"access_token": self.tokens[-1], "token_type": "bearer", "scope": "user:email"}
        if token.removeprefix("token ") not in self.tokens:
            return 401, {"message": "Bad credentials"}
        return 200, self.user if path == "/user" else self.emails


@contextlib.contextmanager
def lying() -> Iterator[LyingProvider]:
    with _serving(LyingProvider()) as liar:
        yield liar


@contextlib.contextmanager
def hub() -> Iterator[GitHubProvider]:
    with _serving(GitHubProvider()) as one:
        yield one


@contextlib.contextmanager
def _serving(provider: Any) -> Iterator[Any]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            form = parse_qs(self.rfile.read(length).decode())
            status, body = provider.answer(self.path, form, self.headers.get("Authorization", ""))
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET  # noqa: N815

        def log_message(self, *arguments: object) -> None:
            """Log nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    provider.issuer = f"http://127.0.0.1:{server.server_port}"
    # The argument is the number of seconds between checks for the shutdown.
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
