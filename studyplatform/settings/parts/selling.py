"""What the platform sells, and by which rules."""

import re

from django.core.exceptions import ImproperlyConfigured

from studyplatform.kit.text.money import price_step, read_currency, scaled_price, smallest_charge, units_of_a_dollar
from studyplatform.settings import env

try:
    CURRENCY = read_currency(env.text("CURRENCY", "usd"))
except ValueError as _problem:
    raise ImproperlyConfigured(f"CURRENCY: {_problem}.") from None
INSTRUCTOR_SHARE = env.number("INSTRUCTOR_SHARE", 70)  # percent of what is paid, without tax; stored with each sale
REFUND_DAYS = env.number("REFUND_DAYS", 14)
REFUND_PERCENT = env.number("REFUND_PERCENT", 20)  # from this much of a course used on, an admin decides
TAX_RATES = env.rates("TAX_RATES")  # by country, in hundredths of a percent; prices include the tax
TAX_RATE_CHANGES = env.rate_changes("TAX_RATE_CHANGES")  # EE=24@2025-07-01: another rate from that day on
# Where these name no country of the EU, its standard rate applies (apps/billing/eu_vat_rates.py).
EU_TAX_RATES = env.flag("EU_TAX_RATES", default=True)
PREMIUM_MONTHLY = env.number("PREMIUM_MONTHLY", scaled_price(1400, CURRENCY))  # minor units
PREMIUM_YEARLY = env.number("PREMIUM_YEARLY", scaled_price(14000, CURRENCY))
for _name, _price in (("PREMIUM_MONTHLY", PREMIUM_MONTHLY), ("PREMIUM_YEARLY", PREMIUM_YEARLY)):
    if _price < smallest_charge(CURRENCY) or _price % price_step(CURRENCY):
        raise ImproperlyConfigured(f"{_name}: {_price} minor units of {CURRENCY.upper()} cannot be charged.")
PREMIUM_TRIAL_DAYS = env.number("PREMIUM_TRIAL_DAYS", 7)
GRACE_DAYS = env.number("GRACE_DAYS", 7)  # how long Premium stays open after a renewal failed

# Payouts to instructors: sales are paid out once the days of automatic refunds are over.
PAYOUT_DAY = env.number("PAYOUT_DAY", 1)  # of each month, 1 to 28
# In units of CURRENCY, about 50 dollars; smaller balances wait for the next month.
PAYOUT_MINIMUM = env.number("PAYOUT_MINIMUM", 50 * units_of_a_dollar(CURRENCY))
if not 1 <= PAYOUT_DAY <= 28:
    raise ImproperlyConfigured("PAYOUT_DAY must be from 1 to 28")
SELLER_NAME = env.text("SELLER_NAME")  # on receipts and invoices; empty: SITE_NAME
SELLER_ADDRESS = env.words("SELLER_ADDRESS")  # its lines, separated by commas
SELLER_TAX_NUMBER = env.text("SELLER_TAX_NUMBER")
SELLER_COUNTRY = env.country("SELLER_COUNTRY")  # decides between tax, reverse charge and sales outside the EU
SELLER_VAT_ID = env.text("SELLER_VAT_ID")
TAX_EXEMPTION = env.text("TAX_EXEMPTION")  # what invoices of a seller say who charges no tax; with it, no price has tax
INVOICE_PREFIX = env.text("INVOICE_PREFIX", "INV")  # INV-2026-000001
CREDIT_NOTE_PREFIX = env.text("CREDIT_NOTE_PREFIX", "CN")
for _name, _prefix in (("INVOICE_PREFIX", INVOICE_PREFIX), ("CREDIT_NOTE_PREFIX", CREDIT_NOTE_PREFIX)):
    if re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9-]{0,9}", _prefix) is None:
        raise ImproperlyConfigured(f"{_name} must be one to ten letters, digits or hyphens, not {_prefix!r}")
if INVOICE_PREFIX.casefold() == CREDIT_NOTE_PREFIX.casefold():
    raise ImproperlyConfigured("INVOICE_PREFIX and CREDIT_NOTE_PREFIX must differ")
# The account to which orders by bank transfer are paid; without an IBAN, checkouts offer cards only.
BANK_IBAN = env.text("BANK_IBAN")
BANK_BIC = env.text("BANK_BIC")
BANK_HOLDER = env.text("BANK_HOLDER")  # empty: SELLER_NAME
BANK_NAME = env.text("BANK_NAME")
COUNTRY_HEADER = env.text("COUNTRY_HEADER")  # in which a proxy names the country of an address, such as CF-IPCountry
# The numbers of the ledger's accounts in the accountant's chart of accounts, for the journal (docs/accounting.md).
LEDGER_ACCOUNT_NUMBERS = env.account_numbers("LEDGER_ACCOUNT_NUMBERS")
