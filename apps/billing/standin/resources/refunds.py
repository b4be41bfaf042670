"""Refunds: https://docs.stripe.com/api/refunds and https://docs.stripe.com/refunds.

Most succeed at once. Of the card 4000 0000 0000 7726 they are pending for an hour; of 4000 0000 0000 5126 they succeed
and fail an hour later. A refund that fails or is canceled brings the money back to the balance.
"""

from apps.billing.standin.amounts import amount_text
from apps.billing.standin.errors import Json, invalid
from apps.billing.standin.forms import Params
from apps.billing.standin.presenting import listing
from apps.billing.standin.resources import balance
from apps.billing.standin.routing import route
from apps.billing.standin.scheduler import due
from apps.billing.standin.work import Work

LATER_SECONDS = 3600
FAILURES = ("expired_or_canceled_card", "lost_or_stolen_card", "declined", "merchant_request", "unknown")
_REASONS = ("duplicate", "fraudulent", "requested_by_customer")
_SETTLED = {"won", "prevented", "warning_needs_response", "warning_under_review", "warning_closed"}


@route("POST", "/v1/refunds")
def create(work: Work, params: Params) -> Json:
    """Give back a charge, or a part of it. The fee of the charge is not given back."""
    charge = _charge(work, params)
    disputes = list(work.rows("dispute", charge=charge["id"]))
    if any(one["status"] not in _SETTLED for one in disputes):
        message = f"Charge {charge['id']} has been charged back; cannot issue a refund."
        raise invalid(message, code="charge_disputed")
    lost = -sum(moved["amount"] for one in disputes for moved in one["balance_transactions"])
    left = charge["amount"] - charge["amount_refunded"] - lost
    if left <= 0:
        raise invalid(f"Charge {charge['id']} has already been refunded.", code="charge_already_refunded")
    amount = params.amount("amount") if params.has("amount") else left
    if amount > left:
        asked, rest = _shown(amount, charge), _shown(left, charge)
        message = f"Refund amount ({asked}) is greater than unrefunded amount on charge ({rest})"
        raise invalid(message, param="amount")
    behavior = charge.get("_behavior")
    is_pending = behavior == "refund_pending"
    refund = work.new(
        "refund",
        {
            "amount": amount, "balance_transaction": None, "charge": charge["id"], "currency": charge["currency"],
            "destination_details": {"type": "card", "card": {"type": "refund", "reference_status": "pending"}},
            "failure_balance_transaction": None, "failure_reason": None, "metadata": params.merge_metadata({}),
            "payment_intent": charge["payment_intent"], "reason": params.choice("reason", _REASONS),
            "receipt_number": None, "source_transfer_reversal": None,
            "status": "pending" if is_pending else "succeeded", "transfer_reversal": None,
        },
    )  # fmt: skip
    if is_pending:
        refund["pending_reason"] = "processing"
    fees = {"stripe_fee": balance.fees(work).refund}
    moved = balance.record(work, "refund", -amount, charge["currency"], refund["id"], fees=fees)
    refund["balance_transaction"] = moved["id"]
    work.emit("refund.created", work.save(refund))
    charge["amount_refunded"] += amount
    charge["refunded"] = charge["amount_refunded"] == charge["amount"]
    work.emit("charge.refunded", work.save(charge))
    if behavior in {"refund_pending", "refund_fails"}:
        work.schedule(work.now + LATER_SECONDS, "refund decided", refund["id"])
    return refund


@due("refund decided")
def decide(work: Work, id: str) -> None:
    """The bank took the money of a pending refund, or sends back that of a card whose refunds fail."""
    refund = work.get(id, "refund")
    if work.get(refund["charge"], "charge").get("_behavior") == "refund_fails":
        fail(work, refund, "expired_or_canceled_card")
    else:
        finish(work, refund)


def finish(work: Work, refund: Json) -> Json:
    """A pending refund succeeds."""
    if refund["status"] != "pending":
        raise invalid(f"This refund is {refund['status']}, not pending.")
    _left(work, refund, "succeeded")
    return refund


def fail(work: Work, refund: Json, reason: str) -> Json:
    """The bank sends the money back, perhaps long after the refund has succeeded.

    https://docs.stripe.com/refunds#failed-refunds
    """
    if refund["status"] not in {"pending", "succeeded"}:
        raise invalid(f"This refund is {refund['status']} already.")
    if reason not in FAILURES:
        raise invalid(f"Invalid reason: must be one of {', '.join(FAILURES)}", param="reason")
    refund["failure_reason"] = reason
    _take_back(work, refund)
    _left(work, refund, "failed")
    work.emit("refund.failed", refund)
    return refund


def cancel(work: Work, refund: Json) -> Json:
    """Someone cancels a pending refund in the dashboard."""
    if refund["status"] != "pending":
        raise invalid(f"This refund is {refund['status']}, so it can't be canceled.")
    refund["failure_reason"] = "merchant_request"
    _take_back(work, refund)
    _left(work, refund, "canceled")
    return refund


def _take_back(work: Work, refund: Json) -> None:
    """The amount belongs to the balance and to the charge again; the fee of the refund does not come back."""
    moved = balance.record(work, "refund_failure", refund["amount"], refund["currency"], refund["id"])
    refund["failure_balance_transaction"] = moved["id"]
    charge = work.get(refund["charge"], "charge")
    charge["amount_refunded"] -= refund["amount"]
    charge["refunded"] = False
    work.save(charge)


def _left(work: Work, refund: Json, status: str) -> None:
    """Another status, with the events of it."""
    work.unschedule("refund decided", refund["id"])
    refund["status"] = status
    refund.pop("pending_reason", None)
    work.save(refund)
    work.emit("refund.updated", refund)
    work.emit("charge.refund.updated", refund)


def _shown(amount: int, charge: Json) -> str:
    return amount_text(amount, charge["currency"])


def _charge(work: Work, params: Params) -> Json:
    id = params.text("charge")
    if intent := params.text("payment_intent"):
        id = work.get(intent, "payment_intent", "payment_intent")["latest_charge"]
    elif id is None:
        raise invalid("One of the following params should be provided for this request: payment_intent or charge.")
    charge = work.find(id, "charge")
    if charge is None or charge["status"] != "succeeded":
        raise invalid(f"This PaymentIntent ({intent or id}) does not have a successful charge to refund.")
    return charge


@route("POST", "/v1/refunds/{id}/cancel")
def cancel_by_call(work: Work, params: Params, id: str) -> Json:
    """Refused for cards: by a call only refunds that need the customer's action can be canceled."""
    refund = work.get(id, "refund")
    raise invalid(f"Refund {id} has the status {refund['status']}; only requires_action can be canceled.")


@route("POST", "/v1/refunds/{id}")
def update(work: Work, params: Params, id: str) -> Json:
    """Change the metadata."""
    refund = work.get(id, "refund")
    refund["metadata"] = params.merge_metadata(refund["metadata"])
    work.emit("refund.updated", work.save(refund))
    return refund


@route("GET", "/v1/refunds/{id}")
def retrieve(work: Work, params: Params, id: str) -> Json:
    """A refund."""
    return work.get(id, "refund")


@route("GET", "/v1/refunds")
def index(work: Work, params: Params) -> Json:
    """Refunds, newest first."""
    return listing(work, params, "refund", "/v1/refunds", ["charge", "payment_intent"])
