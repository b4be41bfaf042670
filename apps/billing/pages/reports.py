"""Revenue reports for admins and their accountants: every figure leads to the rows that make it, as files too."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from apps.accounts.guards import administers
from apps.accounts.models import User
from apps.billing.countries import country_name
from apps.billing.pages.report_choices import ROWS_PER_PAGE, selection_of, selection_query, shared_context
from apps.billing.queries import journal, reports
from apps.billing.queries.report_selection import NONE, Selection
from apps.billing.queries.reports import FIGURES, GROUPS, ReportRow
from apps.billing.tax import TaxTreatment
from apps.courses.models import Course
from studyplatform.kit.text.csv_lines import csv_line
from studyplatform.kit.text.money import plain_amount
from studyplatform.kit.web.csv_response import csv_response
from studyplatform.kit.web.dates import show_site_date


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
    if group == "tax":
        treatment = TaxTreatment(selection.treatment or TaxTreatment.STANDARD)
        country = country_name(selection.country or "") or _("Unknown country")
        how = f"{(selection.rate or 0) / 100:g}%" if treatment is TaxTreatment.STANDARD else str(treatment.label)
        return f"{country}, {how}"
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
        **shared_context(selection, "revenue"),
        "group": group,
        "groups": [(name, label, selection_query(selection, by=name)) for name, (label, _names) in GROUPS.items()],
        "figures": [(name, FIGURES[name].label) for name in GROUPS[group][1]],
        "page": page,
        "rows": [(_named(row, group), row, selection_query(row.selection)) for row in page],
        "total": reports.total_of(rows, selection),
        "query_by": selection_query(selection, by=group),
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
                "tax": f"{row.selection.country}-{row.selection.rate}-{row.selection.treatment}",
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
    payments, documents = reports.receipts_of(found), reports.documents_of(found)
    context = {
        **shared_context(selection, "revenue"),
        "figure": figure.label,
        "page": page,
        "rows": [(entry, payments.get(entry.payment_key), documents.get(entry.key)) for entry in found],
        "sum": reports.sum_of(selection, figure),
        "filters": _filters(selection),
        "query_figure": selection_query(selection, figure=name),
    }
    return render(request, "billing/admin/reports/entries.html", context)


def _filters(selection: Selection) -> list[str]:
    """What narrows the rows beside their period, in words."""
    found = []
    if selection.course is not None:
        title = Course.objects.filter(pk=selection.course).values_list("title", flat=True).first()
        found.append(_("Premium") if selection.course == NONE else title or _("A deleted course"))
    if selection.instructor is not None:
        person = User.objects.filter(pk=selection.instructor).first()
        found.append(person.display_name if person else _("Platform"))
    if selection.country is not None:
        found.append(country_name(selection.country) or _("Unknown country"))
    if selection.rate is not None:
        found.append(_("Tax rate %(rate)s%%") % {"rate": f"{selection.rate / 100:g}"})
    if selection.treatment in TaxTreatment.values:
        found.append(str(TaxTreatment(selection.treatment).label))
    return found


@administers
@never_cache
@require_safe
def entries_csv(request: HttpRequest) -> StreamingHttpResponse:
    """The same as a file."""
    selection, name = selection_of(request), request.GET.get("figure", "")
    name = name if name in FIGURES else "sold"

    def lines() -> Iterator[str]:
        header = [
            "date",
            "kind",
            "description",
            "document",
            "receipt",
            "country",
            "tax_rate",
            "currency",
            name,
            "reference",
        ]
        yield csv_line(header)
        for chunk in journal.chunks(reports.rows_of(selection, FIGURES[name])):
            payments, documents = reports.receipts_of(chunk), reports.documents_of(chunk)
            for entry in chunk:
                payment, document = payments.get(entry.payment_key), documents.get(entry.key)
                yield csv_line(
                    [
                        _site_day(entry.occurred_at),
                        entry.kind,
                        entry.description,
                        document.number if document else "",
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
