"""Bank accounts that payouts go to, with Stripe's published test numbers: https://docs.stripe.com/connect/testing.

The account number is looked up once; its last four digits and what payouts to it do are all that is stored.
"""

from apps.billing.standin.errors import Json, invalid
from apps.billing.standin.forms import Params
from apps.billing.standin.work import Work

# What a payout to the account fails with, by account number.
_FAILURES = {
    "000111111116": "no_account",
    "000111111113": "account_closed",
    "000222222227": "insufficient_funds",
    "000333333335": "debit_not_authorized",
    "000444444440": "invalid_currency",
}
_TOKENS = {
    "btok_us_verified": "000123456789",
    "btok_us": "000123456789",
    "btok_us_noAccount": "000111111116",
    "btok_us_accountClosed": "000111111113",
}
MESSAGES = {
    "no_account": "The bank account details are probably incorrect: no bank account could be found with them.",
    "account_closed": "The bank account has been closed.",
    "insufficient_funds": "Your Stripe account has insufficient funds to cover the payout.",
    "debit_not_authorized": "Debit transactions are not approved on the bank account.",
    "invalid_currency": "The bank was unable to process this payout because of its currency.",
}


def add(work: Work, account: Json, params: Params) -> Json:
    """Set the bank account of ``external_account``, see :func:`attach`, and tell the account."""
    bank = attach(work, account, params)
    work.acting_for(account["id"]).emit("account.external_account.created", bank)
    return bank


def attach(work: Work, account: Json, params: Params) -> Json:
    """Set the bank account of ``external_account``: a test token (``btok_us_verified``), or the numbers."""
    given = params.plain("external_account")
    if not given:
        number = _TOKENS.get(params.required("external_account"))
        if number is None:
            message = f"No such token: '{params.text('external_account')}'"
            raise invalid(message, param="external_account", code="resource_missing")
        given = {"account_number": number, "routing_number": "110000000"}
    number, routing = str(given.get("account_number", "")), str(given.get("routing_number", ""))
    if not number.isdigit() or not 4 <= len(number) <= 17:
        raise invalid("Invalid account number.", param="bank_account[account_number]", code="account_number_invalid")
    if not routing.isdigit() or len(routing) != 9:
        raise invalid("Invalid routing number.", param="bank_account[routing_number]", code="routing_number_invalid")
    bank = work.new(
        "bank_account",
        {
            "account": account["id"], "account_holder_name": given.get("account_holder_name"), "account_type": None,
            "account_holder_type": "individual", "available_payout_methods": ["standard"],
            "bank_name": "STRIPE TEST BANK",
            "country": given.get("country", "US"), "currency": given.get("currency", "usd"),
            "default_for_currency": True,
            "fingerprint": f"standin{number[-4:]}", "future_requirements": None, "last4": number[-4:],
            "requirements": None, "routing_number": routing, "status": "new", "_fails": _FAILURES.get(number),
        },
    )  # fmt: skip
    del bank["created"], bank["livemode"]
    work.save(bank)
    account["external_accounts"]["data"] = [bank]
    if account["details_submitted"]:
        account["payouts_enabled"] = True
        account["requirements"] |= {"currently_due": [], "eventually_due": [], "disabled_reason": None}
    return bank
