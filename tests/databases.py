"""The tests' databases: the migrations run once, each test process gets a copy of the result."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
POSTGRES_TEMPLATE = "study_template"


def fingerprint() -> str:
    """A hash of all that decides what an empty database looks like: the Python code and the pinned packages."""
    total = hashlib.sha256()
    for file in sorted([*ROOT.glob("apps/**/*.py"), *ROOT.glob("studyplatform/**/*.py"), ROOT / "requirements.txt"]):
        total.update(f"{file.relative_to(ROOT)}\0".encode())
        total.update(file.read_bytes())
    return total.hexdigest()[:20]


@contextlib.contextmanager
def locked(name: str) -> Iterator[None]:
    """A lock between processes: one at a time runs the block, per name."""
    with (Path(tempfile.gettempdir()) / f"study-tests-{os.getuid()}-{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def point_to(name: str) -> None:
    """Make Django's connection use the database of this name (SQLite: a path) from now on."""
    from django.conf import settings
    from django.db import connection

    connection.close()
    settings.DATABASES["default"]["NAME"] = connection.settings_dict["NAME"] = name


def migrate() -> None:
    """Create all tables in the database that the connection points to."""
    from django.core.management import call_command
    from django.db import connection

    call_command("migrate", run_syncdb=True, verbosity=0)
    connection.close()  # a template must have no client, and SQLite merges its journal on close


@contextlib.contextmanager
def sqlite(name: str) -> Iterator[None]:
    """A SQLite file for one test process: a copy of a template, which is kept until the code changes."""
    state = fingerprint()
    folder = Path(tempfile.gettempdir()) / f"study-tests-{os.getuid()}"
    template = folder / f"{state}.sqlite3"
    with locked("sqlite"):
        if not template.exists():
            folder.mkdir(exist_ok=True)
            for old in sorted(folder.glob("*.sqlite3*"), key=lambda file: file.stat().st_mtime)[:-4]:
                old.unlink()
            unfinished = folder / f"{state}.part"
            unfinished.unlink(missing_ok=True)
            point_to(str(unfinished))
            migrate()
            unfinished.rename(template)
        copy = Path(os.environ["DATA_DIR"]) / f"test-{name}.sqlite3"
        shutil.copyfile(template, copy)
    point_to(str(copy))
    yield


@contextlib.contextmanager
def postgresql(name: str, params: dict[str, Any]) -> Iterator[None]:
    """A PostgreSQL database for one test process: a copy of a template that the first process makes.

    ``params`` lead to the server, as psycopg's ``connect`` takes them.
    """
    import psycopg
    from psycopg import sql

    own, template = sql.Identifier(f"test_{name}"), sql.Identifier(POSTGRES_TEMPLATE)
    with psycopg.connect(**params, autocommit=True) as server:
        with locked(f"postgresql-{params['port']}"):
            row = server.execute(
                "SELECT datistemplate FROM pg_database WHERE datname = %s", [POSTGRES_TEMPLATE]
            ).fetchone()
            if row is None or not row[0]:  # a template that is not marked as one was never finished
                server.execute(sql.SQL("DROP DATABASE IF EXISTS {}").format(template))
                server.execute(sql.SQL("CREATE DATABASE {}").format(template))
                point_to(POSTGRES_TEMPLATE)
                migrate()
                server.execute(sql.SQL("ALTER DATABASE {} IS_TEMPLATE true").format(template))
            server.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(own))
            server.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(own, template))
        point_to(f"test_{name}")
        yield


@contextlib.contextmanager
def prepared(process: str) -> Iterator[None]:
    """An empty database with all tables for the test process of this name, on whichever server the settings name."""
    from django.db import connection

    before = connection.settings_dict["NAME"]
    if connection.vendor == "sqlite":
        made = sqlite(process)
    else:
        wanted = ("HOST", "PORT", "USER", "PASSWORD", "NAME")
        names = {"USER": "user", "PASSWORD": "password", "HOST": "host", "PORT": "port", "NAME": "dbname"}
        made = postgresql(process, {names[key]: connection.settings_dict[key] for key in wanted})
    with made:
        yield
    point_to(before)
