"""Payments: Stripe through dj-stripe, or the project's own stand-in for it when there are no keys."""

from django.core.exceptions import ImproperlyConfigured

from apps.billing.standin import keys
from studyplatform.settings import env

STRIPE_LIVE_MODE = env.flag("STRIPE_LIVE_MODE")
_kind = "LIVE" if STRIPE_LIVE_MODE else "TEST"
STRIPE_SECRET_KEY = env.text(f"STRIPE_{_kind}_SECRET_KEY")
STRIPE_PUBLISHABLE_KEY = env.text(f"STRIPE_{_kind}_PUBLISHABLE_KEY")
if bool(STRIPE_SECRET_KEY) != bool(STRIPE_PUBLISHABLE_KEY):
    raise ImproperlyConfigured(f"Set both STRIPE_{_kind}_SECRET_KEY and STRIPE_{_kind}_PUBLISHABLE_KEY, or neither.")
if STRIPE_LIVE_MODE and not STRIPE_SECRET_KEY:
    raise ImproperlyConfigured("STRIPE_LIVE_MODE needs STRIPE_LIVE_SECRET_KEY and STRIPE_LIVE_PUBLISHABLE_KEY.")
for _key, _prefixes in ((STRIPE_SECRET_KEY, ("sk", "rk")), (STRIPE_PUBLISHABLE_KEY, ("pk",))):
    # A live key in test mode would move real money.
    if _key and not _key.startswith(tuple(f"{one}_{_kind.lower()}_" for one in _prefixes)):
        raise ImproperlyConfigured(f"A Stripe key must begin with {_prefixes[0]}_{_kind.lower()}_.")

# "stripe": the real provider; "standin": apps/billing/standin, a process beside the web server.
BILLING_MODE = "stripe" if STRIPE_SECRET_KEY else "standin"
ALLOW_STANDIN = env.flag("ALLOW_STANDIN")  # production refuses to start with the stand-in without it
_port = env.number("PORT", 8000)
STANDIN_PORT = env.number("STANDIN_PORT", _port + 421 if _port + 421 < 65536 else _port - 421)
STANDIN_ADDRESS = f"http://127.0.0.1:{STANDIN_PORT}"
# None: dj-stripe's warning, which has no id, that it would rather have signals than DJSTRIPE_WEBHOOK_EVENT_CALLBACK. A
# signal comes inside its own processing, so an event that it fails to copy would never be handled (docs/adr/0023).
SILENCED_SYSTEM_CHECKS: list[str | None] = ["djstripe.I001", None]
if BILLING_MODE == "standin":
    STRIPE_SECRET_KEY, STRIPE_PUBLISHABLE_KEY = keys.SECRET_KEY, keys.PUBLISHABLE_KEY
    STRIPE_API_HOST = STANDIN_ADDRESS  # dj-stripe sends its requests there
    SILENCED_SYSTEM_CHECKS += ["djstripe.W002"]  # it warns of exactly that

# The names under which dj-stripe looks for them.
STRIPE_TEST_SECRET_KEY = "" if STRIPE_LIVE_MODE else STRIPE_SECRET_KEY
STRIPE_LIVE_SECRET_KEY = STRIPE_SECRET_KEY if STRIPE_LIVE_MODE else ""
DJSTRIPE_FOREIGN_KEY_TO_FIELD = "id"
DJSTRIPE_WEBHOOK_EVENT_CALLBACK = "apps.billing.services.webhooks.receive"
