"""Statements for instructors as PDFs: of a payout, and of a year (``statement.typ``). Lengths are in points."""

from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.billing.documents.pages import day
from apps.billing.models import EntryKind, Payout
from apps.billing.queries.payout_statements import statement_of
from apps.billing.queries.yearly_earnings import YearlyEarnings, payouts_of_year
from studyplatform.kit.errors import NotFound
from studyplatform.kit.text.money import money
from studyplatform.kit.typesetting import compile_pdf, make_phrase

_TEMPLATE = Path(__file__).with_name("statement.typ")
MAX_LISTED_ROWS = 1000  # of a statement; the CSV file has all


def payout_statement(payout: Payout) -> bytes:
    """Return the statement of a payout: each sale, refund and share of Premium in it, and how they add up.

    :raises NotFound: the payout did not start yet.
    """
    found = statement_of(payout)
    if found is None:
        raise NotFound
    currency = payout.currency
    count = found.rows.count()
    rows = [
        [
            day(line.entry.occurred_at),
            f"{EntryKind(line.entry.kind).label}: {line.entry.description}",
            money(line.paid, currency, cents=True),
            money(line.share, currency, cents=True),
        ]
        for line in found.rows[:MAX_LISTED_ROWS]
    ]
    sums: list[tuple[str, int, bool]] = [(_("Earned, %(count)s transactions") % {"count": count}, found.earned, False)]
    if found.carried:
        sums.append((_("Carried over from earlier payouts"), found.carried, False))
    if found.kept:
        sums.append((_("Carried over to the next payout"), -found.kept, False))
    sums.append((_("Payout"), payout.amount, True))
    facts = [
        _("Number %(number)s") % {"number": str(payout.uid)[:8].upper()},
        day(payout.started_at or payout.created_at),
        payout.get_state_display(),
    ]
    if payout.last4:
        facts.append(_("Account ending in %(last4)s") % {"last4": payout.last4})
    note = _("Amounts are without tax. The sales were made before %(date)s.") % {"date": day(payout.sales_until)}
    if count > MAX_LISTED_ROWS:
        note += " " + _("The first %(count)s transactions are listed.") % {"count": f"{MAX_LISTED_ROWS:,}"}
    return _compile(
        _("Payout statement"),
        payout.instructor,
        facts,
        columns=[_("Date"), _("Transaction"), _("Paid"), _("Yours")],
        widths=[90, 233, 80, 80],
        numbers=[2, 3],
        rows=rows,
        sums=[(label, money(amount, currency, cents=True), strong) for label, amount, strong in sums],
        note=note,
        dated=payout.started_at or payout.created_at,
    )


def yearly_statement(user: User, year: int, currency: str, earnings: YearlyEarnings) -> bytes:
    """Return what an instructor earned and was paid in a year, by quarter, for their tax return."""

    def shown(amount: int) -> str:
        return money(amount, currency, cents=True)

    quarters = [(number, earnings.quarter(number)) for number in (1, 2, 3, 4)]
    rows = [
        [
            _("Q%(number)d %(year)d") % {"number": number, "year": year},
            f"{each.sales:,}",
            shown(each.paid),
            shown(each.kept),
            shown(each.earned),
        ]
        for number, each in quarters
    ]
    total = earnings.year
    payouts = payouts_of_year(year, currency, user.pk).select_related("entry").order_by("entry__occurred_at", "pk")
    sums = [
        (_("Paid by learners, after refunds and without tax"), shown(total.paid), False),
        (_("Platform's part"), shown(-total.kept), False),
        (_("Earned in %(year)d") % {"year": year}, shown(total.earned), True),
    ]
    sent, came_back = _("Payout on %(date)s"), _("Payout returned on %(date)s")
    sums += [
        ((came_back if each.amount > 0 else sent) % {"date": day(each.entry.occurred_at)}, shown(-each.amount), False)
        for each in payouts[:MAX_LISTED_ROWS]
    ]
    sums.append((_("Paid out in %(year)d") % {"year": year}, shown(earnings.paid_out), True))
    return _compile(
        _("Earnings in %(year)d") % {"year": year},
        user,
        [_("%(currency)s, days of %(zone)s") % {"currency": currency.upper(), "zone": settings.TIME_ZONE}],
        columns=[_("Quarter"), _("Sales"), _("Paid by learners"), _("Platform's part"), _("Earned")],
        widths=[103, 65, 105, 105, 105],
        numbers=[1, 2, 3, 4],
        rows=rows,
        sums=sums,
        note=_(
            "Sales count when they are paid, refunds when they are made. What is not paid out yet is in a later payout."
        ),
        dated=None,
    )


def _compile(
    name: str,
    user: User,
    facts: list[str],
    *,
    columns: list[str],
    widths: list[int],
    numbers: list[int],
    rows: list[list[str]],
    sums: list[tuple[str, str, bool]],
    note: str,
    dated: datetime | None,
) -> bytes:
    seller = list(settings.SELLER_ADDRESS)
    if settings.SELLER_TAX_NUMBER:
        seller.append(_("Tax number %(number)s") % {"number": settings.SELLER_TAX_NUMBER})
    address = f"{settings.SITE_URL}/dashboard/instructor/earnings/"
    contents: dict[str, Any] = {
        "title": f"{name}, {user.display_name}",
        "author": settings.SELLER_NAME or settings.SITE_NAME,
        "lang": (get_language() or "en").partition("-")[0],
        "name": make_phrase(name),
        "seller": make_phrase(settings.SELLER_NAME or settings.SITE_NAME),
        "seller-lines": [make_phrase(line) for line in seller],
        "facts": [make_phrase(line) for line in facts],
        "paid-to": make_phrase(_("Paid to")),
        "receiver": [make_phrase(line) for line in (user.display_name, user.email) if line],
        "columns": [make_phrase(each) for each in columns],
        "widths": widths,
        "numbers": numbers,
        "rows": [[make_phrase(cell) for cell in row] for row in rows],
        "sums": [
            {"label": make_phrase(label), "amount": make_phrase(amount), "strong": strong}
            for label, amount, strong in sums
        ],
        "note": make_phrase(note) if note else None,
        "address": address,
        "shown-address": make_phrase(address),
    }
    return compile_pdf(_TEMPLATE, contents, dated=dated)
