# ruff: noqa: S608 (the statements consist of constants)
"""The triggers that make the ledger append-only and keep it balanced (docs/adr/0022).

Rows of the ledger cannot be updated or deleted, a complete entry gets no further line, and an entry whose lines do not
add up to zero in each currency is refused: on PostgreSQL at the end of the transaction, on SQLite with its last line.
"""

from __future__ import annotations

from collections.abc import Iterator

from studyplatform.kit.db.triggers import Trigger

TABLES = ("billing_ledgeraccount", "billing_ledgerentry", "billing_ledgerline")
REFUSED = "the ledger is append-only"
UNBALANCED = "the lines of a ledger entry must add up to zero"
COMPLETE = "a ledger entry has other lines than it was posted with"

_FUNCTION = "CREATE OR REPLACE FUNCTION {{name}}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {body} END $$"
_RAISE = "RAISE EXCEPTION '{text}' USING ERRCODE = 'integrity_constraint_violation';"


def _on_postgresql() -> Iterator[Trigger]:
    refuse = _FUNCTION.format(body=_RAISE.format(text=REFUSED))
    for table in TABLES:
        yield Trigger(table, f"BEFORE UPDATE OR DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION {{name}}()", refuse)
        yield Trigger(table, f"BEFORE TRUNCATE ON {table} FOR EACH STATEMENT EXECUTE FUNCTION {{name}}()", refuse)
    for table, entry in (("billing_ledgerentry", "NEW.id"), ("billing_ledgerline", "NEW.entry_id")):
        body = f"""
            IF (SELECT COUNT(*) FROM billing_ledgerline WHERE entry_id = {entry})
                <> (SELECT line_count FROM billing_ledgerentry WHERE id = {entry})
            THEN {_RAISE.format(text=COMPLETE)} END IF;
            IF EXISTS (
                SELECT 1 FROM billing_ledgerline WHERE entry_id = {entry} GROUP BY currency HAVING SUM(amount) <> 0
            ) THEN {_RAISE.format(text=UNBALANCED)} END IF;
            RETURN NULL;"""
        deferred = f"AFTER INSERT ON {table} DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION {{name}}()"
        yield Trigger(table, deferred, _FUNCTION.format(body=body), is_constraint=True)


def _on_sqlite() -> Iterator[Trigger]:
    for table in TABLES:
        for event in ("UPDATE", "DELETE"):
            yield Trigger(table, f"BEFORE {event} ON {table} BEGIN SELECT RAISE(ABORT, '{REFUSED}'); END")
    # INSERT OR REPLACE deletes the former row without firing its triggers.
    twins = {
        "billing_ledgeraccount": "id = new.id OR code = new.code OR instructor_id = new.instructor_id",
        "billing_ledgerentry": "id = new.id OR key = new.key OR uid = new.uid OR (payment_key = new.payment_key"
        " AND item = new.item AND kind IN ('sale', 'subscription') AND new.kind IN ('sale', 'subscription'))",
        "billing_ledgerline": "id = new.id OR (entry_id = new.entry_id AND account_id = new.account_id"
        " AND currency = new.currency)",
    }
    for table, twin in twins.items():
        yield Trigger(
            table,
            f"BEFORE INSERT ON {table} WHEN EXISTS (SELECT 1 FROM {table} WHERE {twin})"
            f" BEGIN SELECT RAISE(ABORT, '{REFUSED}'); END",
        )
    lines = "SELECT COUNT(*) FROM billing_ledgerline WHERE entry_id = new.entry_id"
    wanted_lines = "SELECT line_count FROM billing_ledgerentry WHERE id = new.entry_id"
    yield Trigger(
        "billing_ledgerline",
        "AFTER INSERT ON billing_ledgerline BEGIN"
        f" SELECT RAISE(ABORT, '{COMPLETE}') WHERE ({lines}) > ({wanted_lines});"
        f" SELECT RAISE(ABORT, '{UNBALANCED}') WHERE ({lines}) = ({wanted_lines}) AND EXISTS (SELECT 1"
        " FROM billing_ledgerline WHERE entry_id = new.entry_id GROUP BY currency HAVING SUM(amount) <> 0);"
        " END",
    )


def wanted(vendor: str) -> Iterator[Trigger]:
    """The triggers for a database."""
    return _on_postgresql() if vendor == "postgresql" else _on_sqlite()
