"""Production: secrets are required, cookies are secure."""

from django.core.exceptions import ImproperlyConfigured

from studyplatform.settings import env
from studyplatform.settings.base import *  # noqa: F403
from studyplatform.settings.parts.billing import ALLOW_STANDIN, BILLING_MODE
from studyplatform.settings.parts.storage import CONTENT_HOST

ENVIRONMENT = "production"
WHITENOISE_USE_FINDERS = False

for _name in ("SECRET_KEY", "ALLOWED_HOSTS", "SITE_URL", "EMAIL_URL"):
    if not env.text(_name):
        raise ImproperlyConfigured(f"Production needs {_name} in the environment (see .env.example).")
if len(env.text("SECRET_KEY")) < 50:
    raise ImproperlyConfigured("SECRET_KEY is too short: use at least 50 random characters.")
# Django's deployment check warns about these two; a check can be skipped, this error cannot.
if len(set(env.text("SECRET_KEY"))) < 5 or env.text("SECRET_KEY").startswith("django-insecure-"):
    raise ImproperlyConfigured("SECRET_KEY is easy to guess: use at least 50 random characters.")

# HOST says where the server listens, not under which names it answers.
ALLOWED_HOSTS = [*env.words("ALLOWED_HOSTS"), *([CONTENT_HOST.partition(":")[0]] if CONTENT_HOST else [])]
if "*" in ALLOWED_HOSTS:
    raise ImproperlyConfigured("ALLOWED_HOSTS must name the hosts of the site: links in emails are made from them.")

if env.flag("MOCK_API"):
    raise ImproperlyConfigured("MOCK_API answers calls with recorded examples: it is for development only.")

if BILLING_MODE == "standin" and not ALLOW_STANDIN:
    raise ImproperlyConfigured(
        "Without Stripe's keys, payments are simulated and nobody is charged. Set STRIPE_LIVE_SECRET_KEY,"
        " STRIPE_LIVE_PUBLISHABLE_KEY and STRIPE_LIVE_MODE=true, or ALLOW_STANDIN=true if that is what you want."
    )

SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = True
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SECURE_SSL_REDIRECT = env.flag("SECURE_SSL_REDIRECT", default=True)
SECURE_REDIRECT_EXEMPT = [r"^(healthz|readyz)$"]
SECURE_HSTS_SECONDS = env.number("SECURE_HSTS_SECONDS", 31_536_000)
SECURE_HSTS_INCLUDE_SUBDOMAINS = True
SECURE_HSTS_PRELOAD = True
