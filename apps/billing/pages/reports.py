"""Reports for admins and their accountants: every figure leads to the rows that make it; each list is a file, too."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.conf import settings
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from apps.accounts.guards import administers
from apps.accounts.models import User
from apps.billing.documents import country_name
from apps.billing.models import LedgerEntry, Payment
from apps.billing.pages.admin_area import shared
from apps.billing.queries import journal, ledger_accounts, open_items, reports, revenue, yearly_earnings
from apps.billing.queries.reports import FIGURES, GROUPS, ReportRow, Selection
from apps.courses.models import Course
from studyplatform.kit.errors import NotFound
from studyplatform.kit.text.csv_lines import csv_line
from studyplatform.kit.text.money import plain_amount
from studyplatform.kit.web.csv_response import csv_response
from studyplatform.kit.web.dates import show_site_date

ROWS_PER_PAGE = 50


# --- What is asked for ----------------------------------------------------------------------------


def selection_of(request: HttpRequest) -> Selection:
    """Return what the parameters of the address select; what makes no sense is left out.

    Without any dates it is the present year, in TIME_ZONE.
    """
    today = timezone.localdate(timezone=timezone.get_default_timezone())
    since, until = _day(request, "since"), _day(request, "until")
    if since is None and until is None and request.GET.get("period") != "all":
        since, until = date(today.year, 1, 1), date(today.year, 12, 31)
    if since and until and since > until:
        since, until = until, since
    currency = request.GET.get("currency", "")
    country = request.GET.get("country")
    return Selection(
        currency=currency if currency in revenue.currencies() else settings.CURRENCY,
        since=since,
        until=until,
        course=_whole(request, "course"),
        instructor=_whole(request, "instructor"),
        country=country if country is not None and len(country) <= 2 else None,
        rate=_whole(request, "rate"),
    )


def _day(request: HttpRequest, name: str) -> date | None:
    with suppress(ValueError):
        found = date.fromisoformat(request.GET.get(name, ""))
        return found if 1970 <= found.year <= 9000 else None
    return None


def _whole(request: HttpRequest, name: str) -> int | None:
    with suppress(ValueError):
        number = int(request.GET.get(name, ""))
        return number if -1 <= number < 2**63 else None
    return None


def _query(selection: Selection, **more: str) -> str:
    """The parameters of an address that selects the same."""
    dates = {} if selection.since or selection.until else {"period": "all"}
    return urlencode({**selection.parameters(), **dates, **more})


def _periods(first: date | None, selection: Selection) -> list[dict[str, Any]]:
    """What a click chooses: each year since the first entry, its quarters, and all time."""
    today = timezone.localdate(timezone=timezone.get_default_timezone())
    year = (selection.since or selection.until or today).year
    spans = [(str(each), date(each, 1, 1), date(each, 12, 31)) for each in _years(first, today)]
    for number in range(4):
        start = date(year, number * 3 + 1, 1)
        end = (start + timedelta(days=92)).replace(day=1) - timedelta(days=1)
        spans.append((_("Q%(number)d %(year)d") % {"number": number + 1, "year": year}, start, end))
    found: list[dict[str, Any]] = [
        {
            "label": label,
            "query": _query(replace(selection, since=since, until=until)),
            "is_on": (selection.since, selection.until) == (since, until),
        }
        for label, since, until in spans
    ]
    everything = replace(selection, since=None, until=None)
    found.append({"label": _("All time"), "query": _query(everything), "is_on": selection == everything})
    return found


def _years(first: date | None, today: date) -> list[int]:
    return list(range(today.year, max((first or today).year, today.year - 9) - 1, -1))


def _label_period(selection: Selection) -> str:
    """A period in words: "1 January 2026 to 31 March 2026"."""
    match selection.since, selection.until:
        case None, None:
            return _("All time")
        case since, None:
            return _("Since %(day)s") % {"day": show_site_date(since)}
        case None, until:
            return _("Until %(day)s") % {"day": show_site_date(until)}
        case since, until:
            return _("%(first)s to %(last)s") % {"first": show_site_date(since), "last": show_site_date(until)}
    return ""


def _shared(selection: Selection, part: str) -> dict[str, Any]:
    """What all pages of the reports show."""
    return {
        **shared("reports"),
        "part": part,
        "selection": selection,
        "currency": selection.currency,
        "currencies": [(each, _query(replace(selection, currency=each))) for each in revenue.currencies()],
        "periods": _periods(reports.first_day(), selection),
        "period": _label_period(selection),
        "time_zone": settings.TIME_ZONE,
        "query": _query(selection),
    }


# --- Revenue --------------------------------------------------------------------------------------


def _group_of(request: HttpRequest) -> str:
    group = request.GET.get("by", "")
    return group if group in GROUPS else "month"


def _named(row: ReportRow, group: str) -> str:
    """What a page calls a line of a report."""
    selection = row.selection
    if group == "month":
        return show_site_date(selection.since, "F Y") if selection.since else ""
    if group == "country":
        return country_name(selection.country or "") or _("Unknown country")
    if group == "rate":
        return f"{(selection.rate or 0) / 100:g}%"
    return row.label or _("A deleted course")


@administers
@never_cache
@require_safe
def report(request: HttpRequest) -> HttpResponse:
    """Revenue of a period by month, course, instructor, country or tax rate."""
    selection, group = selection_of(request), _group_of(request)
    rows = reports.report(selection, group)
    page = Paginator(rows, ROWS_PER_PAGE).get_page(request.GET.get("page"))
    context = {
        **_shared(selection, "revenue"),
        "group": group,
        "groups": [(name, label, _query(selection, by=name)) for name, (label, _names) in GROUPS.items()],
        "figures": [(name, FIGURES[name].label) for name in GROUPS[group][1]],
        "page": page,
        "rows": [(_named(row, group), row, _query(row.selection)) for row in page],
        "total": reports.total_of(rows, selection),
        "query_by": _query(selection, by=group),
    }
    return render(request, "billing/admin/reports/revenue.html", context)


@administers
@never_cache
@require_safe
def report_csv(request: HttpRequest) -> StreamingHttpResponse:
    """The same as a file."""
    selection, group = selection_of(request), _group_of(request)
    names = GROUPS[group][1]

    def lines() -> Iterator[str]:
        yield csv_line([group, "code", "currency", "sales", *names])
        for row in reports.report(selection, group):
            amounts = [plain_amount(row.amounts[name], selection.currency) for name in names]
            code = {
                "month": row.selection.since and f"{row.selection.since:%Y-%m}",
                "country": row.selection.country,
                "course": row.selection.course,
                "instructor": row.selection.instructor,
                "rate": row.selection.rate,
            }[group]
            yield csv_line([_named(row, group), code, selection.currency.upper(), row.count, *amounts])

    return csv_response(request, f"revenue-by-{group}.csv", lines())


@administers
@never_cache
@require_safe
def entries(request: HttpRequest) -> HttpResponse:
    """The entries that make a figure of a report, and their sum."""
    selection = selection_of(request)
    name = request.GET.get("figure", "")
    figure = FIGURES.get(name, FIGURES["sold"])
    page = Paginator(reports.rows_of(selection, figure), ROWS_PER_PAGE).get_page(request.GET.get("page"))
    found = list(page)
    payments = reports.receipts_of(found)
    context = {
        **_shared(selection, "revenue"),
        "figure": figure.label,
        "page": page,
        "rows": [(entry, payments.get(entry.payment_key)) for entry in found],
        "sum": reports.sum_of(selection, figure),
        "filters": _filters(selection),
        "query_figure": _query(selection, figure=name),
    }
    return render(request, "billing/admin/reports/entries.html", context)


def _filters(selection: Selection) -> list[str]:
    """What narrows the rows beside their period, in words."""
    found = []
    if selection.course is not None:
        title = Course.objects.filter(pk=selection.course).values_list("title", flat=True).first()
        found.append(_("Premium") if selection.course == reports.NONE else title or _("A deleted course"))
    if selection.instructor is not None:
        person = User.objects.filter(pk=selection.instructor).first()
        found.append(person.display_name if person else _("Platform"))
    if selection.country is not None:
        found.append(country_name(selection.country) or _("Unknown country"))
    if selection.rate is not None:
        found.append(_("Tax rate %(rate)s%%") % {"rate": f"{selection.rate / 100:g}"})
    return found


@administers
@never_cache
@require_safe
def entries_csv(request: HttpRequest) -> StreamingHttpResponse:
    """The same as a file."""
    selection, name = selection_of(request), request.GET.get("figure", "")
    name = name if name in FIGURES else "sold"

    def lines() -> Iterator[str]:
        header = ["date", "kind", "description", "receipt", "country", "tax_rate", "currency", name, "reference"]
        yield csv_line(header)
        for chunk in journal.chunks(reports.rows_of(selection, FIGURES[name])):
            payments = reports.receipts_of(chunk)
            for entry in chunk:
                payment = payments.get(entry.payment_key)
                yield csv_line(
                    [
                        _site_day(entry.occurred_at),
                        entry.kind,
                        entry.description,
                        (payment.receipt_number or "") if payment else "",
                        payment.country if payment else "",
                        f"{payment.tax_rate / 100:g}" if payment else "",
                        entry.currency.upper(),
                        plain_amount(entry.part, entry.currency),
                        entry.key,
                    ]
                )

    return csv_response(request, f"{name}.csv", lines())


def _site_day(moment: datetime) -> str:
    return timezone.localtime(moment, timezone.get_default_timezone()).date().isoformat()


@administers
@never_cache
@require_safe
def entry(request: HttpRequest, uid: UUID) -> HttpResponse:
    """One entry with its lines, and the other entries of the same payment."""
    found = LedgerEntry.objects.filter(uid=uid).first()
    if found is None:
        raise NotFound
    lines = list(found.lines.select_related("account").order_by("-amount", "account__code"))
    others = LedgerEntry.objects.filter(payment_key=found.payment_key).exclude(pk=found.pk) if found.payment_key else []
    context = {
        **_shared(Selection(found.currency), "accounts"),
        "entry": found,
        "lines": [(line, ledger_accounts.name_account(line.account.code)) for line in lines],
        "others": others.order_by("occurred_at", "pk")[:ROWS_PER_PAGE] if found.payment_key else [],
        "payment": Payment.objects.select_related("user").filter(gateway_id=found.payment_key).first()
        if found.payment_key
        else None,
    }
    return render(request, "billing/admin/reports/entry.html", context)


# --- Accounts and the journal ---------------------------------------------------------------------


@administers
@never_cache
@require_safe
def accounts(request: HttpRequest) -> HttpResponse:
    """The trial balance: each account at the beginning and end of a period."""
    selection = selection_of(request)
    rows = ledger_accounts.balances(selection.currency, selection.since, selection.until)
    context = {
        **_shared(selection, "accounts"),
        "rows": rows,
        "debit": sum(each.debit for each in rows),
        "credit": sum(each.credit for each in rows),
        "closing": sum(each.closing for each in rows),
        "opening": sum(each.opening for each in rows),
        "open_items": open_items.open_items(selection.currency),
    }
    return render(request, "billing/admin/reports/accounts.html", context)


@administers
@never_cache
@require_safe
def instructor_accounts(request: HttpRequest) -> HttpResponse:
    """What each instructor is owed."""
    selection = selection_of(request)
    found = ledger_accounts.instructor_balances(selection.currency, selection.since, selection.until)
    page = Paginator(found, ROWS_PER_PAGE).get_page(request.GET.get("page"))
    rows = [(ledger_accounts.of_instructor(row), row["account__instructor_id"]) for row in page]
    names = User.objects.in_bulk([instructor for _row, instructor in rows])
    context = {
        **_shared(selection, "accounts"),
        "page": page,
        "rows": [(row, names.get(instructor)) for row, instructor in rows],
    }
    return render(request, "billing/admin/reports/instructor_accounts.html", context)


@administers
@never_cache
@require_safe
def account(request: HttpRequest, code: str) -> HttpResponse:
    """The statement of an account: its lines with the balance after each."""
    found = ledger_accounts.find_account(code)
    if found is None:
        raise NotFound
    selection = selection_of(request)
    span = (selection.currency, selection.since, selection.until)
    page = Paginator(ledger_accounts.statement(found, *span), ROWS_PER_PAGE).get_page(request.GET.get("page"))
    context = {
        **_shared(selection, "accounts"),
        "code": code,
        "person": User.objects.filter(pk=found.instructor_id).first() if found.instructor_id else None,
        "name": ledger_accounts.name_account(code),
        "balance": ledger_accounts.balance_of(found, *span),
        "page": page,
    }
    return render(request, "billing/admin/reports/account.html", context)


@administers
@never_cache
@require_safe
def journal_csv(request: HttpRequest) -> StreamingHttpResponse:
    """Every line of the ledger in a period, oldest first, for accounting software (docs/accounting.md)."""
    selection = selection_of(request)
    return csv_response(request, "journal.csv", journal.lines(selection))


# --- Years of instructors -------------------------------------------------------------------------


@administers
@never_cache
@require_safe
def instructors(request: HttpRequest) -> HttpResponse:
    """What each instructor earned and was paid in a year, for tax reports."""
    selection, year = selection_of(request), _year_of(request)
    rows = yearly_earnings.of_year(year, selection.currency)
    page = Paginator(rows, ROWS_PER_PAGE).get_page(request.GET.get("page"))
    names = User.objects.in_bulk([each.instructor_id for each in page])
    context = {
        **_shared(selection, "instructors"),
        "year": year,
        "years": _years(reports.first_day(), timezone.localdate(timezone=timezone.get_default_timezone())),
        "page": page,
        "rows": [
            (
                each,
                names.get(each.instructor_id),
                _query(
                    Selection(
                        selection.currency,
                        since=date(year, 1, 1),
                        until=date(year, 12, 31),
                        instructor=each.instructor_id,
                    )
                ),
            )
            for each in page
        ],
    }
    return render(request, "billing/admin/reports/instructors.html", context)


@administers
@never_cache
@require_safe
def instructors_csv(request: HttpRequest) -> StreamingHttpResponse:
    """The same by quarter as a file."""
    selection, year = selection_of(request), _year_of(request)
    return csv_response(request, f"instructors-{year}.csv", yearly_earnings.csv_lines(year, selection.currency))


def _year_of(request: HttpRequest) -> int:
    today = timezone.localdate(timezone=timezone.get_default_timezone())
    year = _whole(request, "year")
    return year if year is not None and 1970 <= year <= today.year else today.year
