"""Authenticators in Python: the codes of an app, and a passkey device that a test can make lie."""

import base64
import hashlib
import json
import secrets
import struct
from dataclasses import dataclass, field
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.twofactor.totp import TOTP
from fido2 import cbor
from fido2.cose import ES256
from fido2.utils import websafe_decode, websafe_encode

ORIGIN = "http://localhost:8000"


def app_code(secret: str, moment: float) -> str:
    """Return the six digits that an authenticator app shows at ``moment`` (seconds since 1970)."""
    app = TOTP(base64.b32decode(secret), 6, hashes.SHA1(), 30, enforce_key_length=False)  # noqa: S303 (what apps use)
    return app.generate(int(moment)).decode()


@dataclass
class Authenticator:
    """Holds one passkey. A test makes it lie by changing one of its fields."""

    origin: str = ORIGIN
    party: str = "localhost"
    verifies: bool = True
    counter: int = 0
    id: bytes = field(default_factory=lambda: secrets.token_bytes(16))
    handle: bytes = b""
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))

    def register(self, options: dict[str, Any]) -> dict[str, Any]:
        """Return the response to ``navigator.credentials.create``."""
        public_key = options["publicKey"]
        self.handle = websafe_decode(public_key["user"]["id"])
        public = cbor.encode(dict(ES256.from_cryptography_key(self.key.public_key())))
        attested = b"\0" * 16 + struct.pack(">H", len(self.id)) + self.id + public
        data = self._data(0x40) + attested
        return self._answer(
            clientDataJSON=self._client("webauthn.create", public_key["challenge"]),
            attestationObject=cbor.encode({"fmt": "none", "attStmt": {}, "authData": data}),
        )

    def authenticate(self, options: dict[str, Any]) -> dict[str, Any]:
        """Return the response to ``navigator.credentials.get`` and increase the counter."""
        self.counter += 1
        client = self._client("webauthn.get", options["publicKey"]["challenge"])
        data = self._data(0)
        signature = self.key.sign(data + hashlib.sha256(client).digest(), ec.ECDSA(hashes.SHA256()))
        return self._answer(clientDataJSON=client, authenticatorData=data, signature=signature, userHandle=self.handle)

    def _data(self, flags: int) -> bytes:
        seen = 0x01 | (0x04 if self.verifies else 0)
        return hashlib.sha256(self.party.encode()).digest() + struct.pack(">BI", flags | seen, self.counter)

    def _client(self, kind: str, challenge: str) -> bytes:
        return json.dumps({"type": kind, "challenge": challenge, "origin": self.origin}).encode()

    def _answer(self, **response: bytes) -> dict[str, Any]:
        name = websafe_encode(self.id)
        return {
            "id": name,
            "rawId": name,
            "type": "public-key",
            "response": {key: websafe_encode(value) for key, value in response.items()},
            "clientExtensionResults": {},
        }
