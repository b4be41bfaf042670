"""Pages for admins about payouts: what the next run pays, and what became of each payout."""

from contextlib import suppress
from datetime import date
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from apps.accounts.guards import administers, signed_in_user
from apps.accounts.models import User
from apps.billing import services
from apps.billing.errors import PaymentProcessingError
from apps.billing.models import Payout, PayoutAccount, PayoutRun
from apps.billing.pages.admin_area import shared
from apps.billing.queries import payouts as found
from apps.billing.queries.tax_details import tax_details_of
from studyplatform.kit.errors import AppError, NotFound
from studyplatform.kit.text.money import money
from studyplatform.kit.web.csv_response import csv_response
from studyplatform.kit.web.requests import search_query

PAGE = 20
DUE = 10  # instructors of the next run on a page
State = Payout.State
# What an admin can say; that the provider took a transfer back, it says itself.
_FAILURES = [choice for choice in Payout.Failure.choices if choice[0] != Payout.Failure.REVERSED]
_FAILURE_NAMES = {name for name, _label in _FAILURES}
_UNCHANGED = gettext_lazy("Nothing was changed: the payout's state has changed in the meantime.")


@administers
@never_cache
@require_safe
def payouts(request: HttpRequest) -> HttpResponse:
    """What the next run will pay, the bank transfers to make, and all payouts by state."""
    text, state = search_query(request), request.GET.get("state", "")
    state = state if state in State.values else ""
    mine, counts = found.payouts_like(text), found.counts_by_state(text)
    page = Paginator(mine.filter(state=state) if state else mine, PAGE).get_page(request.GET.get("page"))
    day = found.next_payout_day(timezone.now().date())
    planned = services.plan_payouts(day)
    due = Paginator(planned, DUE).get_page(request.GET.get("due"))
    context = {
        **shared("payouts"),
        "page": page,
        "tabs": [("", _("All"), counts.total()), *((one, State(one).label, counts[one]) for one in State.values)],
        "state": state,
        "text": text,
        "day": day,
        "sales_until": found.sales_until(day),
        "due": due,
        "names": User.objects.in_bulk([each.instructor_id for each in due]),
        "sums": _sums(planned),
        "without_tax_details": {each.instructor_id for each in due} - set(tax_details_of(e.instructor_id for e in due)),
        "transfers": found.runs_with_transfers(),
        "failures": _FAILURES,
    }
    return render(request, "billing/admin/payouts.html", context)


def _sums(planned: list[services.Planned]) -> list[str]:
    """What the next run pays, by currency."""
    totals: dict[str, int] = {}
    for each in planned:
        if not each.hindrance:
            totals[each.currency] = totals.get(each.currency, 0) + each.amount
    return [money(amount, currency, cents=True) for currency, amount in sorted(totals.items())]


@administers
@never_cache
@require_safe
def transfers_csv(request: HttpRequest, day: str) -> StreamingHttpResponse:
    """The bank transfers of a run that have to be made, with the account numbers. ``day``: such as 2026-12-01."""
    run = None
    with suppress(ValueError):
        run = PayoutRun.objects.filter(day=date.fromisoformat(day)).first()
    if run is None:
        raise NotFound
    return csv_response(request, f"payouts-{run.day}.csv", found.bank_transfers(run.pk))


@administers
@require_POST
def mark(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Write down what the bank says about a payout: it was sent, or why it did not arrive.

    About payouts to connected accounts the provider is asked first. ``state`` in the form is what the page showed:
    what another admin reported since then is not overwritten unseen.
    """
    payout = _payout(uid)
    outcome, seen, now = request.POST.get("outcome", ""), request.POST.get("state", ""), timezone.now()
    try:
        if outcome == State.SENT and payout.method == PayoutAccount.Method.BANK and payout.state == State.PROCESSING:
            payout = services.mark_payout_sent(payout.pk, now=now)
            if payout.state == State.SENT:
                messages.success(request, _("Payout marked as sent. The instructor was notified."))
            else:
                messages.info(request, _UNCHANGED)
        elif outcome in _FAILURE_NAMES and payout.state in {State.PROCESSING, State.SENT} and seen == payout.state:
            payout = services.fail_payout(payout.pk, Payout.Failure(outcome), seen=seen, now=now)
            _tell_of_failure(request, payout)
        else:
            messages.info(request, _UNCHANGED)
    except PaymentProcessingError:
        messages.error(request, _("The payment provider can't be reached. Nothing was changed."))
    except AppError as refusal:
        messages.error(request, refusal.detail)
    return redirect("billing:admin-payouts")


def _tell_of_failure(request: HttpRequest, payout: Payout) -> None:
    if payout.state == State.FAILED:
        messages.success(request, _("Payout marked as failed. Its amount moves to the next run."))
    else:
        messages.info(request, _UNCHANGED)


@administers
@require_POST
def reverse(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Let the provider take back what it transferred to a connected account."""
    payout = _payout(uid)
    try:
        payout = services.reverse_payout(payout.pk, admin=signed_in_user(request), now=timezone.now())
        amount = money(payout.amount_reversed, payout.currency, cents=True)
        messages.success(
            request, _("The provider took %(amount)s back. It moves to the next run.") % {"amount": amount}
        )
    except PaymentProcessingError:
        messages.error(request, _("The payment provider can't be reached. Try again: nothing is taken back twice."))
    except AppError as refusal:
        messages.error(request, refusal.detail)
    return redirect("billing:admin-payouts")


def _payout(uid: UUID) -> Payout:
    payout = Payout.objects.filter(uid=uid).first()
    if payout is None:
        raise NotFound
    return payout
