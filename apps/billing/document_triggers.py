"""The triggers that keep documents as they were issued (docs/adr/0050): no change, no deletion, no replacement."""

from __future__ import annotations

from collections.abc import Iterator

from studyplatform.kit.db.triggers import Trigger

TABLE = "billing_document"
REFUSED = "a document that was issued cannot be changed"

_BODY = f"BEGIN RAISE EXCEPTION '{REFUSED}' USING ERRCODE = 'integrity_constraint_violation'; END"
_FUNCTION = f"CREATE OR REPLACE FUNCTION {{name}}() RETURNS trigger LANGUAGE plpgsql AS $$ {_BODY} $$"
_TWIN = (
    f"SELECT 1 FROM {TABLE} WHERE id = new.id OR uid = new.uid OR number = new.number OR fact = new.fact"  # noqa: S608
    " OR (kind = new.kind AND year = new.year AND position = new.position)"
)


def wanted(vendor: str) -> Iterator[Trigger]:
    """The triggers for a database."""
    if vendor == "postgresql":
        for event in ("UPDATE OR DELETE ON {table} FOR EACH ROW", "TRUNCATE ON {table} FOR EACH STATEMENT"):
            yield Trigger(TABLE, f"BEFORE {event.format(table=TABLE)} EXECUTE FUNCTION {{name}}()", _FUNCTION)
        return
    refuse = f"SELECT RAISE(ABORT, '{REFUSED}')"
    for event in ("UPDATE", "DELETE"):
        yield Trigger(TABLE, f"BEFORE {event} ON {TABLE} BEGIN {refuse}; END")
    # INSERT OR REPLACE deletes the former row without firing its triggers.
    yield Trigger(TABLE, f"BEFORE INSERT ON {TABLE} WHEN EXISTS ({_TWIN}) BEGIN {refuse}; END")
