"""What takes much memory waits its turn."""

from contextlib import ExitStack
from datetime import UTC, datetime
from typing import Any

import pytest
from django.contrib.auth import hashers
from django.contrib.auth.tokens import default_token_generator
from django.db import connection
from django.utils.module_loading import import_string

from apps.accounts import passwords, services
from apps.accounts.models import User
from studyplatform.kit.concurrency import ConcurrencyLimit
from studyplatform.kit.errors import RateLimitExceeded
from studyplatform.settings.parts import auth
from tests.factories.accounts import PASSWORD

NOW = datetime(2026, 3, 14, 9, 0, tzinfo=UTC)


def test_a_request_that_waits_too_long_is_refused() -> None:
    turns = ConcurrencyLimit(2, max_wait=0.01)
    with ExitStack() as busy:
        for _ in range(2):
            busy.enter_context(turns.slot())
        with pytest.raises(RateLimitExceeded), turns.slot():
            pass

    with turns.slot():
        pass


def test_few_passwords_are_hashed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    turns = ConcurrencyLimit(1, max_wait=0.01)
    hasher = passwords.QueuedArgon2()
    encoded = hasher.encode("a password", "a salt of it")
    monkeypatch.setattr(passwords, "_hashing", turns)

    assert hasher.verify("a password", encoded)
    with turns.slot():
        with pytest.raises(RateLimitExceeded):
            hasher.verify("a password", encoded)
        with pytest.raises(RateLimitExceeded):
            hasher.encode("a password", "a salt of it")


@pytest.mark.database
@pytest.mark.django_db
def test_a_password_refused_under_load_is_not_a_failed_attempt(
    leo: User, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.PASSWORD_HASHERS = ["apps.accounts.passwords.QueuedArgon2"]
    leo.set_password(PASSWORD)
    leo.save()
    turns = ConcurrencyLimit(1, max_wait=0.01)
    monkeypatch.setattr(passwords, "_hashing", turns)

    with turns.slot():
        for _ in range(6):
            with pytest.raises(RateLimitExceeded):
                services.verify_password(email=leo.email, password=PASSWORD, now=NOW)

    assert services.verify_password(email=leo.email, password=PASSWORD, now=NOW) == leo


@pytest.mark.database
@pytest.mark.django_db
def test_passwords_are_not_hashed_while_the_database_is_locked(leo: User, monkeypatch: pytest.MonkeyPatch) -> None:
    held: list[list[str | None]] = []
    real = hashers.MD5PasswordHasher.encode

    def encode(self: hashers.MD5PasswordHasher, password: str, salt: str) -> str:
        held.append(list(connection.savepoint_ids))  # transactions inside that of the test
        return real(self, password, salt)

    monkeypatch.setattr(hashers.MD5PasswordHasher, "encode", encode)
    services.change_password(user=leo, current=PASSWORD, password="Another1Word", browser="", now=NOW)
    token = default_token_generator.make_token(leo)
    assert services.reset_password(uid=leo.uid, token=token, password="Third1Word", now=NOW)

    assert User.objects.get(pk=leo.pk).check_password("Third1Word")
    assert held
    assert not any(held)


def test_the_site_uses_the_limited_hasher() -> None:
    """The other tests use a faster one."""
    assert import_string(auth.PASSWORD_HASHERS[0]) is passwords.QueuedArgon2
