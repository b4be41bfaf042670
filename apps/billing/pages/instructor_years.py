"""What each instructor earned and was paid in a year, for tax reports."""

from __future__ import annotations

from datetime import date

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from apps.accounts import policies
from apps.accounts.guards import administers, recently_authenticated_from, signed_in_user
from apps.accounts.models import User
from apps.billing.pages.report_choices import (
    ROWS_PER_PAGE,
    selection_of,
    selection_query,
    shared_context,
    year_of,
    years_since,
)
from apps.billing.queries import yearly_earnings
from apps.billing.queries.report_selection import Selection, first_day
from apps.billing.queries.tax_details import reminded_at, tax_details_of
from studyplatform.kit.policies import enforce
from studyplatform.kit.web.csv_response import csv_response

MAX_NAMED_INSTRUCTORS = 20  # above the table, of those without tax details


@administers
@never_cache
@require_safe
def instructors(request: HttpRequest) -> HttpResponse:
    """What each instructor earned and was paid in a year, for tax reports."""
    selection, year = selection_of(request), year_of(request)
    rows = yearly_earnings.of_year(year, selection.currency)
    page = Paginator(rows, ROWS_PER_PAGE).get_page(request.GET.get("page"))
    names = User.objects.in_bulk([each.instructor_id for each in page])
    everyone = [each.instructor_id for each in rows]
    details = tax_details_of(everyone)
    missing = User.objects.filter(pk__in=set(everyone) - set(details), deleted_at=None).order_by("pk")
    context = {
        **shared_context(selection, "instructors"),
        "year": year,
        "years": years_since(first_day(), timezone.localdate(timezone=timezone.get_default_timezone())),
        "page": page,
        "details": details,
        "reminded_at": reminded_at([each.instructor_id for each in page]),
        "missing": missing[:MAX_NAMED_INSTRUCTORS],
        "missing_count": missing.count(),
        "rows": [
            (
                each,
                names.get(each.instructor_id),
                selection_query(
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


@recently_authenticated_from("/dashboard/admin/reports/instructors")
@never_cache
@require_safe
def instructors_csv(request: HttpRequest) -> StreamingHttpResponse:
    """The same by quarter as a file, with tax numbers and account numbers."""
    enforce(policies.administer(signed_in_user(request)))
    selection, year = selection_of(request), year_of(request)
    return csv_response(request, f"instructors-{year}.csv", yearly_earnings.csv_lines(year, selection.currency))
