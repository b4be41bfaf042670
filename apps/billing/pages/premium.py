"""The page that sells Premium, and the user's subscription: /premium, /billing/subscriptions."""

from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.timezone import localdate
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from apps.accounts.guards import open_to_everyone, signed_in, signed_in_user
from apps.accounts.models import User
from apps.billing.countries import country_name
from apps.billing.errors import PlanNotOffered, PriceChanged
from apps.billing.forms import ReceiptEmail
from apps.billing.models import Subscription
from apps.billing.plans import Plan, offer_of
from apps.billing.queries import held_seats
from apps.billing.queries import premium as queries
from apps.billing.queries.next_charge import charge_of_change, charge_without_cancellation, next_charge, tax_of
from apps.billing.services import plan_changes, premium_terms, subscriptions
from apps.billing.services.buyers import send_receipts_to
from apps.billing.tax import needs_country
from studyplatform.kit.errors import AppError

Status = Subscription.Status


@open_to_everyone
@require_safe
def premium(request: HttpRequest) -> HttpResponse:
    """What Premium contains and costs. ``?course=`` names the course that the visitor came from."""
    user = request.user if isinstance(request.user, User) else None
    live = subscriptions.live_subscription(user) if user else None
    offers = held_seats.offers_for(user, now=timezone.now()) if user else []
    context = {
        "offers": [offer for offer in offers if offer.course is None],
        "seat": held_seats.premium_seat_of(user) if user else None,
        "selling": queries.selling(),
        "wanted": queries.wanted_course(request.GET.get("course", "")),
        "trial_days": premium_terms.trial_days_of(user),
        "live": live,
        "charge": next_charge(live) if live else None,
        "grace_days": settings.GRACE_DAYS,
        "refund_days": settings.REFUND_DAYS,
        "refund_percent": settings.REFUND_PERCENT,
    }
    return render(request, "billing/premium.html", context)


@signed_in
@never_cache
@require_safe
def subscription(request: HttpRequest) -> HttpResponse:
    """The user's plan, what was paid, the next payment, and how to change or cancel it."""
    return _subscription_page(request)


def _subscription_page(request: HttpRequest, **more: Any) -> HttpResponse:
    user = signed_in_user(request)
    member = queries.overview_of(user)
    seat = held_seats.premium_seat_of(user)
    context: dict[str, Any] = {
        "member": member,
        "seat": seat,
        "statuses": Status,
        "prices": queries.prices(),
    }
    if member is not None:
        row = member.subscription
        context |= {
            "charge": next_charge(row),
            "receipts": ReceiptEmail(initial={"email": row.email or user.email}),
            "taxed_in": country_name(row.country or tax_of(row, localdate()).country),
            "needs_country": needs_country() or bool(settings.SELLER_COUNTRY),
            "resumed": charge_without_cancellation(row) if row.cancels_at_period_end else None,
            "can_change": _changes_of(row),
            "lost": len(queries.lost_courses(user)) if row.status == Status.ENDED else 0,
        }
    context |= more  # a form with errors
    return render(request, "billing/subscription.html", context, status=422 if more else 200)


def _changes_of(row: Subscription) -> str:
    """The plan that the subscription can change to; "" if there is none."""
    if row.cancels_at_period_end:
        return ""
    if row.status == Status.TRIALING:
        return Plan.MONTHLY.value if row.plan == Plan.YEARLY else Plan.YEARLY.value
    return Plan.YEARLY.value if row.status == Status.ACTIVE and row.plan == Plan.MONTHLY else ""


@signed_in
@never_cache
@require_safe
def change(request: HttpRequest) -> HttpResponse:
    """What a change of the plan costs today, before the user agrees: /billing/subscriptions/plan?to={plan}."""
    user, now = signed_in_user(request), timezone.now().replace(microsecond=0)
    try:
        preview = plan_changes.preview_change(user=user, plan=request.GET.get("to", ""), now=now)
    except PlanNotOffered as refusal:
        messages.info(request, refusal.detail)
        return redirect("billing:subscription")
    except AppError as refusal:
        messages.error(request, refusal.detail)
        return redirect("billing:subscription")
    live, offer = subscriptions.live_of(user), offer_of(request.GET.get("to", ""))
    charge = charge_of_change(live, offer, preview)
    context = {"preview": preview, "offer": offer, "live": live, "charge": charge}
    return render(request, "billing/change_plan.html", context)


@signed_in
@require_POST
def agree(request: HttpRequest) -> HttpResponse:
    """Change plan, for the amount that the preview showed."""
    try:
        changed = plan_changes.change_plan(
            user=signed_in_user(request),
            plan=request.POST.get("plan", ""),
            moment=_moment(request.POST.get("moment", "")),
            expected_amount=_amount(request.POST.get("amount", "")),
            expected_currency=request.POST.get("currency", ""),
            now=timezone.now(),
        )
    except AppError as refusal:
        messages.error(request, refusal.detail)
    else:
        text = _("You have changed to Premium, yearly.")
        if changed.plan == Plan.MONTHLY:
            text = _("You have changed to Premium, monthly.")
        messages.success(request, text)
    return redirect("billing:subscription")


def _moment(text: str) -> datetime:
    try:
        found = parse_datetime(text)
        if found is None or found.tzinfo is None:
            raise PriceChanged
        return found.astimezone(UTC)
    except (ValueError, OverflowError):  # the first or last day of all calendars, in another time zone
        raise PriceChanged from None


def _amount(text: str) -> int:
    """Minor units."""
    if not (text.isascii() and text.isdigit() and len(text) <= 10):
        raise PriceChanged
    return int(text)


@signed_in
@require_POST
@never_cache
def change_email(request: HttpRequest) -> HttpResponse:
    """Send the receipts of Premium to another address, from the next payment on."""
    form = ReceiptEmail(request.POST)
    if not form.is_valid():
        return _subscription_page(request, receipts=form)
    send_receipts_to(user=signed_in_user(request), email=form.cleaned_data["email"])
    messages.success(request, _("Saved. Your next receipt goes to this address."))
    return redirect("billing:subscription")


@signed_in
@require_POST
def cancel(request: HttpRequest) -> HttpResponse:
    """Let Premium end with its period."""
    return _act(request, subscriptions.cancel, _("Premium is canceled."))


@signed_in
@require_POST
def resume(request: HttpRequest) -> HttpResponse:
    """Take the cancellation back."""
    return _act(request, subscriptions.resume, _("Premium will renew as usual."))


def _act(request: HttpRequest, service: Any, done: str) -> HttpResponse:
    try:
        service(user=signed_in_user(request), now=timezone.now())
    except AppError as refusal:
        messages.error(request, refusal.detail)
    else:
        messages.success(request, done)
    return redirect("billing:subscription")
