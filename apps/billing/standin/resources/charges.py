"""Charges, which payment intents make: https://docs.stripe.com/api/charges."""

from apps.billing.standin import cards
from apps.billing.standin.errors import Json
from apps.billing.standin.forms import Params
from apps.billing.standin.presenting import hidden, listing, page, public
from apps.billing.standin.resources import balance
from apps.billing.standin.routing import route
from apps.billing.standin.work import Work

# Cards whose charges are contested as soon as they are made, see the module of disputes.
_CONTESTED = {"disputed", "disputed_not_received", "inquiry", "fraud_warning"}


def charge(work: Work, intent: Json, method: Json) -> tuple[Json, tuple[str, str | None, str] | None]:
    """Charge the card for the intent's amount; returns the charge and, if the bank refused, why."""
    refused = cards.refusal(method["card"], work.now, is_charge=True)
    card = {
        name: method["card"][name]
        for name in ("brand", "country", "exp_month", "exp_year", "fingerprint", "funding", "last4")
    }
    card |= {
        "amount_authorized": None if refused else intent["amount"], "authorization_code": None,
        "network": card["brand"],
        "checks": method["card"]["checks"], "three_d_secure": _three_d_secure(intent), "wallet": None,
    }  # fmt: skip
    made = work.new(
        "charge",
        {
            "amount": intent["amount"], "amount_captured": 0 if refused else intent["amount"], "amount_refunded": 0,
            "application": None, "application_fee": None, "application_fee_amount": None, "balance_transaction": None,
            "billing_details": method["billing_details"], "calculated_statement_descriptor": "STUDY PLATFORM",
            "captured": not refused, "currency": intent["currency"], "customer": intent["customer"],
            "description": intent["description"], "disputed": False, "failure_balance_transaction": None,
            "failure_code": refused[0] if refused else None,
            "failure_message": refused[2] if refused else None,
            "fraud_details": {}, "metadata": dict(intent["metadata"]), "on_behalf_of": None,
            "outcome": _outcome(refused),
            "paid": not refused, "payment_intent": intent["id"], "payment_method": method["id"],
            "payment_method_details": {"type": "card", "card": card}, "receipt_email": intent["receipt_email"],
            "receipt_number": None, "receipt_url": None, "refunded": False, "review": None, "shipping": None,
            "source": None, "source_transfer": None, "statement_descriptor": intent["statement_descriptor"],
            "statement_descriptor_suffix": None, "status": "failed" if refused else "succeeded", "transfer_data": None,
            "transfer_group": intent["transfer_group"], "_behavior": method["card"]["_behavior"],
        },
    )  # fmt: skip
    if refused:
        work.emit("charge.failed", made)
        return made, refused
    fees = balance.fee_of_charge(work, made["amount"])
    moved = balance.record(work, "charge", made["amount"], made["currency"], made["id"], fees=fees)
    made["balance_transaction"] = moved["id"]
    work.emit("charge.succeeded", work.save(made))
    if method["card"]["_behavior"] in _CONTESTED:
        work.schedule(work.now, "contest", made["id"])
    return made, None


def _three_d_secure(intent: Json) -> Json | None:
    if not intent.get("_authenticated"):
        return None
    return {"authentication_flow": "challenge", "result": "authenticated", "result_reason": None, "version": "2.2.0"}


def _outcome(refused: tuple[str, str | None, str] | None) -> Json:
    if refused:
        return {
            "network_status": "declined_by_network", "reason": refused[1] or refused[0], "risk_level": "normal",
            "seller_message": "The bank did not return any further details with this decline.",
            "type": "issuer_declined",
        }  # fmt: skip
    return {
        "network_status": "approved_by_network", "reason": None, "risk_level": "normal",
        "seller_message": "Payment complete.", "type": "authorized",
    }  # fmt: skip


@route("GET", "/v1/charges/{id}")
def retrieve(work: Work, params: Params, id: str) -> Json:
    """A charge."""
    return work.get(id, "charge")


@route("GET", "/v1/charges")
def index(work: Work, params: Params) -> Json:
    """Charges, newest first."""
    return listing(work, params, "charge", "/v1/charges", ["customer", "payment_intent", "transfer_group"])


@route("POST", "/v1/charges/{id}")
def update(work: Work, params: Params, id: str) -> Json:
    """Change the description or the metadata."""
    found = work.get(id, "charge")
    for name in ("description", "receipt_email", "transfer_group"):
        if params.has(name):
            found[name] = params.text(name)
    found["metadata"] = params.merge_metadata(found["metadata"])
    work.emit("charge.updated", work.save(found))
    return found


@hidden("charge", "refunds")
def _refunds(work: Work, found: Json) -> Json:
    return page(map(public, work.rows("refund", charge=found["id"])), f"/v1/charges/{found['id']}/refunds")
