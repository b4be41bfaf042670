"""The stand-in as an object: what a process serves, and what a test holds in its hand."""

import base64
import hashlib
import json
import secrets
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from apps.billing.standin import resources, routing
from apps.billing.standin.cards import redacted
from apps.billing.standin.clock import DAY, Clock
from apps.billing.standin.errors import ApiError, Json, invalid
from apps.billing.standin.forms import Params, decode, flat
from apps.billing.standin.keys import ACCOUNT, PUBLISHABLE_KEY, SECRET_KEY
from apps.billing.standin.presenting import expand, public
from apps.billing.standin.scheduler import Scheduler
from apps.billing.standin.server import Server
from apps.billing.standin.store import Store, dump
from apps.billing.standin.webhooks import Trouble, Webhooks, post
from apps.billing.standin.work import Work

ANSWERS_KEPT = DAY  # seconds; Stripe forgets idempotency keys after at least 24 hours


@dataclass(frozen=True)
class Answer:
    """An HTTP answer of the API."""

    status: int
    body: Json
    headers: dict[str, str] = field(default_factory=dict)


class Standin:
    """Stripe's API over one SQLite file in ``folder``, or in memory.

    ``sites`` are the origins whose pages may show its card fields; without any, those of this machine may.
    """

    def __init__(
        self, folder: Path | None = None, *, secret_key: str = SECRET_KEY, publishable_key: str = PUBLISHABLE_KEY,
        sites: tuple[str, ...] = (),
    ) -> None:  # fmt: skip
        self.secret_key = secret_key
        self.publishable_key = publishable_key
        self.sites = sites
        self.address = ""
        # What becomes of a subscription that could not be renewed: "cancel", "unpaid" or "past_due".
        self.after_last_attempt = "cancel"
        self.store = Store(folder)
        self.webhooks = Webhooks(self)
        self.scheduler = Scheduler(self)
        self.clock = Clock(self._move, self._keep, float(self.store.meta("offset", "0")))
        self._prepare()

    def _prepare(self) -> None:
        with self.working() as work:
            resources.prepare(work)

    def _keep(self, offset: float) -> None:
        self.store.set_meta("offset", repr(offset))

    def _move(self, moment: float) -> None:
        self.scheduler.run(moment)

    @contextmanager
    def working(self, account: str = "") -> Iterator[Work]:
        """A unit of work of the stand-in's own, in a transaction."""
        with self.store.transaction() as db:
            yield Work(self, db, self.clock.now(), account)
        self.webhooks.wake()

    # --- Serving ----------------------------------------------------------------------------------

    @contextmanager
    def serving(self, port: int = 0, host: str = "127.0.0.1") -> Iterator[str]:
        """Serve over HTTP in threads of this process; gives the address, e.g. ``http://127.0.0.1:43211``."""
        server = Server(self, host, port)
        self.address = server.address
        server.start()
        self.scheduler.start()
        self.webhooks.start()
        try:
            yield server.address
        finally:
            server.stop()
            self.scheduler.stop()
            self.webhooks.stop()

    def reset(self) -> None:
        """Forget everything and follow the real time."""
        self.store.clear()
        self.clock.reset()
        self.after_last_attempt = "cancel"
        self.webhooks.transport = post
        self.webhooks.trouble = Trouble()
        self.webhooks.release()
        self._prepare()

    def close(self) -> None:
        """Close the file."""
        self.store.close()

    def authenticate(self, intent: str, *, accepts: bool = True) -> Json:
        """Answer the bank's question (3-D Secure) for a payment intent or setup intent, as its cardholder does."""
        with self.working() as work:
            return resources.bank.answered(work, intent, accepts=accepts)

    def complete_account(self, account: str, details: Json) -> None:
        """Give all details of a connected account, as its owner does on the provider's page."""
        with self.working() as work:
            resources.accounts.complete(work, work.get(account, "account"), details)

    # --- What banks and people in the dashboard do --------------------------------------------------

    def refund(self, payment: str, amount: int | None = None) -> Json:
        """Give back a payment intent, or a part of it, as someone does in the dashboard: without metadata."""
        with self.working() as work:
            form = {"payment_intent": payment} | ({} if amount is None else {"amount": str(amount)})
            return resources.refunds.create(work, Params(form))

    def finish_refund(self, refund: str) -> Json:
        """Let a pending refund succeed now."""
        with self.working() as work:
            return resources.refunds.finish(work, work.get(refund, "refund"))

    def fail_refund(self, refund: str, reason: str = "lost_or_stolen_card") -> Json:
        """Let the bank send back a refund, also one that has succeeded."""
        with self.working() as work:
            return resources.refunds.fail(work, work.get(refund, "refund"), reason)

    def cancel_refund(self, refund: str) -> Json:
        """Cancel a pending refund in the dashboard."""
        with self.working() as work:
            return resources.refunds.cancel(work, work.get(refund, "refund"))

    def dispute(
        self, payment: str, amount: int | None = None, *, reason: str = "fraudulent", is_inquiry: bool = False
    ) -> Json:
        """Dispute a payment intent over an amount (by default what was not refunded), as its cardholder does."""
        with self.working() as work:
            intent = work.get(payment, "payment_intent")
            charge = work.get(intent["latest_charge"], "charge")
            return resources.disputes.begin(work, charge, amount=amount, reason=reason, is_inquiry=is_inquiry)

    def escalate_inquiry(self, dispute: str) -> Json:
        """Make a dispute of an inquiry."""
        with self.working() as work:
            return resources.disputes.escalate(work, work.get(dispute, "dispute"))

    def decide_dispute(
        self, dispute: str, *, won: bool, reinstated: int | None = None, fee_returned: int | None = None
    ) -> Json:
        """Decide a dispute as the bank: won (in part, if less is reinstated) or lost, also after it was lost."""
        with self.working() as work:
            found = work.get(dispute, "dispute")
            if found["status"] in {"won", "warning_closed"} or (found["status"] == "lost" and not won):
                raise invalid(f"This dispute is already closed ({found['status']}).", code="dispute_closed")
            return resources.disputes.decide(work, found, won=won, reinstated=reinstated, fee_returned=fee_returned)

    def withdraw_dispute(self, dispute: str) -> Json:
        """Let the cardholder withdraw a dispute: it is won, and everything but the fee comes back."""
        return self.decide_dispute(dispute, won=True)

    def warn_of_fraud(self, payment: str) -> Json:
        """Send a warning of fraud about a payment intent; a dispute may follow."""
        with self.working() as work:
            intent = work.get(payment, "payment_intent")
            return resources.disputes.warn(work, work.get(intent["latest_charge"], "charge"))

    def set_fees(self, **changed: int) -> None:
        """Charge other fees from now on, see :class:`resources.balance.Fees`."""
        with self.working() as work:
            resources.balance.set_fees(work, replace(resources.balance.fees(work), **changed))

    def charge_fee(
        self, amount: int, currency: str = "usd", *, type: str = "stripe_fee", description: str = "Billing"
    ) -> Json:
        """Take a fee that belongs to no payment: a ``stripe_fee``, or a ``tax_fee`` for the tax on fees."""
        with self.working() as work:
            return resources.balance.charge_fee(work, type, amount, currency, description)

    def settle_in(self, currency: str, rate: str) -> None:
        """Exchange from now on what is not in this currency, see :func:`resources.balance.settle_in`."""
        with self.working() as work:
            resources.balance.settle_in(work, currency, rate)

    def top_up(self, amount: int, currency: str = "usd") -> Json:
        """Bring money from the platform's bank into its balance, as someone does in the dashboard."""
        with self.working() as work:
            return resources.balance.top_up(work, amount, currency)

    def hold_reserve(self, amount: int, currency: str = "usd") -> Json:
        """Hold back an amount of the balance as a reserve; a negative one is released."""
        with self.working() as work:
            return resources.balance.hold_reserve(work, amount, currency)

    def fail_payout(self, payout: str, reason: str = "account_closed", *, account: str = "") -> Json:
        """Let the bank send back a payout of the platform or of a connected account, also one that was paid."""
        with self.working(account) as work:
            return resources.payouts.fail(work, work.get(payout, "payout"), reason)

    # --- Calls ------------------------------------------------------------------------------------

    def call(
        self, method: str, path: str, form: str | Mapping[str, Any] = "", headers: Mapping[str, str] | None = None
    ) -> Answer:
        """Answer one call of the API. ``form`` is the encoded form (query or body), or its values."""
        sent = {name.lower(): value for name, value in (headers or {}).items()}
        request_id = f"req_{secrets.token_hex(7)}"
        try:
            self.scheduler.run(self.clock.now())
            values = decode(form) if isinstance(form, str) else flat(form)
            answer = self._answer(method, path, values, sent, request_id)
            self.scheduler.run(self.clock.now())  # what the call made due at once, e.g. a dispute
        except ApiError as error:
            answer = Answer(error.status, {"error": {**error.error, "request_log_url": None}})
        self.webhooks.wake()
        return Answer(answer.status, answer.body, {"Request-Id": request_id, **answer.headers})

    def _answer(self, method: str, path: str, values: Json, headers: Json, request_id: str) -> Answer:
        found, arguments = routing.find(method, path)
        is_secret = self._authenticate(headers, values, is_public=found.is_public)
        account = headers.get("stripe-account", "")
        key = headers.get("idempotency-key", "") if method == "POST" else ""
        asked = hashlib.sha256(f"{method} {path} {dump(redacted(values))}".encode()).hexdigest()
        with self.store.transaction() as db:
            if key and (known := self._known(db, f"{account}:{key}", asked, key)):
                return known
            work = Work(self, db, self.clock.now()).acting_for(account)
            if work.account:
                work.acting_for("").get(account, "account", "Stripe-Account")
            work.request = {"id": request_id, "idempotency_key": key or None}
            params = Params({name: value for name, value in values.items() if name != "expand"})
            params.is_secret = is_secret
            try:
                body = expand(
                    work, public(routing.answer(work, found, arguments, params)), _words(values.get("expand"))
                )
                answer = Answer(200, body)
            except ApiError as error:
                if not error.keeps:
                    raise
                answer = Answer(error.status, {"error": public(error.error)})
            if key:
                stored = [f"{account}:{key}", asked, answer.status, dump(answer.body), request_id, work.now]
                db.execute("INSERT INTO answers VALUES(?, ?, ?, ?, ?, ?)", stored)
        return answer

    def _authenticate(self, headers: Json, values: Json, *, is_public: bool) -> bool:
        scheme, _, sent = headers.get("authorization", "").partition(" ")
        if scheme == "Basic":
            sent = base64.b64decode(sent).decode(errors="replace").partition(":")[0]
        sent = sent or str(values.pop("key", ""))
        values.pop("key", None)
        if sent == self.secret_key:
            return True
        if sent == self.publishable_key:
            if is_public:
                return False
            message = "This API call cannot be made with a publishable API key. Please use a secret API key."
            raise invalid(message, code="secret_key_required", status=401)
        shown = f"{sent[:8]}{'*' * 8}{sent[-4:]}" if sent else ""
        message = f"Invalid API Key provided: {shown}" if sent else "You did not provide an API key."
        raise invalid(message, status=401)

    def _known(self, db: sqlite3.Connection, scoped: str, asked: str, key: str) -> Answer | None:
        """The stored answer of an idempotency key: https://docs.stripe.com/api/idempotent_requests."""
        db.execute("DELETE FROM answers WHERE moment<?", [self.clock.now() - ANSWERS_KEPT])
        row = db.execute("SELECT request, status, body, request_id FROM answers WHERE key=?", [scoped]).fetchone()
        if row is None:
            return None
        if row[0] != asked:
            message = (
                "Keys for idempotent requests can only be used with the same parameters they were first used with."
                f" Try using a key other than '{key}' if you meant to execute a different request."
            )
            raise ApiError(message, type="idempotency_error", status=400)
        return Answer(row[1], json.loads(row[2]), {"Idempotent-Replayed": "true", "Original-Request": row[3]})

    @property
    def account(self) -> str:
        """The id of the platform's own account."""
        return ACCOUNT


def _words(value: object) -> list[str]:
    if isinstance(value, dict):
        return [str(one) for one in value.values()]
    return [str(value)] if value else []
