"""One SQLite file that holds everything: objects, events to deliver, idempotent answers, work that becomes due.

All that one call changes is one transaction, so ``kill -9`` at any moment leaves the state before the call or after it.
"""

import json
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from apps.billing.standin.errors import Json

_TABLES = """
CREATE TABLE IF NOT EXISTS objects(
    seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, account TEXT NOT NULL, kind TEXT NOT NULL,
    created INTEGER NOT NULL, body TEXT NOT NULL, UNIQUE(id, account));
CREATE INDEX IF NOT EXISTS objects_kind ON objects(kind, account, created, seq);
CREATE TABLE IF NOT EXISTS due(
    seq INTEGER PRIMARY KEY AUTOINCREMENT, moment INTEGER NOT NULL, work TEXT NOT NULL, id TEXT NOT NULL,
    account TEXT NOT NULL, UNIQUE(work, id, account));
CREATE INDEX IF NOT EXISTS due_moment ON due(moment, seq);
CREATE TABLE IF NOT EXISTS answers(
    key TEXT PRIMARY KEY, request TEXT NOT NULL, status INTEGER NOT NULL, body TEXT NOT NULL, request_id TEXT NOT NULL,
    moment INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS deliveries(
    seq INTEGER PRIMARY KEY AUTOINCREMENT, event TEXT NOT NULL, endpoint TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0, next REAL NOT NULL DEFAULT 0, times INTEGER NOT NULL DEFAULT 1,
    UNIQUE(event, endpoint));
CREATE TABLE IF NOT EXISTS meta(name TEXT PRIMARY KEY, value TEXT NOT NULL);
"""
# The fields that lists are filtered by and that many objects have.
_INDEXED = ("customer", "payment_intent", "subscription", "invoice", "lookup_key", "code")
_VERSION = 2


def dump(value: Json) -> str:
    """JSON as it is stored."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


class Store:
    """The file, or memory if there is no folder. One connection; its lock makes all calls run one after the other."""

    def __init__(self, folder: Path | None) -> None:
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
        path = ":memory:" if folder is None else str(folder / "standin.sqlite3")
        self.lock = threading.RLock()
        self.db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self.db.execute("PRAGMA journal_mode=WAL")
        self.db.execute("PRAGMA synchronous=NORMAL")
        self._create()

    def _create(self) -> None:
        self.db.executescript(_TABLES)
        for field in _INDEXED:
            self.db.execute(
                f"CREATE INDEX IF NOT EXISTS objects_{field} ON objects(kind, json_extract(body, '$.{field}'))"
                f" WHERE json_extract(body, '$.{field}') IS NOT NULL"
            )
        if "times" not in {row[1] for row in self.db.execute("PRAGMA table_info(deliveries)")}:  # a file of version 1
            self.db.execute("ALTER TABLE deliveries ADD COLUMN times INTEGER NOT NULL DEFAULT 1")
        self.db.execute("INSERT OR REPLACE INTO meta VALUES('version', ?)", [str(_VERSION)])

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Everything inside happens, or nothing does."""
        with self.lock:
            self.db.execute("BEGIN IMMEDIATE")
            try:
                yield self.db
            except BaseException:
                self.db.execute("ROLLBACK")
                raise
            self.db.execute("COMMIT")

    def meta(self, name: str, default: str = "") -> str:
        """A value of the stand-in itself, e.g. the offset of its clock."""
        with self.lock:
            row = self.db.execute("SELECT value FROM meta WHERE name=?", [name]).fetchone()
        return row[0] if row else default

    def set_meta(self, name: str, value: str) -> None:
        """Store such a value."""
        with self.lock:
            self.db.execute("INSERT OR REPLACE INTO meta VALUES(?, ?)", [name, value])

    def clear(self) -> None:
        """Forget everything."""
        with self.transaction() as db:
            for table in ("objects", "due", "answers", "deliveries", "meta"):
                db.execute(f"DELETE FROM {table}")  # noqa: S608

    def close(self) -> None:
        """Close the file."""
        with self.lock:
            self.db.close()
