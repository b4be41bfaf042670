"""What the user paid and got back: /billing/transactions."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from apps.accounts.guards import signed_in, signed_in_user
from apps.billing import documents, policies, services
from apps.billing.countries import country_name
from apps.billing.errors import NothingToRefund, RefundTermsChanged
from apps.billing.forms import RefundForm, TransferRefundForm
from apps.billing.models import Document, Payment, Refund
from apps.billing.queries import transactions as found
from apps.billing.queries.document_check import documents_of_payments, invoice_of
from apps.billing.queries.open_transfers import open_transfers_of
from apps.billing.queries.seat_packs import paid_seats
from apps.billing.queries.transaction_files import csv_lines
from apps.billing.tax import TaxTreatment, wording_of
from studyplatform.kit.errors import AppError, NotFound
from studyplatform.kit.policies import enforce
from studyplatform.kit.text.money import money
from studyplatform.kit.web.csv_response import csv_response

PAGE = 20


@signed_in
@never_cache
@require_safe
def transactions(request: HttpRequest) -> HttpResponse:
    """Payments and refunds by date, of one kind or year if asked."""
    user = signed_in_user(request)
    kind, years = request.GET.get("type", ""), found.years_of(user)
    kind = kind if kind in found.KINDS else ""
    year = next((each for each in years if str(each) == request.GET.get("year")), None)
    page = Paginator(found.transactions_of(user, kind=kind, year=year), PAGE).get_page(request.GET.get("page"))
    context = {
        "page": page,
        "rows": found.with_details(list(page.object_list)),
        "kinds": [("course", _("Courses")), ("premium", _("Subscription")), ("refund", _("Refunds"))],
        "kind": kind,
        "years": years,
        "year": year,
        "can_ask": found.can_ask_for_refund,
        "waiting": open_transfers_of(user, now=timezone.now()) if page.number == 1 and kind in {"", "course"} else [],
    }
    return render(request, "billing/transactions.html", context)


@signed_in
@require_safe
def transactions_csv(request: HttpRequest) -> StreamingHttpResponse:
    """All transactions of the user as a file."""
    return csv_response(request, "transactions.csv", csv_lines(signed_in_user(request)))


@signed_in
@never_cache
@require_safe
def transaction(request: HttpRequest, uid: UUID) -> HttpResponse:
    """One payment: what was bought, its receipt, its refunds and disputes."""
    user = signed_in_user(request)
    payment = found.payment_for(user, uid)
    context = {
        "payment": payment,
        "row": found.of_payment(payment),
        "refunds": [found.of_refund(each, each.done_at or each.requested_at) for each in payment.refunds.all()],
        "country": country_name(payment.country),
        "documents": (issued := documents_of_payments([payment])),
        "buyer": documents.buyer_lines(documents.buyer_in(payment.buyer, payment.country), "") if payment.buyer else [],
        "tax_note": _tax_note(payment, issued),
        "can_ask": payment.user_id == user.pk and found.can_ask_for_refund(payment),
        "is_mine": payment.user_id == user.pk,
        "seats": paid_seats(payment),
    }
    return render(request, "billing/transaction.html", context)


def _tax_note(payment: Payment, issued: list[Document]) -> str:
    """What the documents say about the tax. The sentence of a seller without tax may be another one today."""
    if payment.tax_treatment == TaxTreatment.EXEMPT and issued:
        return str(issued[0].snapshot["facts"].get("wording", ""))
    return wording_of(payment.tax_treatment)


@signed_in
@never_cache
@require_safe
def receipt(request: HttpRequest, uid: UUID) -> HttpResponse:
    """The receipt as a PDF. What cost nothing has none."""
    payment = found.payment_for(signed_in_user(request), uid)
    if payment.receipt_number is None:
        raise NotFound
    return _pdf(documents.receipt(payment), f"receipt-{payment.receipt_number}.pdf")


@signed_in
@never_cache
@require_safe
def invoice(request: HttpRequest, uid: UUID) -> HttpResponse:
    """The invoice of a payment as a PDF."""
    payment = found.payment_for(signed_in_user(request), uid)
    first = invoice_of(payment)
    if first is None:
        raise NotFound
    return _pdf(documents.print_document(first), documents.file_name(first))


@signed_in
@never_cache
@require_safe
def document(request: HttpRequest, uid: UUID) -> HttpResponse:
    """An invoice or credit note as a PDF."""
    shown = found.document_for(signed_in_user(request), uid)
    return _pdf(documents.print_document(shown), documents.file_name(shown))


def _pdf(content: bytes, name: str) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(content, content_type="application/pdf", headers=headers)


def _explain_review(reason: services.ReviewReason, payment: Payment, now: datetime) -> str:
    """A sentence for the learner: what rules out an immediate refund of this payment."""
    if reason is services.ReviewReason.PREMIUM:
        return _("Premium refunds are never automatic.")
    if reason is services.ReviewReason.PARTLY_REFUNDED:
        return _("Part of this payment has already been refunded.")
    if reason is services.ReviewReason.TOO_LATE:
        return ngettext(
            "You paid %(days)d day ago, and refunds are automatic for %(limit)d days.",
            "You paid %(days)d days ago, and refunds are automatic for %(limit)d days.",
            (now - payment.opened_at).days,
        ) % {"days": (now - payment.opened_at).days, "limit": settings.REFUND_DAYS}
    if reason is services.ReviewReason.GIFT_REDEEMED:
        return _("The gift has been redeemed.")
    if reason is services.ReviewReason.REFUNDED_BEFORE:
        return _("You got a refund for this course before.")
    text = _("You've used %(percent)d%% of the course, and refunds are automatic below %(limit)d%%.")
    if payment.is_bundle:
        text = _(
            "You've used %(percent)d%% of one of the courses, and refunds are automatic below %(limit)d%% of each."
        )
    return text % {"percent": services.most_consumed_percent(payment), "limit": settings.REFUND_PERCENT}


@signed_in
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def ask_for_refund(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Say whether a refund is immediate, ask for the reason, and request it."""
    user, now = signed_in_user(request), timezone.now()
    payment = found.payment_for(user, uid)
    enforce(policies.ask_for_refund(user, payment))
    if not found.can_ask_for_refund(payment):
        messages.info(request, NothingToRefund().detail)
        return redirect("billing:transaction", uid=payment.uid)
    form = _refund_form(payment, request.POST if request.method == "POST" else None)
    changed: RefundTermsChanged | None = None
    if form.is_valid():
        try:
            refund = services.request_refund(
                user=user,
                payment=payment,
                reason=form.cleaned_data["reason"],
                now=now,
                expects_immediate=form.cleaned_data["told"] == "immediate",
                account=form.account() if isinstance(form, TransferRefundForm) else None,
            )
        except RefundTermsChanged as refusal:  # the page says which rule applies now, and asks again
            changed, form = refusal, _refund_form(payment, None, initial=form.cleaned_data)
        except AppError as refusal:
            messages.error(request, refusal.detail)
            return redirect("billing:transaction", uid=payment.uid)
        else:
            messages.success(request, _outcome(payment, refund))
            return redirect("billing:transaction", uid=payment.uid)
    context = {
        "payment": payment,
        "form": form,
        "changed": changed,
        "amount": money(payment.left, payment.currency, cents=True),
        "is_immediate": (reason := services.review_reason(payment=payment, now=now)) is None,
        "why_reviewed": _explain_review(reason, payment, now) if reason else "",
        "days": settings.REFUND_DAYS,
        "percent": settings.REFUND_PERCENT,
        "consumed": services.most_consumed_percent(payment) if payment.kind == Payment.Kind.COURSE else None,
    }
    status = 409 if changed else 422 if form.errors else 200
    return render(request, "billing/refund.html", context, status=status)


def _refund_form(payment: Payment, data: Any, *, initial: dict[str, Any] | None = None) -> RefundForm:
    """The form of a refund: with the account to which a payment by bank transfer goes back."""
    if payment.method != Payment.Method.TRANSFER:
        return RefundForm(data, initial={"reason": (initial or {}).get("reason", "")})
    kept = {name: value for name, value in (initial or {}).items() if name != "agrees"}
    return TransferRefundForm(data, initial={"holder": payment.user.get_full_name(), **kept})


def _outcome(payment: Payment, refund: Refund) -> str:
    facts = {"amount": money(refund.amount, payment.currency, cents=True)}
    match refund.status:
        case Refund.Status.REQUESTED:
            return _("Request sent. We'll notify you when it's decided.")
        case Refund.Status.PROCESSING if refund.is_to_transfer:
            return _("We'll transfer %(amount)s to your bank account. We'll notify you when it's done.") % facts
        case Refund.Status.DONE:
            return _("%(amount)s was refunded. It should appear on your bank statement within 5 to 10 days.") % facts
        case _status:
            return _("Your refund of %(amount)s is on its way. We'll notify you when it's done.") % facts
