"""The tests' databases: the tables are created once, each test process gets a copy of the result."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
POSTGRES_TEMPLATE = "study_template"
MAX_TEMPLATES = 12  # SQLite files that are kept, for all checkouts of a user together


IMPORT = re.compile(r"^\s*(?:from|import) ((?:apps|studyplatform)[\w.]*)(?: import (\([^)]*\)|.*))?", re.MULTILINE)


def imported_files(source: bytes) -> set[Path]:
    """The project's own files that Python code imports by name."""
    names = set()
    for module, imported in IMPORT.findall(source.decode()):
        names |= {module, *(f"{module}.{word}" for word in re.findall(r"\w+", imported))}
    modules = {ROOT / name.replace(".", "/") for name in names}
    places = {place for module in modules for place in (module.with_suffix(".py"), module / "__init__.py")}
    return {place for place in places if place.exists()}


def schema_files() -> list[Path]:
    """The files that make a new database what it is: models, migrations, what they import, and the pinned packages.

    Only direct imports count: what lies behind them computes rows, and a new database has none.
    """
    from django.apps import apps

    folders = ("apps", "studyplatform")
    defining = {Path(str(sys.modules[model.__module__].__file__)) for model in apps.get_models()}
    defining = {file for file in defining if file.is_relative_to(ROOT) and file.relative_to(ROOT).parts[0] in folders}
    defining |= {file for folder in folders for file in ROOT.glob(f"{folder}/**/migrations/*.py")}
    imported = {file for source in defining for file in imported_files(source.read_bytes())}
    own = [ROOT / "studyplatform" / "kit" / "db" / "new_database.py", ROOT / "tests" / "sqlite_lengths" / "base.py"]
    return sorted({*defining, *imported, *own, ROOT / "requirements.txt"})


def hash_schema() -> str:
    """A hash of everything that decides what a new database looks like.

    Besides the files: the triggers, which belong to no migration, and the names that Django writes into its tables of
    content types and permissions.
    """
    from django.apps import apps
    from django.conf import settings
    from django.db import connection

    from studyplatform.kit.db import triggers

    total = hashlib.sha256()
    for file in schema_files():
        total.update(f"{file.relative_to(ROOT)}\0".encode())
        total.update(file.read_bytes())
    named = [repr((settings.INSTALLED_APPS, settings.MIGRATION_MODULES, getattr(settings, "SITE_ID", None)))]
    named += [
        repr((options.label, str(options.verbose_name_raw), options.default_permissions, options.permissions))
        for options in sorted((model._meta for model in apps.get_models()), key=lambda meta: meta.label)
    ]
    named += [
        f"{each.table} {each.name(group.prefix)}"
        for group in triggers.registered.ordered()
        for each in group.wanted(connection.vendor)
    ]
    total.update("\n".join(named).encode())
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


def create_tables() -> None:
    """Create all tables in the database that the connection points to."""
    from django.db import connection

    from studyplatform.kit.db import new_database

    new_database.create_tables()
    connection.close()  # a template must have no client, and SQLite merges its journal on close


@contextlib.contextmanager
def sqlite(name: str) -> Iterator[None]:
    """A SQLite file for one test process: a copy of a template, which is kept until the schema changes."""
    state = hash_schema()
    folder = Path(tempfile.gettempdir()) / f"study-tests-{os.getuid()}"
    template = folder / f"{state}.sqlite3"
    with locked("sqlite"):
        if not template.exists():
            folder.mkdir(exist_ok=True)
            for old in sorted(folder.glob("*.sqlite3*"), key=lambda file: file.stat().st_mtime)[:-MAX_TEMPLATES]:
                old.unlink()
            unfinished = folder / f"{state}.part"
            unfinished.unlink(missing_ok=True)
            point_to(str(unfinished))
            create_tables()
            unfinished.rename(template)
        template.touch()
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
                create_tables()
                server.execute(sql.SQL("ALTER DATABASE {} IS_TEMPLATE true").format(template))
            server.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(own))
            server.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(own, template))
        point_to(f"test_{name}")
        yield


@contextlib.contextmanager
def without_tables(name: str) -> Iterator[None]:
    """Let the connection point to a new database without any table, of this name, while the block runs."""
    import psycopg
    from django.db import connection
    from psycopg import sql

    before = connection.settings_dict["NAME"]
    if connection.vendor == "sqlite":
        with tempfile.TemporaryDirectory(prefix="study-tests-") as folder:
            point_to(f"{folder}/{name}.sqlite3")
            try:
                yield
            finally:
                point_to(before)
        return
    own = sql.Identifier(f"{before}_{name}")
    params = {key: connection.get_connection_params()[key] for key in ("host", "port", "user", "dbname")}
    with psycopg.connect(**params, autocommit=True) as server:
        server.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(own))
        server.execute(sql.SQL("CREATE DATABASE {}").format(own))
        point_to(f"{before}_{name}")
        try:
            yield
        finally:
            point_to(before)
            server.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(own))


@contextlib.contextmanager
def prepared(process: str) -> Iterator[None]:
    """A new database with all tables for the test process of this name, on whichever server the settings name."""
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
