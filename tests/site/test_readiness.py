"""Monitors and users are informed when the disk is full or the database rejects writes."""

import sqlite3

import pytest
from django.core.cache import cache
from django.db import OperationalError
from django.db.backends.base.base import BaseDatabaseWrapper
from django.test import Client

from studyplatform.kit.models import Tally
from studyplatform.kit.web.failures import is_out_of_space

pytestmark = pytest.mark.django_db


def full_database() -> OperationalError:
    """Return the error that Django raises when SQLite has no disk space."""
    cause = sqlite3.OperationalError("database or disk is full")
    cause.sqlite_errorcode = sqlite3.SQLITE_FULL
    error = OperationalError("database or disk is full")
    error.__cause__ = cause
    return error


def refuse(*_: object, **__: object) -> None:
    raise full_database()


def test_a_healthy_site_is_ready(client: Client) -> None:
    answer = client.get("/readyz")

    assert answer.status_code == 200
    assert answer.json() == {"status": "ok", "database": "ok", "storage": "ok"}


def test_without_disk_space_for_files_the_site_is_degraded(client: Client, settings) -> None:
    settings.DISK_RESERVE = 2**60

    answer = client.get("/readyz")

    assert answer.status_code == 200
    assert answer.json() == {"status": "degraded", "database": "ok", "storage": "full"}
    assert "There is no space for new files." in client.get("/status").content.decode()


def test_a_database_that_rejects_writes_is_reported(client: Client, monkeypatch) -> None:
    monkeypatch.setattr(type(Tally.objects.all()), "update_or_create", refuse)
    cache.clear()

    answer = client.get("/readyz")

    assert answer.status_code == 503
    assert answer.json()["database"] == "failed"
    assert "Nothing can be saved, so no one can sign in." in client.get("/status").content.decode()


def test_signing_in_on_a_full_disk_shows_an_error(client: Client, ada, monkeypatch) -> None:
    """No row can be written, neither the count of attempts nor the session nor a message."""
    from django.db.models.sql.compiler import SQLInsertCompiler, SQLUpdateCompiler

    client.get("/auth/login")
    monkeypatch.setattr(SQLInsertCompiler, "execute_sql", refuse)
    monkeypatch.setattr(SQLUpdateCompiler, "execute_sql", refuse)

    answer = client.post("/auth/login", {"email": ada.email, "password": "whatever it is"})

    assert answer.status_code == 507
    assert "The server is out of storage space" in answer.content.decode()


def test_every_page_shows_an_error_if_the_database_cannot_be_opened(ada, browser_of, monkeypatch) -> None:
    """To open a database, SQLite must create a file next to it."""
    client = browser_of(ada)
    client.raise_request_exception = False
    monkeypatch.setattr(BaseDatabaseWrapper, "cursor", lambda _: refuse())

    answers = [client.get(address) for address in ("/settings/storage", "/api/v1/storage/", "/courses/")]
    healthy = client.get("/healthz")

    assert [answer.status_code for answer in answers] == [507, 507, 507]
    assert all("The server is out of storage space" in answer.content.decode() for answer in answers)
    assert healthy.status_code == 503


def test_a_full_disk_is_recognized_from_every_kind_of_error() -> None:
    class DiskFull(Exception):
        sqlstate = "53100"

    postgresql = OperationalError("could not extend file")
    postgresql.__cause__ = DiskFull()

    assert is_out_of_space(full_database())
    assert is_out_of_space(postgresql)
    assert is_out_of_space(OSError(28, "No space left on device"))
    assert not is_out_of_space(OSError(2, "No such file"))
    assert not is_out_of_space(OperationalError("database is locked"))
