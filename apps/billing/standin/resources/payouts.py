"""Payouts to bank accounts: https://docs.stripe.com/api/payouts.

One is pending for an hour, then in transit, and after two days paid, or failed with the bank's reason. A bank can also
send it back after it was paid. With a daily schedule (`balance_settings`) the whole balance is paid out each night;
what the account owes is taken from its bank by a payout with a negative amount.
"""

from apps.billing.standin.clock import DAY
from apps.billing.standin.errors import Json, invalid
from apps.billing.standin.forms import Params
from apps.billing.standin.keys import ACCOUNT
from apps.billing.standin.presenting import listing
from apps.billing.standin.resources import balance, banks
from apps.billing.standin.routing import route
from apps.billing.standin.scheduler import due
from apps.billing.standin.work import Work

PENDING_SECONDS = 3600
ARRIVAL_DAYS = 2


@route("POST", "/v1/payouts")
def create(work: Work, params: Params) -> Json:
    """Pay the balance of the account to its bank, or a part of it."""
    amount, currency = params.amount("amount"), params.required("currency").lower()
    params.choice("source_type", ["card"])
    params.choice("method", ["standard"])
    if amount > balance.available(work, currency):
        raise invalid("You have insufficient funds in your Stripe account.", code="balance_insufficient")
    payout = new(work, amount, currency, is_automatic=False)
    for name in ("description", "statement_descriptor"):
        payout[name] = params.text(name)
    payout["metadata"] = params.merge_metadata({})
    work.emit("payout.created", work.save(payout))
    return payout


