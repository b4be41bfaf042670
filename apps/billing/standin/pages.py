"""What the browser loads from the stand-in: its script, the frame with the card fields, the bank's page, onboarding."""

import html
import json
from pathlib import Path
from typing import TYPE_CHECKING

from apps.billing.standin.amounts import amount_text
from apps.billing.standin.errors import ApiError, Json
from apps.billing.standin.resources import accounts, bank

if TYPE_CHECKING:
    from apps.billing.standin.standin import Standin

_FILES = Path(__file__).parent / "browser"
_TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
_PUBLIC = {
    "/js/stripe.js": "stripe.js",
    "/frame/card": "card.html",
    "/frame/card.css": "card.css",
    "/frame/card.js": "card.js",
    "/frame/page.css": "page.css",
    "/frame/bank.js": "bank.js",
}
_THIS_MACHINE = ("http://127.0.0.1:*", "http://localhost:*")
Reply = tuple[int, dict[str, str], bytes]


def answer(standin: "Standin", method: str, path: str, query: Json, form: Json) -> Reply:
    """Answer a request of a browser that is not a call of the API."""
    try:
        if method == "GET" and path in _PUBLIC:
            return _file(standin, _PUBLIC[path])
        if path.startswith("/bank/"):
            return _bank(standin, method, path.removeprefix("/bank/"), query, form)
        if path.startswith("/onboarding/"):
            return _onboarding(standin, method, path.removeprefix("/onboarding/"), form)
    except ApiError as error:
        return error.status, {"Content-Type": "text/plain; charset=utf-8"}, str(error).encode()
    return 404, {"Content-Type": "text/plain; charset=utf-8"}, b"The stand-in has no such page."


def _file(standin: "Standin", name: str, **values: str) -> Reply:
    content = (_FILES / name).read_text()
    for key, value in values.items():
        content = content.replace(f"{{{{ {key} }}}}", html.escape(value))
    sites = " ".join([*standin.sites, *_THIS_MACHINE])
    policy = (
        f"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; font-src {sites};"
        f" form-action 'self' {sites}; base-uri 'none'; frame-ancestors {sites}"
    )
    headers = {
        "Content-Type": f"{_TYPES[Path(name).suffix]}; charset=utf-8",
        "Content-Security-Policy": policy,
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Resource-Policy": "cross-origin",
    }
    return 200, headers, content.encode()


def _json(value: Json) -> Reply:
    return 200, {"Content-Type": "application/json"}, json.dumps(value).encode()


def _bank(standin: "Standin", method: str, id: str, query: Json, form: Json) -> Reply:
    """GET asks the cardholder; POST takes the answer: ``outcome=complete`` or ``fail``."""
    with standin.working() as work:
        intent = bank.waiting(work, id, str((form if method == "POST" else query).get("client_secret")))
        if method == "POST":
            back = (intent["next_action"] or {}).get("redirect_to_url", {}).get("return_url")
            bank.answered(work, id, accepts=form.get("outcome") == "complete")
            return _json({"back": bank.back_to(back, intent) if back else None})
        if intent["object"] == "payment_intent":
            amount = amount_text(intent["amount"], intent["currency"])
            return _file(
                standin, "bank.html", title=f"Do you want to pay {amount}?", text="Confirm that it is you who pays."
            )
        return _file(
            standin, "bank.html", title="Do you want to save this card?", text="Confirm that the card is yours."
        )


def _onboarding(standin: "Standin", method: str, link: str, form: Json) -> Reply:
    """The page on which the owner of a connected account gives the details for payouts."""
    with standin.working() as work:
        account, back = accounts.linked(work, link)
        if method == "POST":
            accounts.complete(work, account, form)
            return 303, {"Location": back, "Content-Type": "text/plain"}, b""
        return _file(standin, "onboarding.html", account=account["id"], email=account["email"] or "")
