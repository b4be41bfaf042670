"""When the balance of an account is paid out: https://docs.stripe.com/api/balance-settings.

``manual`` at first for the platform, whose money is needed for transfers; ``daily`` pays out everything each night.
"""

from apps.billing.standin.errors import Json
from apps.billing.standin.forms import Params
from apps.billing.standin.keys import ACCOUNT
from apps.billing.standin.resources import payouts
from apps.billing.standin.routing import route
from apps.billing.standin.work import Work


@route("GET", "/v1/balance_settings")
def retrieve(work: Work, params: Params) -> Json:
    """The settings of the account."""
    return _shown(_account(work))


@route("POST", "/v1/balance_settings")
def update(work: Work, params: Params) -> Json:
    """Change the schedule of payouts, and whether a negative balance is taken from the bank."""
    account = _account(work)
    found = params.inner("payments")
    held = account["settings"]["payouts"]
    if interval := found.inner("payouts").inner("schedule").choice("interval", ["manual", "daily"]):
        held["schedule"]["interval"] = interval
    if found.has("debit_negative_balances"):
        held["debit_negative_balances"] = found.flag("debit_negative_balances")
    work.acting_for("").save(account)
    payouts.plan_next(work, account["id"])
    shown = _shown(account)
    work.emit("balance_settings.updated", shown, previous={})
    return shown


def _account(work: Work) -> Json:
    return work.acting_for("").get(work.account or ACCOUNT, "account")


def _shown(account: Json) -> Json:
    held = account["settings"]["payouts"]
    return {
        "object": "balance_settings",
        "payments": {
            "debit_negative_balances": held.get("debit_negative_balances", True),
            "payouts": {
                "minimum_balance_by_currency": None, "schedule": {"interval": held["schedule"]["interval"]},
                "statement_descriptor": None, "status": "enabled" if account["payouts_enabled"] else "disabled",
            },
            "settlement_timing": {"delay_days": 0, "delay_days_override": None, "start_of_day": None},
        },
    }  # fmt: skip
