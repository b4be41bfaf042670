"""The balance and its transactions: https://docs.stripe.com/api/balance_transactions.

Money is available at once: the stand-in has no waiting days between a charge and the balance.
"""

from typing import Any

from apps.billing.standin.errors import Json
from apps.billing.standin.forms import Params
from apps.billing.standin.presenting import listing
from apps.billing.standin.routing import route
from apps.billing.standin.work import Work

FEE_THOUSANDTHS, FEE_FIXED = 29, 30  # 2.9 % + 30 of the minor unit, Stripe's fee for cards in the United States
DISPUTE_FEE = 1500
_STATE = "balance"
# What reports call a type of transaction: https://docs.stripe.com/reports/reporting-categories
_CATEGORIES = {"payment_refund": "refund", "adjustment": "dispute", "payout_failure": "payout_reversal"}


def fee(amount: int) -> int:
    """The fee of a charge, rounded half up."""
    return (amount * FEE_THOUSANDTHS + 500) // 1000 + FEE_FIXED


def record(work: Work, type: str, amount: int, currency: str, source: str, *, fee: int = 0, **more: Any) -> Json:
    """Move money: a transaction that changes the balance of the account by ``amount - fee``."""
    details = [
        {
            "amount": fee, "application": None, "currency": currency, "description": "Stripe processing fees",
            "type": "stripe_fee",
        }
    ]  # fmt: skip
    values = {
        "amount": amount, "available_on": work.now, "balance_type": "payments", "currency": currency,
        "description": None, "exchange_rate": None, "fee": fee, "fee_details": details if fee else [],
        "net": amount - fee, "reporting_category": _CATEGORIES.get(type, type), "source": source,
        "status": "available", "type": type, **more,
    }  # fmt: skip
    transaction = work.new("balance_transaction", values)
    del transaction["metadata"]
    state = _state(work)
    state["_amounts"][currency] = state["_amounts"].get(currency, 0) + amount - fee
    work.save(state)
    return work.save(transaction)


def available(work: Work, currency: str) -> int:
    """What the account has in a currency."""
    return int(_state(work)["_amounts"].get(currency, 0))


def _state(work: Work) -> Json:
    return work.find(_STATE) or work.new("balance", {"_amounts": {}}, id=_STATE)


@route("GET", "/v1/balance")
def retrieve(work: Work, params: Params) -> Json:
    """The balance of the account."""
    amounts = _state(work)["_amounts"] or {"usd": 0}
    rows = [
        {"amount": amount, "currency": currency, "source_types": {"card": amount}}
        for currency, amount in amounts.items()
    ]
    return {
        "object": "balance", "available": rows, "livemode": False, "instant_available": rows,
        "pending": [{**row, "amount": 0, "source_types": {"card": 0}} for row in rows],
        "connect_reserved": [{"amount": 0, "currency": row["currency"]} for row in rows],
        "refund_and_dispute_prefunding": {"available": [], "pending": []},
    }  # fmt: skip


@route("GET", "/v1/balance_transactions/{id}")
def transaction(work: Work, params: Params, id: str) -> Json:
    """A balance transaction."""
    return work.get(id, "balance_transaction")


@route("GET", "/v1/balance_transactions")
def index(work: Work, params: Params) -> Json:
    """Balance transactions, newest first."""
    fields = ["type", "source", "currency", "payout"]
    return listing(work, params, "balance_transaction", "/v1/balance_transactions", fields)
