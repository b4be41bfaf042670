"""Secrets that are made at the first start and kept beside the data, where no setting gives them."""

import contextlib
import secrets
from collections.abc import Callable
from pathlib import Path


def random_secret() -> str:
    return secrets.token_urlsafe(48)


def badge_key() -> str:
    """A new key that signs badges (ES256), in PEM."""
    from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415 (on the first start only)
    from cryptography.hazmat.primitives.serialization import (  # noqa: PLC0415
        Encoding,
        NoEncryption,
        PrivateFormat,
    )

    key = ec.generate_private_key(ec.SECP256R1())
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode().strip()


def kept_secret(file: Path, make: Callable[[], str]) -> str:
    """Return what the file contains; made on the first start, readable by its owner only."""
    try:
        return file.read_text().strip()
    except FileNotFoundError:
        # Linked when it is complete: if two processes start at the same time, one makes it and both read it.
        fresh = file.with_name(f".{file.name}-{secrets.token_hex(4)}")
        fresh.touch(0o600)
        fresh.write_text(make())
        with contextlib.suppress(FileExistsError):
            file.hardlink_to(fresh)
        fresh.unlink()
        return file.read_text().strip()
