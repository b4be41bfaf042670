"""Transfers to connected accounts: https://docs.stripe.com/api/transfers."""

import secrets

from apps.billing.standin.errors import Json, invalid
from apps.billing.standin.forms import Params
from apps.billing.standin.presenting import listing, page, public
from apps.billing.standin.resources import balance, payouts
from apps.billing.standin.routing import route
from apps.billing.standin.work import Work


@route("POST", "/v1/transfers")
def create(work: Work, params: Params) -> Json:
    """Move money to a connected account."""
    amount, currency = params.amount("amount"), params.required("currency").lower()
    destination = work.get(params.required("destination"), "account", "destination")
    if destination["capabilities"].get("transfers") != "active":
        message = "Your destination account needs to have at least one of the following capabilities enabled: transfers"
        raise invalid(message, code="insufficient_capabilities_for_transfer")
    source = params.text("source_transaction")
    if source:
        work.get(source, "charge", "source_transaction")
    if amount > balance.available(work, currency):
        message = "You have insufficient available funds in your Stripe account."
        raise invalid(message, code="balance_insufficient")
    params.choice("source_type", ["card"])
    transfer = work.new(
        "transfer",
        {
            "amount": amount, "amount_reversed": 0, "balance_transaction": None, "currency": currency,
            "description": params.text("description"), "destination": destination["id"],
            "destination_payment": f"py_{secrets.token_hex(12)}", "metadata": params.merge_metadata({}),
            "reversed": False, "source_transaction": source, "source_type": "card",
            "transfer_group": params.text("transfer_group"),
        },
    )  # fmt: skip
    transfer["reversals"] = page([], f"/v1/transfers/{transfer['id']}/reversals")
    transfer["balance_transaction"] = balance.record(work, "transfer", -amount, currency, transfer["id"])["id"]
    receiver = work.acting_for(destination["id"])
    balance.record(receiver, "payment", amount, currency, transfer["destination_payment"])
    payouts.plan_next(receiver, destination["id"])
    work.emit("transfer.created", work.save(transfer))
    return transfer


@route("POST", "/v1/transfers/{id}")
def update(work: Work, params: Params, id: str) -> Json:
    """Change the description or the metadata."""
    transfer = work.get(id, "transfer")
    if params.has("description"):
        transfer["description"] = params.text("description")
    transfer["metadata"] = params.merge_metadata(transfer["metadata"])
    work.emit("transfer.updated", work.save(transfer))
    return transfer


@route("POST", "/v1/transfers/{id}/reversals")
def reverse(work: Work, params: Params, id: str) -> Json:
    """Take a transfer back, or a part of it: https://docs.stripe.com/api/transfer_reversals."""
    transfer = work.get(id, "transfer")
    left = transfer["amount"] - transfer["amount_reversed"]
    amount = params.amount("amount") if params.has("amount") else left
    receiver = work.acting_for(transfer["destination"])
    if not 1 <= amount <= left:
        raise invalid(f"Transfer {id} cannot be reversed by {amount}: {left} of it is left.", param="amount")
    if amount > balance.available(receiver, transfer["currency"]):
        message = "The connected account has insufficient available funds for the reversal."
        raise invalid(message, code="balance_insufficient")
    params.accept("description")
    reversal = work.new(
        "transfer_reversal",
        {
            "amount": amount, "currency": transfer["currency"], "destination_payment_refund": None,
            "metadata": params.merge_metadata({}), "source_refund": None, "transfer": id,
        },
    )  # fmt: skip
    moved = balance.record(work, "transfer_refund", amount, transfer["currency"], reversal["id"])
    balance.record(receiver, "payment_refund", -amount, transfer["currency"], reversal["id"])
    reversal["balance_transaction"] = moved["id"]
    transfer["amount_reversed"] += amount
    transfer["reversed"] = transfer["amount_reversed"] == transfer["amount"]
    transfer["reversals"]["data"].insert(0, public(work.save(reversal)))
    work.emit("transfer.reversed", work.save(transfer))
    return reversal


@route("GET", "/v1/transfers/{id}")
def retrieve(work: Work, params: Params, id: str) -> Json:
    """A transfer."""
    return work.get(id, "transfer")


@route("GET", "/v1/transfers/{id}/reversals")
def reversals(work: Work, params: Params, id: str) -> Json:
    """The reversals of a transfer."""
    params.accept("limit", "starting_after")
    found: Json = work.get(id, "transfer")["reversals"]
    return found


@route("GET", "/v1/transfers/{id}/reversals/{reversal}")
def retrieve_reversal(work: Work, params: Params, id: str, reversal: str) -> Json:
    """One reversal."""
    return work.get(reversal, "transfer_reversal")


@route("GET", "/v1/transfers")
def index(work: Work, params: Params) -> Json:
    """Transfers, newest first."""
    return listing(work, params, "transfer", "/v1/transfers", ["destination", "transfer_group"])
