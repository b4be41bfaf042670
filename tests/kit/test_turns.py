"""What takes much memory waits its turn."""

from contextlib import ExitStack

import pytest

from apps.accounts import passwords
from studyplatform.kit.errors import RateLimitExceeded
from studyplatform.kit.turns import Turns


def test_who_waits_too_long_is_asked_to_come_back() -> None:
    turns = Turns(2, patience=0.01)
    with ExitStack() as busy:
        for _ in range(2):
            busy.enter_context(turns.turn())
        with pytest.raises(RateLimitExceeded), turns.turn():
            pass

    with turns.turn():
        pass


def test_passwords_are_hashed_and_checked_in_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    turns = Turns(1, patience=0.01)
    hasher = passwords.PatientArgon2()
    encoded = hasher.encode("a password", "a salt of it")
    monkeypatch.setattr(passwords, "_hashing", turns)

    assert hasher.verify("a password", encoded)
    with turns.turn():
        with pytest.raises(RateLimitExceeded):
            hasher.verify("a password", encoded)
        with pytest.raises(RateLimitExceeded):
            hasher.encode("a password", "a salt of it")
