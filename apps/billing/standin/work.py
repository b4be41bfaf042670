"""One unit of work: the objects that a call or a due moment reads and changes, and the events it causes."""

import json
import secrets
import sqlite3
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from apps.billing.standin.errors import Json, missing
from apps.billing.standin.keys import ACCOUNT, API_VERSION
from apps.billing.standin.presenting import public
from apps.billing.standin.store import dump

if TYPE_CHECKING:
    from apps.billing.standin.standin import Standin

# Prefixes of ids, by kind of object.
PREFIXES = {
    "customer": "cus", "product": "prod", "price": "price", "payment_method": "pm", "setup_intent": "seti",
    "payment_intent": "pi", "charge": "ch", "balance_transaction": "txn", "refund": "re", "dispute": "du",
    "subscription": "sub", "subscription_item": "si", "invoice": "in", "line_item": "il", "invoiceitem": "ii",
    "invoice_payment": "inpay", "discount": "di", "promotion_code": "promo", "event": "evt", "webhook_endpoint": "we",
    "account": "acct", "bank_account": "ba", "transfer": "tr", "transfer_reversal": "trr", "payout": "po",
    "topup": "tu", "radar.early_fraud_warning": "issfr",
}  # fmt: skip


class Work:
    """Reads and writes within one transaction. An object read twice is the same dictionary; ``save`` writes it.

    ``account`` is the connected account that the call acts for ("" is the platform), ``now`` its time in seconds.
    """

    def __init__(self, standin: "Standin", db: sqlite3.Connection, now: int, account: str = "") -> None:
        self.standin = standin
        self.db = db
        self.now = now
        self.account = account
        self.request: Json = {"id": None, "idempotency_key": None}
        self._loaded: dict[tuple[str, str], Json] = {}
        self._before: dict[tuple[str, str], Json] = {}
        self._events = 0

    # --- Objects ----------------------------------------------------------------------------------

    def new(self, kind: str, values: Json, *, id: str | None = None) -> Json:
        """Store a new object with the fields that all of Stripe's objects have."""
        made: Json = {
            "id": id or f"{PREFIXES[kind]}_{secrets.token_hex(12)}",
            "object": kind,
            "created": self.now,
            "livemode": False,
            "metadata": {},
        }
        made |= values
        self.db.execute(
            "INSERT INTO objects(id, account, kind, created, body) VALUES(?, ?, ?, ?, ?)",
            [made["id"], self.account, kind, made["created"], dump(made)],
        )
        self._loaded[made["id"], self.account] = made
        return made

    def find(self, id: str | None, kind: str | None = None) -> Json | None:
        """The object with this id, or None."""
        if not id:
            return None
        if (found := self._loaded.get((id, self.account))) is None:
            row = self.db.execute("SELECT body FROM objects WHERE id=? AND account=?", [id, self.account]).fetchone()
            if row is None:
                return None
            found = self._loaded[id, self.account] = json.loads(row[0])
            self._before[id, self.account] = json.loads(row[0])
        return found if kind in {None, found["object"]} else None

    def get(self, id: str | None, kind: str, param: str = "id") -> Json:
        """The object with this id.

        :raises ApiError: it does not exist, or is of another kind.
        """
        if (found := self.find(id, kind)) is None:
            raise missing(kind.replace("_", " ") if kind != "payment_intent" else kind, str(id), param)
        return found

    def save(self, one: Json) -> Json:
        """Write an object that was changed."""
        self.db.execute("UPDATE objects SET body=? WHERE id=? AND account=?", [dump(one), one["id"], self.account])
        return one

    def remove(self, one: Json) -> None:
        """Delete an object."""
        self.db.execute("DELETE FROM objects WHERE id=? AND account=?", [one["id"], self.account])
        self._loaded.pop((one["id"], self.account), None)

    def rows(self, kind: str, **fields: Any) -> Iterator[Json]:
        """All objects of a kind with these values, newest first."""
        sql = "SELECT id FROM objects WHERE kind=? AND account=?"
        values: list[Any] = [kind, self.account]
        for name, value in fields.items():
            sql += f" AND json_extract(body, '$.{name}')=?"
            values.append(value)
        for (id,) in self.db.execute(f"{sql} ORDER BY created DESC, seq DESC", values).fetchall():
            yield self.get(id, kind)

    # --- Events and due moments -------------------------------------------------------------------

    def emit(self, type: str, one: Json, *, previous: Json | None = None) -> Json:
        """Record an event about an object, to be delivered to the endpoints that want it.

        https://docs.stripe.com/api/events/object. ``previous`` are the former values of an update; by default they
        are what the object held before this unit of work.
        """
        data: Json = {"object": public(one)}
        if type.endswith(".updated"):
            if previous is None:
                before = self._before.get((one["id"], self.account), one)
                previous = {k: v for k, v in public(before).items() if one.get(k) != v}
            data["previous_attributes"] = previous
        event = self.new(
            "event",
            {
                "type": type,
                "api_version": API_VERSION,
                "data": data,
                "pending_webhooks": 0,
                "request": dict(self.request),
            },
        )
        del event["metadata"]
        if self.account:
            event["account"] = self.account
        event["pending_webhooks"] = self.standin.webhooks.enqueue(self, event)
        self._events += 1
        return self.save(event)

    def schedule(self, moment: int, work: str, id: str) -> None:
        """Have the scheduler's ``work`` done for an object at a moment; a later call replaces an earlier one."""
        self.unschedule(work, id)
        self.db.execute(
            "INSERT INTO due(moment, work, id, account) VALUES(?, ?, ?, ?)", [moment, work, id, self.account]
        )

    def unschedule(self, work: str, id: str) -> None:
        """Take back what was scheduled."""
        self.db.execute("DELETE FROM due WHERE work=? AND id=? AND account=?", [work, id, self.account])

    # --- Accounts ---------------------------------------------------------------------------------

    def acting_for(self, account: str) -> "Work":
        """The same transaction, acting for another account ("" is the platform)."""
        other = Work(self.standin, self.db, self.now, "" if account == ACCOUNT else account)
        other.request = self.request
        return other
