"""Deliveries of events: signed, over HTTP, repeated until the endpoint answers 2xx.

https://docs.stripe.com/webhooks. The order of events is not guaranteed, and an event may arrive more than once.
"""

import hashlib
import hmac
import json
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING

from apps.billing.standin.errors import Json
from apps.billing.standin.presenting import public
from apps.billing.standin.work import Work

if TYPE_CHECKING:
    from apps.billing.standin.standin import Standin

TIMEOUT = 20  # seconds that an endpoint may take
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 3600.0  # seconds between attempts; each pause is twice the one before
ATTEMPTS = 80  # about three days

Transport = Callable[[str, bytes, dict[str, str]], int]


@dataclass
class Trouble:
    """How badly events travel: the part of them that is lost for good, or delivered twice, and the longest delay.

    An event can be lost even with Stripe, when an endpoint refuses it for three days or was disabled. Delays differ
    from event to event, so they also arrive in another order.
    """

    lost: float = 0.0
    repeated: float = 0.0
    delay_seconds: float = 0.0
    random: Random = field(default_factory=Random)


def post(url: str, body: bytes, headers: dict[str, str]) -> int:
    """Send one delivery; returns the HTTP status, 0 if nobody answered."""
    request = urllib.request.Request(url, body, headers)  # noqa: S310
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:  # noqa: S310
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return 0


def signature(body: str, secret: str, moment: int) -> str:
    """The Stripe-Signature header: https://docs.stripe.com/webhooks#verify-manually."""
    signed = hmac.new(secret.encode(), f"{moment}.{body}".encode(), hashlib.sha256).hexdigest()
    return f"t={moment},v1={signed}"


def _wants(endpoint: Json, type: str, account: str) -> bool:
    wanted = endpoint["enabled_events"]
    return (
        endpoint["status"] == "enabled" and endpoint["_connect"] == bool(account) and ("*" in wanted or type in wanted)
    )


class Webhooks:
    """The queue of deliveries, and the thread that empties it. Another ``transport`` delivers without HTTP."""

    def __init__(self, standin: "Standin") -> None:
        self.standin = standin
        self.transport: Transport = post
        self.trouble = Trouble()
        self._held = False
        self._stopping = False
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None

    # --- In the product's tests -------------------------------------------------------------------

    def hold(self) -> None:
        """Deliver nothing by itself until :meth:`release`."""
        self._held = True

    def release(self) -> None:
        """Deliver by itself again, what was held back first."""
        self._held = False
        self.wake()

    def pending(self) -> list[Json]:
        """The events that wait for a delivery, in the order in which they become due; without delays oldest first."""
        with self.standin.store.lock:
            rows = self.standin.store.db.execute(
                "SELECT body FROM objects JOIN (SELECT event, MIN(next) AS due FROM deliveries GROUP BY event)"
                " ON id=event WHERE kind='event' ORDER BY due, seq"
            ).fetchall()
        return [json.loads(body) for (body,) in rows]

    def deliver(self, event: Json, *, times: int = 1) -> list[int]:
        """Deliver an event now to each endpoint that wants it; returns the HTTP statuses (0: nobody answered)."""
        with self.standin.store.transaction() as db:
            work = Work(self.standin, db, self.standin.clock.now())
            account = event.get("account", "")
            found = [one for one in work.rows("webhook_endpoint") if _wants(one, event["type"], account)]
        return [self._send(event, endpoint) for endpoint in found for _ in range(times)]

    def deliver_all(self) -> int:
        """Deliver what waits, oldest first, until nothing does; returns how many events there were."""
        count = 0
        for _ in range(1000):
            events = self.pending()
            statuses = [status for event in events for status in self.deliver(event)]
            count += len(events)
            if not any(200 <= status < 300 for status in statuses):
                break
        return count

    def drop(self, event: Json) -> None:
        """Lose an event: it is never delivered. It stays in the list of events."""
        with self.standin.store.transaction() as db:
            db.execute("DELETE FROM deliveries WHERE event=?", [event["id"]])

    # --- The queue --------------------------------------------------------------------------------

    def enqueue(self, work: Work, event: Json) -> int:
        """Have an event delivered to the endpoints that want it, as :attr:`trouble` allows; returns their number."""
        platform = work.acting_for("")
        found = [one for one in platform.rows("webhook_endpoint") if _wants(one, event["type"], work.account)]
        trouble = self.trouble
        for endpoint in found:
            if trouble.random.random() < trouble.lost:
                continue
            times = 2 if trouble.random.random() < trouble.repeated else 1
            due = time.time() + trouble.random.uniform(0, trouble.delay_seconds) if trouble.delay_seconds else 0
            sql = "INSERT INTO deliveries(event, endpoint, next, times) VALUES(?, ?, ?, ?)"
            work.db.execute(sql, [event["id"], endpoint["id"], due, times])
        return len(found)

    def _send(self, event: Json, endpoint: Json) -> int:
        body = json.dumps(public(event), indent=2)
        # The real time: the receiver compares it with its own clock.
        header = signature(body, endpoint["_secret"], int(time.time()))
        headers = {"Content-Type": "application/json; charset=utf-8", "Stripe-Signature": header}
        status = self.transport(endpoint["url"], body.encode(), {**headers, "User-Agent": "Stripe/1.0 (stand-in)"})
        with self.standin.store.transaction() as db:
            where = [event["id"], endpoint["id"]]
            if 200 <= status < 300:
                db.execute("DELETE FROM deliveries WHERE event=? AND endpoint=? AND times<=1", where)
                due = time.time() + self.trouble.random.uniform(0, self.trouble.delay_seconds)
                db.execute("UPDATE deliveries SET times=times-1, next=? WHERE event=? AND endpoint=?", [due, *where])
            else:
                row = db.execute("SELECT attempts FROM deliveries WHERE event=? AND endpoint=?", where).fetchone()
                attempts = row[0] + 1 if row else 1
                pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** min(attempts - 1, 12))
                sql = "UPDATE deliveries SET attempts=?, next=? WHERE event=? AND endpoint=?"
                db.execute(sql, [attempts, time.time() + pause, *where])
                db.execute("DELETE FROM deliveries WHERE attempts>=?", [ATTEMPTS])
        return status

    # --- The thread -------------------------------------------------------------------------------

    def start(self) -> None:
        """Deliver in a thread, as long as the stand-in serves."""
        self._stopping = False
        self._thread = threading.Thread(target=self._loop, name="standin-webhooks", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the thread."""
        self._stopping = True
        self.wake()
        if self._thread:
            self._thread.join(TIMEOUT)
            self._thread = None

    def wake(self) -> None:
        """There may be something to deliver."""
        self._wake.set()

    def _loop(self) -> None:
        while not self._stopping:
            self._wake.wait(1.0)
            self._wake.clear()
            while not self._stopping and not self._held and (found := self._next()):
                self._send(*found)

    def _next(self) -> tuple[Json, Json] | None:
        with self.standin.store.lock:
            row = self.standin.store.db.execute(
                "SELECT event.body, endpoint.body FROM deliveries"
                " JOIN objects AS event ON event.id=deliveries.event"
                " JOIN objects AS endpoint ON endpoint.id=deliveries.endpoint"
                " WHERE next<=? ORDER BY next, deliveries.seq LIMIT 1",
                [time.time()],
            ).fetchone()
        return (json.loads(row[0]), json.loads(row[1])) if row else None
