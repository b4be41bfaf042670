"""System checks of the payment provider."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register
from django.db import connection
from django.utils.timezone import localdate

from apps.billing.bank_account import account_problems
from apps.billing.countries import EU_VAT_AREA, OUTSIDE_CODES, country_codes
from apps.billing.documents.pages import percent
from apps.billing.eu_vat_rates import CHECKED_ON, are_rates_old
from apps.billing.queries.tax_rates import rates_by_country
from apps.billing.tax import needs_country, seller_of_site
from apps.billing.vat_ids import WrongVatId, check_vat_id
from apps.courses.models import Course
from studyplatform.kit.text.money import read_currency


@register(Tags.security, deploy=True)
def payments_are_real(app_configs: Any, **_: Any) -> list[CheckMessage]:
    """Runs with ``check --deploy``. Without ``ALLOW_STANDIN``, production does not start (settings/production.py)."""
    if settings.BILLING_MODE == "standin":
        hint = "Set Stripe's keys (.env.example), unless this site only demonstrates the product."
        return [Warning("Payments are simulated by the stand-in: nobody is charged.", hint=hint, id="billing.W001")]
    return []


@register
def currency_can_be_charged(app_configs: Any, **_: Any) -> list[CheckMessage]:
    """The currency of the site is one in use; the settings refuse others before, unless something overrides them."""
    try:
        read_currency(settings.CURRENCY)
    except ValueError as problem:
        return [Error(f"CURRENCY: {problem}.", id="billing.E001")]
    return []


@register
def seller_can_issue_invoices(app_configs: Any, **_: Any) -> list[CheckMessage]:
    """What invoices of this seller lack: a country that exists, and the VAT number that reverse charge needs."""
    country = settings.SELLER_COUNTRY
    if country and country not in country_codes():
        return [Error(f"SELLER_COUNTRY: {country} is not a country of ISO 3166-1.", id="billing.E002")]
    if not country and needs_country():
        hint = "Set SELLER_COUNTRY: its rate applies where the country of a buyer isn't known."
        return [Warning("Sales to an unknown country contain no tax.", hint=hint, id="billing.W005")]
    if country not in EU_VAT_AREA or settings.TAX_EXEMPTION:
        return []
    if not settings.SELLER_VAT_ID:
        hint = "Set SELLER_VAT_ID: companies in other EU countries buy with reverse charge, and their invoices need it."
        return [Warning("Invoices with reverse charge lack the seller's VAT number.", hint=hint, id="billing.W003")]
    try:
        check_vat_id(settings.SELLER_VAT_ID, country)
    except WrongVatId:
        return [Warning(f"SELLER_VAT_ID is not a VAT number of {country}.", id="billing.W004")]
    return []


@register
def tax_rates_are_decided(app_configs: Any, **_: Any) -> list[CheckMessage]:
    """Countries of the EU whose consumers pay no tax or an outdated rate, codes that name no country, old rates."""
    seller, today = seller_of_site(), localdate()
    unknown = sorted(seller.named_countries - country_codes() - OUTSIDE_CODES)
    if unknown:
        return [Error(f"TAX_RATES: {', '.join(unknown)} is no country of ISO 3166-1.", id="billing.E004")]
    found: list[CheckMessage] = []
    rates = rates_by_country(today, seller) if seller.country else []
    if missing := [each.country for each in rates if each.is_missing]:
        hint = "Set TAX_RATES, or TAX_EXEMPTION if you charge no tax."
        found.append(
            Warning(f"Consumers in {', '.join(missing)} pay no tax: no rate is set.", hint=hint, id="billing.W006")
        )
    for each in rates:
        if each.differs and each.eu_rate is not None:
            text = (
                f"TAX_RATES: the rate of {each.country} is {percent(each.rate)}, and its standard rate is"
                f" {percent(each.eu_rate)} since {each.eu_rate_since}."
            )
            found.append(Warning(text, id="billing.W007"))
    if seller.charges_eu_rates and are_rates_old(today):
        text = f"The tax rates of the EU were last checked on {CHECKED_ON}."
        found.append(Warning(text, hint="Upgrade, or set TAX_RATES.", id="billing.W008"))
    return found


@register
def bank_account_exists(app_configs: Any, **_: Any) -> list[CheckMessage]:
    """The account to which orders are transferred: money sent to a wrong number is lost for weeks."""
    return [Error(problem, id="billing.E003") for problem in account_problems()]


@register(Tags.database)
def courses_are_priced_in_the_currency(app_configs: Any, databases: Any = None, **_: Any) -> list[CheckMessage]:
    """Runs with ``migrate`` and ``check --database default``: names courses whose price is in another currency."""
    if not databases or "courses_course" not in connection.introspection.table_names():
        return []
    # Before a migration, a column that leaves out working copies is not there yet.
    priced = Course.with_working_copies.filter(pricing=Course.Pricing.ONE_TIME).exclude(currency=settings.CURRENCY)
    found = [
        f"{slug} ({currency.upper()})" for slug, currency in priced.values_list("slug", "currency").order_by("slug")
    ]
    if not found:
        return []
    text = f"Not for sale, because their price is not in {settings.CURRENCY.upper()}: {', '.join(found)}."
    return [Warning(text, hint="Enter new prices in the studio, or set CURRENCY back.", id="billing.W002")]
