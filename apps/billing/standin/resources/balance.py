"""The balance and its transactions: https://docs.stripe.com/api/balance_transactions.

Money is available at once: the stand-in has no waiting days between a charge and the balance. Refunds, disputes and
reversals can make a balance negative.
"""

from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from apps.billing.standin.errors import Json, invalid
from apps.billing.standin.forms import Params
from apps.billing.standin.presenting import listing
from apps.billing.standin.routing import route
from apps.billing.standin.work import Work

# What reports call a type of transaction: https://docs.stripe.com/reports/reporting-categories. A dispute and its
# reversal have the same type ("adjustment"), so their callers name the category.
_CATEGORIES = {
    "payment": "charge", "payment_refund": "refund", "adjustment": "other_adjustment",
    "payout_cancel": "payout_reversal", "payout_failure": "payout_reversal",
    "transfer_refund": "transfer_reversal", "stripe_fee": "fee", "tax_fee": "tax",
    "reserve_hold": "risk_reserved_funds", "reserve_release": "risk_reserved_funds",
}  # fmt: skip
_FEE_TEXTS = {"stripe_fee": "Stripe processing fees", "tax": "VAT on Stripe processing fees"}
_STATE, _FEES, _SETTLEMENT = "balance", "fees", "settlement"


@dataclass(frozen=True)
class Fees:
    """What the provider charges from now on; minor units, or thousandths of an amount.

    ``tax_thousandths``: of the fee of a charge, on top of it. ``refund``: for each refund. The defaults are Stripe's
    for cards in the United States.
    """

    thousandths: int = 29
    fixed: int = 30
    tax_thousandths: int = 0
    refund: int = 0
    dispute: int = 1500


def fees(work: Work) -> Fees:
    """What the provider charges now."""
    found = work.acting_for("").find(_FEES)
    return Fees(**found["_fees"]) if found else Fees()


def set_fees(work: Work, wanted: Fees) -> None:
    """Charge other fees from now on; those of earlier transactions stay."""
    row = work.find(_FEES) or work.new("fees", {}, id=_FEES)
    row["_fees"] = asdict(wanted)
    work.save(row)


def settle_in(work: Work, currency: str, rate: str) -> None:
    """Exchange from now on what is not in this currency: https://docs.stripe.com/payments/currencies.

    ``rate``: how much of it one unit of another currency is, with both counted in minor units.
    """
    row = work.find(_SETTLEMENT) or work.new("settlement", {}, id=_SETTLEMENT)
    work.save(row | {"_currency": currency, "_rate": rate})


def top_up(work: Work, amount: int, currency: str) -> Json:
    """Bring money from the platform's bank into the balance: https://docs.stripe.com/api/topups."""
    made = work.new(
        "topup",
        {
            "amount": amount, "balance_transaction": None, "currency": currency, "description": None,
            "expected_availability_date": work.now, "failure_code": None, "failure_message": None, "source": None,
            "statement_descriptor": None, "status": "succeeded", "transfer_group": None,
        },
    )  # fmt: skip
    made["balance_transaction"] = record(work, "topup", amount, currency, made["id"])["id"]
    work.emit("topup.created", work.save(made))
    work.emit("topup.succeeded", made)
    return made


def hold_reserve(work: Work, amount: int, currency: str) -> Json:
    """Hold back an amount of the balance; a negative one is released."""
    return record(work, "reserve_hold" if amount > 0 else "reserve_release", -amount, currency, None)


def fee_of_charge(work: Work, amount: int) -> dict[str, int]:
    """The fee of a charge by its kind (``stripe_fee``, ``tax``), each rounded half up."""
    now = fees(work)
    fee = (amount * now.thousandths + 500) // 1000 + now.fixed
    return {"stripe_fee": fee, "tax": (fee * now.tax_thousandths + 500) // 1000}


def record(
    work: Work, type: str, amount: int, currency: str, source: str | None, *,
    fees: dict[str, int] | None = None, **more: Any,
) -> Json:  # fmt: skip
    """Move money: a transaction that changes the balance of the account by ``amount`` less the fees.

    ``fees``: amounts by kind (``stripe_fee``, ``tax``); a negative one is returned. An account that is settled in
    another currency (:func:`settle_in`) gets everything exchanged.
    """
    settlement = None if work.account else work.find(_SETTLEMENT)
    rate = None
    if settlement and settlement["_currency"] != currency:
        currency, rate = settlement["_currency"], settlement["_rate"]
        amount = round(amount * Fraction(rate))
        fees = {kind: round(fee * Fraction(rate)) for kind, fee in (fees or {}).items()}
    details = [
        {"amount": fee, "application": None, "currency": currency, "description": _FEE_TEXTS[kind], "type": kind}
        for kind, fee in (fees or {}).items()
        if fee
    ]
    fee = sum((fees or {}).values())
    values = {
        "amount": amount, "available_on": work.now, "balance_type": "payments", "currency": currency,
        "description": None, "exchange_rate": float(rate) if rate else None, "fee": fee, "fee_details": details,
        "net": amount - fee, "reporting_category": _CATEGORIES.get(type, type), "source": source,
        "status": "available", "type": type, **more,
    }  # fmt: skip
    transaction = work.new("balance_transaction", values)
    del transaction["metadata"]
    state = _state(work)
    state["_amounts"][currency] = state["_amounts"].get(currency, 0) + amount - fee
    work.save(state)
    return work.save(transaction)


def charge_fee(work: Work, type: str, amount: int, currency: str, description: str) -> Json:
    """Take a fee that belongs to no payment: ``stripe_fee`` for a product of Stripe, ``tax_fee`` for the tax on it."""
    if type not in {"stripe_fee", "stripe_fx_fee", "tax_fee"}:
        raise invalid(f"{type} is no type of a fee.", param="type")
    return record(work, type, -amount, currency, None, description=description)


def available(work: Work, currency: str) -> int:
    """What the account has in a currency; negative if it owes."""
    return int(_state(work)["_amounts"].get(currency, 0))


def currencies(work: Work) -> list[str]:
    """The currencies in which the account has or owes something."""
    return [currency for currency, amount in _state(work)["_amounts"].items() if amount]


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
    fields = ["type", "source", "currency"]
    payout = params.text("payout")  # only automatic payouts know what they consist of
    wanted = {"_payout": payout} if payout else {}
    return listing(work, params, "balance_transaction", "/v1/balance_transactions", fields, **wanted)
