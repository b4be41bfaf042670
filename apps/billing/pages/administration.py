"""Pages for admins: revenue, the refund queue, refunds of any payment, disputes."""

from collections.abc import Iterable
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from apps.accounts.guards import administers, signed_in_user
from apps.accounts.models import User
from apps.billing import services
from apps.billing.forms import AdminRefund, AdminTransferRefund, CloseSeats, DecideRefund
from apps.billing.models import Payment, Refund
from apps.billing.pages.admin_area import shared
from apps.billing.pages.charts import chart_of_revenue
from apps.billing.queries import revenue as found
from apps.billing.queries.double_payments import double_payments
from apps.billing.queries.seat_packs import PaidSeats, paid_seats
from apps.billing.queries.transactions import open_refund, payment_for
from apps.billing.queries.transfer_orders import returned_by_transfer
from apps.billing.services import seat_returns
from apps.billing.services.bank_returns import can_return_by_transfer
from studyplatform.kit.errors import AppError, NotFound
from studyplatform.kit.text.money import minor_units, money, plain_amount, price_step
from studyplatform.kit.web.requests import search_query

PAGE = 15


@administers
@never_cache
@require_safe
def revenue(request: HttpRequest) -> HttpResponse:
    """What was sold and given back in twelve months, and which provider is active."""
    now = timezone.now()
    currencies = found.currencies()
    asked = request.GET.get("currency", "")
    currency = asked if asked in currencies else settings.CURRENCY
    months, best = found.months_until(now, currency), found.best_courses(now, currency)
    context = {
        **shared("revenue"),
        "months": months,
        "chart": chart_of_revenue(months, currency, today=timezone.localdate(now)),
        "best": best,
        "most": best[0][2] if best else 1,
        "owed": found.owed_to_instructors(currency),
        "currency": currency,
        "currencies": currencies,
    }
    return render(request, "billing/admin/revenue.html", context)


@administers
@never_cache
@require_safe
def refunds(request: HttpRequest) -> HttpResponse:
    """The refunds that wait for a decision; payments of one person, to refund all or a part of one."""
    text = search_query(request)
    page = Paginator(found.refund_queue(), PAGE).get_page(request.GET.get("page"))
    context = {
        **shared("refunds"),
        "page": page,
        "rows": _with_progress(page),
        "text": text,
        "payments": found.payments_like(text)[:PAGE] if text else None,
        "doubles": double_payments(),
        "now": timezone.now(),
    }
    return render(request, "billing/admin/refunds.html", context)


def _with_progress(refunds: Iterable[Refund]) -> list[tuple[Refund, int | None]]:
    """Each refund with how much of its courses was used, in percent; None for Premium."""
    rows = list(refunds)
    bought = [each.payment for each in rows if each.payment.kind == Payment.Kind.COURSE]
    consumed = services.consumed_percents(bought)
    return [(each, consumed.get(each.payment_id)) for each in rows]


