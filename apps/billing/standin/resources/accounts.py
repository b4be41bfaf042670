"""The platform's own account and connected accounts: https://docs.stripe.com/api/accounts."""

import secrets

from apps.billing.standin.errors import Json, invalid, missing
from apps.billing.standin.forms import Params
from apps.billing.standin.keys import ACCOUNT
from apps.billing.standin.presenting import listing, page
from apps.billing.standin.resources import banks
from apps.billing.standin.routing import route
from apps.billing.standin.work import PREFIXES, Work

LINK_SECONDS = 300  # how long an account link can be opened
_DUE = [
    "business_profile.url",
    "external_account",
    "individual.first_name",
    "individual.last_name",
    "tos_acceptance.date",
]


def prepare(work: Work) -> None:
    """Make the platform's account, with the bank account for its own payouts, if this is the first start."""
    if work.find(ACCOUNT) is None:
        account = _blank("standard", "US", "payments@example.com")
        account |= {
            "charges_enabled": True, "payouts_enabled": True, "details_submitted": True, "capabilities": {},
            "business_profile": {"name": "Study Platform"}, "controller": {"type": "account"},
        }  # fmt: skip
        account["settings"]["dashboard"]["display_name"] = "Study Platform (stand-in)"
        account["settings"]["payouts"]["schedule"]["interval"] = "manual"
        work.new("account", account, id=ACCOUNT)
    account = work.get(ACCOUNT, "account")
    if not account.get("external_accounts", {}).get("data"):
        account["external_accounts"] = page([], f"/v1/accounts/{ACCOUNT}/external_accounts")
        account["settings"]["payouts"]["schedule"]["interval"] = "manual"
        banks.attach(work, account, Params({"external_account": "btok_us_verified"}))
        work.save(account)


def _blank(type: str | None, country: str, email: str | None) -> Json:
    return {
        "type": type, "country": country, "default_currency": "usd", "email": email, "charges_enabled": False,
        "payouts_enabled": False, "details_submitted": False, "business_type": None, "business_profile": {},
        "capabilities": {}, "future_requirements": {}, "requirements": {"currently_due": [], "disabled_reason": None},
        "settings": {
            "branding": {}, "dashboard": {"display_name": None, "timezone": "Etc/UTC"},
            "payouts": {"debit_negative_balances": True, "schedule": {"delay_days": 2, "interval": "daily"}},
        },
        "tos_acceptance": {"date": None}, "controller": {"type": "application", "is_controller": True},
    }  # fmt: skip


@route("POST", "/v1/accounts")
def create(work: Work, params: Params) -> Json:
    """Make a connected account, whose owner has yet to give the details for payouts."""
    type = params.choice("type", ["express", "custom", "standard"])
    controller = params.inner("controller")
    controller.accept(*controller.names())
    if type is None and not controller.names():
        raise invalid("Missing required param: type.", param="type", code="parameter_missing")
    account = _blank(type or "none", params.text("country", "US") or "US", params.text("email"))
    id = f"{PREFIXES['account']}_1{secrets.token_hex(8)}"
    account["external_accounts"] = page([], f"/v1/accounts/{id}/external_accounts")
    account["requirements"] = {
        "currently_due": _DUE, "eventually_due": _DUE, "past_due": [], "pending_verification": [], "errors": [],
        "alternatives": [], "current_deadline": None, "disabled_reason": "requirements.past_due",
    }  # fmt: skip
    made = work.new("account", account, id=id)
    _change(work, made, params)
    return work.save(made)


@route("POST", "/v1/accounts/{id}")
def update(work: Work, params: Params, id: str) -> Json:
    """Change a connected account."""
    account = work.get(id, "account")
    params.accept("type", "country", "controller")
    _change(work, account, params)
    _told(work, account)
    return account


def _change(work: Work, account: Json, params: Params) -> None:
    params.accept("type", "country", "individual", "company", "tos_acceptance")
    if params.has("email"):
        account["email"] = params.text("email")
    account["default_currency"] = params.text("default_currency", account["default_currency"])
    account["business_type"] = params.text("business_type", account["business_type"])
    account["business_profile"] |= params.plain("business_profile")
    wanted = params.inner("capabilities")
    for name in wanted.names():
        if wanted.inner(name).flag("requested"):
            account["capabilities"].setdefault(name, "active" if account["details_submitted"] else "inactive")
    schedule = params.inner("settings").inner("payouts").inner("schedule")
    if interval := schedule.choice("interval", ["manual", "daily"]):
        account["settings"]["payouts"]["schedule"]["interval"] = interval
    schedule.accept("delay_days")
    account["metadata"] = params.merge_metadata(account["metadata"])
    if params.has("external_account"):
        banks.add(work, account, params)


