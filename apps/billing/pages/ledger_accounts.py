"""The accounts of the ledger for admins: the trial balance, statements, entries and the journal."""

from __future__ import annotations

from uuid import UUID

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from apps.accounts.guards import administers
from apps.accounts.models import User
from apps.billing.models import LedgerEntry, Payment
from apps.billing.pages.report_choices import ROWS_PER_PAGE, selection_of, shared_context
from apps.billing.queries import journal, ledger_accounts, open_items
from apps.billing.queries.report_selection import Selection
from studyplatform.kit.errors import NotFound
from studyplatform.kit.web.csv_response import csv_response


@administers
@never_cache
@require_safe
def accounts(request: HttpRequest) -> HttpResponse:
    """The trial balance: each account at the beginning and end of a period."""
    selection = selection_of(request)
    rows = ledger_accounts.balances(selection.currency, selection.since, selection.until)
    context = {
        **shared_context(selection, "accounts"),
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
        **shared_context(selection, "accounts"),
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
        **shared_context(selection, "accounts"),
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


@administers
@never_cache
@require_safe
def entry(request: HttpRequest, uid: UUID) -> HttpResponse:
    """One entry with its lines, and the other entries of the same payment."""
    found = LedgerEntry.objects.filter(uid=uid).first()
    if found is None:
        raise NotFound
    lines = list(found.lines.select_related("account").order_by("-amount", "account__code"))
    key = found.payment_key
    others = LedgerEntry.objects.filter(payment_key=key).exclude(pk=found.pk) if key else LedgerEntry.objects.none()
    context = {
        **shared_context(Selection(found.currency), "accounts"),
        "entry": found,
        "lines": [(line, ledger_accounts.name_account(line.account.code)) for line in lines],
        "others": others.order_by("occurred_at", "pk")[:ROWS_PER_PAGE],
        "payment": Payment.objects.select_related("user").filter(gateway_id=key).first() if key else None,
    }
    return render(request, "billing/admin/reports/entry.html", context)