@administers
@require_POST
def decide(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Grant or decline a request, with the reason."""
    refund = Refund.objects.select_related("payment").filter(uid=uid).first()
    if refund is None:
        raise NotFound
    form = DecideRefund(request.POST)
    if not form.is_valid():
        messages.error(request, _("Nothing was decided. Enter a reason."))
        return redirect("billing:admin-refunds")
    try:
        decided = services.decide_refund(
            admin=signed_in_user(request),
            refund=refund,
            grants=form.cleaned_data["decision"] == "grant",
            reason=form.cleaned_data["reason"],
            now=timezone.now(),
        )
    except AppError as refusal:
        messages.info(request, refusal.detail)
    else:
        messages.success(request, _outcome(decided))
    return redirect("billing:admin-refunds")


@administers
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def refund(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Refund all or a part of a payment. For seats, the admin also says how many free ones are closed with it."""
    admin = signed_in_user(request)
    payment = payment_for(admin, uid)
    seats = paid_seats(payment)
    if seats is not None and request.POST.get("action") == "close":
        return _close_seats(request, admin, payment, seats)
    left = payment.left
    double = next((each.amount for each in double_payments() if each.payment == payment), None)
    initial = {"amount": plain_amount(double or left, payment.currency), "seats": 0, "by_transfer": True}
    is_by_card = payment.method == Payment.Method.CARD
    can_transfer = is_by_card and can_return_by_transfer(payment)
    form_type = AdminTransferRefund if can_transfer else AdminRefund
    data, free = request.POST if request.method == "POST" else None, seats.free if seats else None
    form = form_type(data, initial=initial, free_seats=free)
    if form.is_valid():
        amount = form.cleaned_data["amount"] * minor_units(payment.currency)
        terms = {
            "admin": admin,
            "payment": payment,
            "amount": int(amount) if amount % price_step(payment.currency) == 0 else 0,
            "reason": form.cleaned_data["reason"],
            "by_transfer": form.cleaned_data.get("by_transfer", False),
            "now": timezone.now(),
        }
        try:
            if seats is None:
                made = services.refund_by_admin(**terms)
            else:
                made = seat_returns.refund_seats_by_admin(**terms, count=form.cleaned_data["seats"])
        except AppError as refusal:
            form.add_error(None, refusal.detail)
        else:
            messages.success(request, _outcome(made))
            if made.is_to_transfer:
                return redirect("billing:refund-account", uid=made.uid)
            return redirect("billing:admin-refunds")
    waits = open_refund(payment)
    context = {
        "today": timezone.localdate(),
        **shared("refunds"),
        "payment": payment,
        "form": form,
        "seats": seats,
        "seat_worth": left // seats.open if seats and seats.open else 0,
        "left": left,
        "waits": waits,
        "double": double,
        "can_transfer": can_transfer,
        "failures": [each for each in payment.refunds.all() if each.status == Refund.Status.FAILED],
        "transferred": returned_by_transfer(payment),
    }
    return render(request, "billing/admin/refund.html", context, status=422 if form.errors else 200)


def _close_seats(request: HttpRequest, admin: User, payment: Payment, seats: PaidSeats) -> HttpResponse:
    """Close free seats whose money went back without them."""
    form = CloseSeats(request.POST, free_seats=seats.free)
    if not form.is_valid():
        messages.error(request, " ".join(map(str, form.errors["seats"])))
        return redirect("billing:admin-refund", uid=payment.uid)
    count = form.cleaned_data["seats"]
    try:
        seat_returns.close_returned_seats(admin=admin, payment=payment, count=count, now=timezone.now())
    except AppError as refusal:
        messages.error(request, refusal.detail, extra_tags=refusal.code)
    else:
        messages.success(
            request, ngettext("%(num)d seat is closed.", "%(num)d seats are closed.", count) % {"num": count}
        )
    return redirect("billing:admin-refund", uid=payment.uid)


@administers
@never_cache
@require_safe
def disputes(request: HttpRequest) -> HttpResponse:
    """Payments that cardholders contested, the open ones first."""
    page = Paginator(found.disputes(), PAGE).get_page(request.GET.get("page"))
    return render(request, "billing/admin/disputes.html", {**shared("disputes"), "page": page})


def _outcome(refund: Refund) -> str:
    amount = {"amount": money(refund.amount, refund.payment.currency, cents=True)}
    match refund.status:
        case Refund.Status.DECLINED:
            return _("Request declined. The learner was notified and can see why.")
        case Refund.Status.DONE:
            return _("%(amount)s was refunded.") % amount
        case Refund.Status.CLOSED:
            return _("The learner already has the money back, so nothing was refunded.")
        case Refund.Status.FAILED:
            return _("The payment provider refused to refund %(amount)s: %(reason)s") % {
                **amount,
                "reason": refund.failure,
            }
        case _status if refund.is_to_transfer:
            return _("%(amount)s is to be transferred back. Confirm it under Bank transfers once you have.") % amount
        case _status:
            return _("The refund of %(amount)s is on its way.") % amount
