"""Subscribe to Premium, or pay what is due for it: /billing/premium?plan={plan}, /billing/renew."""

from datetime import datetime, timedelta
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from apps.accounts.guards import signed_in, signed_in_user
from apps.accounts.models import User
from apps.billing import policies, queries
from apps.billing.api.premium import terms_out
from apps.billing.api.serializers import buyer_props, card_props
from apps.billing.browser import allows_provider, guessed_country, provider_props
from apps.billing.models import BuyerDetails, Subscription
from apps.billing.plans import Plan
from apps.billing.queries.next_charge import NextCharge, next_charge
from apps.billing.queries.premium import lost_courses, wanted_course
from apps.billing.services import premium_terms, subscriptions
from apps.billing.services.buyers import receipt_email_of
from apps.billing.services.premium_terms import Terms
from apps.billing.tax import needs_country, postal_code_in
from apps.courses.models import Course
from studyplatform.kit.errors import AppError
from studyplatform.kit.policies import enforce

Status = Subscription.Status
OVERVIEW = "/billing/subscriptions"


@signed_in
@never_cache
@require_safe
@allows_provider
def checkout(request: HttpRequest) -> HttpResponse:
    """Subscribe. A user who has Premium is led to their subscription."""
    user, now = signed_in_user(request), timezone.now()
    enforce(policies.subscribe(user))
    live = subscriptions.live_subscription(user)
    if live is not None and live.status != Status.INCOMPLETE:
        return redirect(OVERVIEW)
    plan = request.GET.get("plan", Plan.YEARLY.value)
    if plan not in Plan.values:
        return redirect("/premium")
    course = wanted_course(request.GET.get("course", ""))
    details = BuyerDetails.objects.filter(user=user).first()
    saved = details if details is not None and details.is_company else None
    country = (saved.country if saved else "") or premium_terms.known_country(user) or guessed_country(request)
    buyer = {
        "country": country,
        "vat_id": saved.vat_id if saved else "",
        "postal_code": postal_code_in(details.as_snapshot(), country) if details else "",
    }
    terms = _terms(user, plan, premium_terms.code_in_use(live), buyer, now)
    return _page(request, user, terms, mode="subscribe", country=country, course=course)


def _terms(user: User, plan: str, code: str, buyer: dict[str, str], now: datetime) -> Terms:
    """The terms with the code of a payment that failed; without it, if it can't be used any more."""
    try:
        return premium_terms.terms_for(user=user, plan=plan, code=code, now=now, **buyer)
    except AppError:
        return premium_terms.terms_for(user=user, plan=plan, code="", now=now, **buyer)


@signed_in
@never_cache
@require_safe
@allows_provider
def renew(request: HttpRequest) -> HttpResponse:
    """Pay what is due; subscribe again if Premium has ended."""
    user = signed_in_user(request)
    enforce(policies.subscribe(user))
    last = subscriptions.live_subscription(user) or Subscription.objects.of(user.pk).order_by("-pk").first()
    if last is None:
        return redirect("/premium")
    if last.status in {Status.ENDED, Status.INCOMPLETE}:
        return redirect(f"/billing/premium?plan={last.plan}")
    if last.status != Status.PAST_DUE:
        return redirect(OVERVIEW)
    terms = premium_terms.due_terms(subscription=last)
    return _page(request, user, terms, mode="pay", country=terms.price.country, charge=next_charge(last))


def _page(
    request: HttpRequest,
    user: User,
    terms: Terms,
    *,
    mode: str,
    country: str,
    course: Course | None = None,
    charge: NextCharge | None = None,
) -> HttpResponse:
    now = timezone.now()
    shown, renews_after = terms_out(terms), _first_payment(terms, now)
    props: dict[str, Any] = {
        "mode": mode,
        "terms": shown,
        "cards": [card_props(card) for card in queries.saved_cards(user, now=now)],
        "email": receipt_email_of(user),
        "country": country,
        "needs_country": needs_country(),
        "buyer": buyer_props(BuyerDetails.objects.filter(user=user, is_company=True).first()),
        "provider": provider_props(),
        "first_payment": date_format(localtime(renews_after), "j F Y") if renews_after else "",
        "next": f"/courses/{course.slug}" if course else OVERVIEW,
    }
    context = {
        "mode": mode,
        "terms": shown,
        "charge": charge,
        "course_query": f"&course={course.slug}" if course else "",
        "renews_after": renews_after,
        "reopens": lost_courses(user) if mode == "subscribe" else [],
        "props": props,
    }
    return render(request, "billing/premium_checkout.html", context)


def _first_payment(terms: Terms, now: datetime) -> datetime | None:
    return now + timedelta(days=terms.trial_days) if terms.trial_days else None
