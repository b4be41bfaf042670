"""Stripe through dj-stripe; without keys the site sends no requests to Stripe."""

from studyplatform.settings import env

STRIPE_LIVE_MODE = env.flag("STRIPE_LIVE_MODE")
STRIPE_TEST_SECRET_KEY = env.text("STRIPE_TEST_SECRET_KEY", "sk_test_" + "0" * 24)
STRIPE_LIVE_SECRET_KEY = env.text("STRIPE_LIVE_SECRET_KEY")
DJSTRIPE_FOREIGN_KEY_TO_FIELD = "id"
SILENCED_SYSTEM_CHECKS = ["djstripe.I001"]
BILLING_MODE = "standin"
STRIPE_SECRET_KEY = STRIPE_TEST_SECRET_KEY
STRIPE_API_HOST = "http://127.0.0.1:8421"