def _told(work: Work, account: Json) -> None:
    work.save(account)
    work.acting_for(account["id"]).emit("account.updated", account)


@route("GET", "/v1/account")
def own(work: Work, params: Params) -> Json:
    """The account that the key, or the Stripe-Account header, names."""
    return work.acting_for("").get(work.account or ACCOUNT, "account")


@route("GET", "/v1/accounts/{id}")
def retrieve(work: Work, params: Params, id: str) -> Json:
    """A connected account."""
    return work.acting_for("").get(id, "account")


@route("GET", "/v1/accounts")
def index(work: Work, params: Params) -> Json:
    """Connected accounts, newest first."""
    answer = listing(work, params, "account", "/v1/accounts")
    answer["data"] = [one for one in answer["data"] if one["id"] != ACCOUNT]
    return answer


@route("POST", "/v1/accounts/{id}/external_accounts")
def add_bank(work: Work, params: Params, id: str) -> Json:
    """Give the bank account that payouts go to."""
    account = work.get(id, "account")
    params.accept("default_for_currency")
    bank = banks.add(work, account, params)
    _told(work, account)
    return bank


@route("GET", "/v1/accounts/{id}/external_accounts")
def list_banks(work: Work, params: Params, id: str) -> Json:
    """The bank accounts of a connected account."""
    params.accept("object", "limit", "starting_after")
    found: Json = work.acting_for("").get(id, "account")["external_accounts"]
    return found


@route("GET", "/v1/accounts/{id}/external_accounts/{bank}")
def retrieve_bank(work: Work, params: Params, id: str, bank: str) -> Json:
    """One bank account."""
    found = work.acting_for("").get(bank, "bank_account")
    if found["account"] != id:
        raise missing("external account", bank)
    return found


@route("POST", "/v1/account_links")
def link(work: Work, params: Params) -> Json:
    """An address where the owner of the account gives the details: https://docs.stripe.com/api/account_links."""
    account = work.get(params.required("account"), "account", "account")
    params.choice("type", ["account_onboarding", "account_update"])
    params.accept("collection_options", "collect")
    token = secrets.token_urlsafe(24)
    values = {
        "account": account["id"], "expires_at": work.now + LINK_SECONDS, "_back": params.required("return_url"),
        "_again": params.text("refresh_url"), "url": f"{work.standin.address}/onboarding/{token}",
    }  # fmt: skip
    made = work.new("account_link", values, id=token)
    return {name: made[name] for name in ("object", "created", "expires_at", "url")}


def linked(work: Work, token: str) -> tuple[Json, str]:
    """The account that an address belongs to, and where its page leads back to.

    :raises ApiError: the address has expired.
    """
    found = work.find(token, "account_link")
    if found is None or found["expires_at"] < work.now:
        raise invalid("This link has expired. Go back and start again.", status=410)
    return work.get(found["account"], "account"), str(found["_back"])


def complete(work: Work, account: Json, values: Json) -> None:
    """The owner gave the details: transfers and payouts are possible from now on. ``later``: only some of them."""
    names = {name: str(values[name])[:60] for name in ("first_name", "last_name") if values.get(name)}
    if names:
        account["individual"] = {**account.get("individual", {}), **names}
    if values.get("later"):
        done = {f"individual.{name}" for name in names}
        for kind in ("currently_due", "eventually_due"):
            account["requirements"][kind] = [one for one in account["requirements"][kind] if one not in done]
        _told(work, account)
        return
    if number := values.get("account_number"):
        given = {"object": "bank_account", "account_number": number, "routing_number": values.get("routing_number", "")}
        banks.add(work, account, Params({"external_account": given | {"country": "US", "currency": "usd"}}))
    activate(account)
    _told(work, account)


def activate(account: Json) -> None:
    """Mark all requirements of an account as fulfilled."""
    account |= {"details_submitted": True, "charges_enabled": True}
    account["payouts_enabled"] = bool(account["external_accounts"]["data"])
    account["capabilities"] = {**dict.fromkeys(account["capabilities"], "active"), "transfers": "active"}
    due = [] if account["payouts_enabled"] else ["external_account"]
    account["requirements"] |= {
        "currently_due": due, "eventually_due": due, "disabled_reason": "requirements.past_due" if due else None,
    }  # fmt: skip
