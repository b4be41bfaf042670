"""Codes of gifts: random, easy to read out and to type."""

import hashlib
import secrets
import unicodedata

_LETTERS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"  # 32, without those that look alike: five bits each
_LENGTH = 20
_GROUP = 4
_MAX_TYPED_LENGTH = 80
_MISREAD = str.maketrans({"1": "L", "I": "L", "0": "Q", "O": "Q"})
"""What people type for letters of a code that they misread."""


def new_gift_code() -> str:
    """Return a code of 100 random bits, in groups: "7F4K-…"."""
    return show_gift_code("".join(secrets.choice(_LETTERS) for _ in range(_LENGTH)))


def show_gift_code(code: str) -> str:
    """Return a code in groups of four."""
    return "-".join(code[start : start + _GROUP] for start in range(0, len(code), _GROUP))


def tidy_gift_code(text: str) -> str:
    """Return what was typed as the letters of a code, in any case, with any separators; "" if it can't be one."""
    if len(text) > _MAX_TYPED_LENGTH:
        return ""
    folded = unicodedata.normalize("NFKC", text).upper()
    letters = "".join(char for char in folded if char.isalnum()).translate(_MISREAD)
    return letters if len(letters) == _LENGTH and set(letters) <= set(_LETTERS) else ""


def hash_gift_code(text: str) -> str:
    """Return the hash by which a code is stored and found; "" if the text can't be a code."""
    letters = tidy_gift_code(text)
    return hashlib.sha256(f"gift {letters}".encode()).hexdigest() if letters else ""
