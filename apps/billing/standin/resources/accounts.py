"""The platform's own account: https://docs.stripe.com/api/accounts/object."""

from apps.billing.standin.errors import Json
from apps.billing.standin.forms import Params
from apps.billing.standin.keys import ACCOUNT
from apps.billing.standin.routing import route
from apps.billing.standin.work import Work


def prepare(work: Work) -> None:
    """Make the platform's account if this is the first start."""
    if work.find(ACCOUNT) is None:
        values = {
            "type": "standard", "country": "US", "default_currency": "usd", "email": "payments@example.com",
            "charges_enabled": True, "payouts_enabled": True, "details_submitted": True, "capabilities": {},
            "business_profile": {"name": "Study Platform"}, "business_type": "company",
            "controller": {"type": "account"},
            "requirements": {},
            "settings": {"branding": {}, "dashboard": {"display_name": "Study Platform (stand-in)"}},
        }  # fmt: skip
        work.new("account", values, id=ACCOUNT)


@route("GET", "/v1/account")
def own(work: Work, params: Params) -> Json:
    """The account that the key, or the Stripe-Account header, names."""
    return work.acting_for("").get(work.account or ACCOUNT, "account")
