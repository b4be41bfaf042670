"""Refunds: https://docs.stripe.com/api/refunds."""

from apps.billing.standin.amounts import amount_text
from apps.billing.standin.errors import Json, invalid
from apps.billing.standin.forms import Params
from apps.billing.standin.presenting import listing
from apps.billing.standin.resources import balance
from apps.billing.standin.routing import route
from apps.billing.standin.work import Work

_REASONS = ("duplicate", "fraudulent", "requested_by_customer")


@route("POST", "/v1/refunds")
def create(work: Work, params: Params) -> Json:
    """Give back a charge, or a part of it. The fee of the charge is not given back."""
    charge = _charge(work, params)
    left = charge["amount"] - charge["amount_refunded"]
    if charge["disputed"] and not charge.get("_dispute_won"):
        message = f"Charge {charge['id']} has been charged back; cannot issue a refund."
        raise invalid(message, code="charge_disputed")
    if not left:
        raise invalid(f"Charge {charge['id']} has already been refunded.", code="charge_already_refunded")
    amount = params.amount("amount") if params.has("amount") else left
    if amount > left:
        asked, rest = _shown(amount, charge), _shown(left, charge)
        message = f"Refund amount ({asked}) is greater than unrefunded amount on charge ({rest})"
        raise invalid(message, param="amount")
    refund = work.new(
        "refund",
        {
            "amount": amount, "balance_transaction": None, "charge": charge["id"], "currency": charge["currency"],
            "destination_details": {"type": "card", "card": {"type": "refund", "reference_status": "pending"}},
            "failure_balance_transaction": None, "failure_reason": None, "metadata": params.merge_metadata({}),
            "payment_intent": charge["payment_intent"], "reason": params.choice("reason", _REASONS),
            "receipt_number": None, "source_transfer_reversal": None, "status": "succeeded", "transfer_reversal": None,
        },
    )  # fmt: skip
    moved = balance.record(work, "refund", -amount, charge["currency"], refund["id"])
    refund["balance_transaction"] = moved["id"]
    work.emit("refund.created", work.save(refund))
    charge["amount_refunded"] += amount
    charge["refunded"] = charge["amount_refunded"] == charge["amount"]
    work.emit("charge.refunded", work.save(charge))
    return refund


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
