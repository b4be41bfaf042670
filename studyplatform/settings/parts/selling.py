"""What the platform sells, and by which rules."""

from django.core.exceptions import ImproperlyConfigured

from studyplatform.settings import env

CURRENCY = env.text("CURRENCY", "usd")
INSTRUCTOR_SHARE = env.number("INSTRUCTOR_SHARE", 70)  # percent of what is paid, without tax; stored with each sale
REFUND_DAYS = env.number("REFUND_DAYS", 14)
REFUND_PERCENT = env.number("REFUND_PERCENT", 20)  # from this much of a course's lessons on, an admin decides
TAX_RATES = env.rates("TAX_RATES")  # by country, in hundredths of a percent; prices include the tax
PREMIUM_MONTHLY = env.number("PREMIUM_MONTHLY", 1400)  # minor units
PREMIUM_YEARLY = env.number("PREMIUM_YEARLY", 14000)
PREMIUM_TRIAL_DAYS = env.number("PREMIUM_TRIAL_DAYS", 7)
GRACE_DAYS = env.number("GRACE_DAYS", 7)  # how long Premium stays open after a renewal failed

# Payouts to instructors: sales are paid out once the days of automatic refunds are over.
PAYOUT_DAY = env.number("PAYOUT_DAY", 1)  # of each month, 1 to 28
PAYOUT_MINIMUM = env.number("PAYOUT_MINIMUM", 50)  # in units of the currency; smaller balances wait for the next month
if not 1 <= PAYOUT_DAY <= 28:
    raise ImproperlyConfigured("PAYOUT_DAY must be from 1 to 28")
SELLER_NAME = env.text("SELLER_NAME")  # on receipts and invoices; empty: SITE_NAME
SELLER_ADDRESS = env.words("SELLER_ADDRESS")  # its lines, separated by commas
SELLER_TAX_NUMBER = env.text("SELLER_TAX_NUMBER")