def new(work: Work, amount: int, currency: str, *, is_automatic: bool) -> Json:
    """Store a payout and take its amount from the balance.

    :raises ApiError: the account has no bank account.
    """
    account = work.acting_for("").get(work.account or ACCOUNT, "account")
    found = account.get("external_accounts", {}).get("data", [])
    if not account["payouts_enabled"] or not found:
        raise invalid("Cannot create payouts: this account has no bank account yet.", code="payouts_not_allowed")
    payout = work.new(
        "payout",
        {
            "amount": amount, "application_fee": None, "application_fee_amount": None,
            "arrival_date": (work.now // DAY + ARRIVAL_DAYS) * DAY, "automatic": is_automatic,
            "balance_transaction": None, "currency": currency, "description": None, "destination": found[0]["id"],
            "failure_balance_transaction": None, "failure_code": None, "failure_message": None, "method": "standard",
            "original_payout": None, "payout_method": None,
            "reconciliation_status": "completed" if is_automatic else "not_applicable",
            "reversed_by": None, "source_type": "card", "statement_descriptor": None, "status": "pending",
            "trace_id": None, "type": "bank_account", "_fails": found[0]["_fails"],
        },
    )  # fmt: skip
    if is_automatic:
        for moved in list(work.rows("balance_transaction", currency=currency)):
            if "_payout" not in moved:
                work.save(moved | {"_payout": payout["id"]})
    included = payout["id"] if is_automatic else None
    moved = balance.record(work, "payout", -amount, currency, payout["id"], _payout=included)
    payout["balance_transaction"] = moved["id"]
    work.schedule(work.now + PENDING_SECONDS, "payout on its way", payout["id"])
    return work.save(payout)


def plan_next(work: Work, account: str) -> None:
    """Pay out in the coming night what is in the balance, if the account's schedule is daily."""
    found = work.acting_for("").get(account, "account")
    if found["settings"]["payouts"]["schedule"]["interval"] == "daily" and found["payouts_enabled"]:
        work.schedule((work.now // DAY + 1) * DAY, "automatic payout", account)
    else:
        work.unschedule("automatic payout", account)


@due("automatic payout")
def pay_out(work: Work, account: str) -> None:
    """Pay out the whole balance, as the daily schedule of an account does; take from its bank what it owes."""
    found = work.acting_for("").get(account, "account")
    may_debit = found["settings"]["payouts"].get("debit_negative_balances", True)
    for currency in balance.currencies(work):
        amount = balance.available(work, currency)
        if amount > 0 or (amount < 0 and may_debit):
            work.emit("payout.created", new(work, amount, currency, is_automatic=True))
    if account == ACCOUNT:  # a connected account waits for its next transfer
        plan_next(work, account)


@due("payout on its way")
def send(work: Work, id: str) -> None:
    """The money has left for the bank."""
    payout = work.get(id, "payout")
    payout["status"] = "in_transit"
    work.schedule(max(payout["arrival_date"], work.now), "payout arrived", id)
    work.emit("payout.updated", work.save(payout))


@due("payout arrived")
def arrive(work: Work, id: str) -> None:
    """The bank took the money or sent it back."""
    payout = work.get(id, "payout")
    if payout["_fails"]:
        fail(work, payout, payout["_fails"])
    else:
        payout["status"] = "paid"
        work.emit("payout.paid", work.save(payout))


def fail(work: Work, payout: Json, reason: str) -> Json:
    """The bank sent the money back; that can be days after the payout was paid."""
    if payout["status"] not in {"pending", "in_transit", "paid"}:
        raise invalid(f"This payout is {payout['status']} already.")
    if reason not in banks.MESSAGES:
        raise invalid(f"Invalid reason: must be one of {', '.join(banks.MESSAGES)}", param="reason")
    for name in ("payout on its way", "payout arrived"):
        work.unschedule(name, payout["id"])
    back = balance.record(work, "payout_failure", payout["amount"], payout["currency"], payout["id"])
    payout |= {
        "status": "failed", "failure_code": reason, "failure_message": banks.MESSAGES[reason],
        "failure_balance_transaction": back["id"],
    }  # fmt: skip
    work.emit("payout.failed", work.save(payout))
    return payout


@route("POST", "/v1/payouts/{id}/cancel")
def cancel(work: Work, params: Params, id: str) -> Json:
    """Stop a payout that has not left yet."""
    payout = work.get(id, "payout")
    if payout["status"] != "pending":
        raise invalid(f"Payouts can only be canceled while they are pending; this one is {payout['status']}.")
    work.unschedule("payout on its way", id)
    back = balance.record(work, "payout_cancel", payout["amount"], payout["currency"], id)
    payout |= {"status": "canceled", "failure_balance_transaction": back["id"]}
    work.emit("payout.canceled", work.save(payout))
    return payout


@route("POST", "/v1/payouts/{id}/reverse")
def reverse(work: Work, params: Params, id: str) -> Json:
    """Take a paid payout back from the bank, by another payout: https://docs.stripe.com/api/payouts/reverse."""
    payout = work.get(id, "payout")
    if payout["status"] != "paid" or payout["original_payout"] or payout["reversed_by"]:
        raise invalid(f"Payout {id} can't be reversed.", code="payout_reconciliation_not_ready")
    back = new(work, -payout["amount"], payout["currency"], is_automatic=False)
    back |= {"original_payout": id, "metadata": params.merge_metadata({})}
    payout["reversed_by"] = back["id"]
    work.emit("payout.updated", work.save(payout))
    work.emit("payout.created", work.save(back))
    return back


@route("POST", "/v1/payouts/{id}")
def update(work: Work, params: Params, id: str) -> Json:
    """Change the metadata."""
    payout = work.get(id, "payout")
    payout["metadata"] = params.merge_metadata(payout["metadata"])
    work.emit("payout.updated", work.save(payout))
    return payout


@route("GET", "/v1/payouts/{id}")
def retrieve(work: Work, params: Params, id: str) -> Json:
    """A payout. ``destination`` can be expanded."""
    return work.get(id, "payout")


@route("GET", "/v1/payouts")
def index(work: Work, params: Params) -> Json:
    """Payouts, newest first."""
    return listing(work, params, "payout", "/v1/payouts", ["status", "destination"])
