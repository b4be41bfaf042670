"""Promo codes for instructors and admins: the list with their use, one code, its form, and its switch."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from apps.accounts.guards import administers, signed_in_user, teaches
from apps.accounts.models import User
from apps.billing import policies, services
from apps.billing.errors import PromoCodeInUse, PromoCodeTaken, PromoLimitTooLow
from apps.billing.models import PromoCode
from apps.billing.pages.admin_area import shared
from apps.billing.promo_form import PromoCodeForm, period_of
from apps.billing.queries import promo_codes as found
from apps.courses.models import Course
from studyplatform.kit.policies import enforce
from studyplatform.kit.web.requests import search_query

PAGE = 20
USES = 20


@teaches
@never_cache
@require_safe
def own_codes(request: HttpRequest) -> HttpResponse:
    """The codes for the user's own courses."""
    return _list(request, found.codes_of(signed_in_user(request)), {"governs": False})


@administers
@never_cache
@require_safe
def all_codes(request: HttpRequest) -> HttpResponse:
    """All codes."""
    return _list(request, PromoCode.objects.all(), {"governs": True, **shared("promo")})


def _list(request: HttpRequest, codes: Any, context: dict[str, Any]) -> HttpResponse:
    user, now = signed_in_user(request), timezone.now()
    text, state = search_query(request), request.GET.get("state", "")
    course = _course(request)
    if course is not None:
        codes = found.covering(codes, course=course.pk, instructor=course.instructor_id)
    codes = found.with_state(found.like(codes, text), now)
    counts = found.counts_by_state(codes)
    state = state if state in found.STATES else ""
    tabs = [("", _("All"), counts.total()), *((name, label, counts[name]) for name, label in found.STATES.items())]
    pages = Paginator(codes.filter(state=state) if state else codes, PAGE)
    pages.count = counts[state] if state else counts.total()  # counted with the tabs
    page = pages.get_page(request.GET.get("page"))
    brought = found.brought_by(page)
    context |= {
        "page": page,
        "rows": [(code, brought[code.pk], *period_of(code, user)) for code in page],
        "tabs": tabs,
        "state": state,
        "states": found.STATES,
        "text": text,
        "course": course,
        "now": now,
    }
    return render(request, "billing/promo/list.html", context)


def _course(request: HttpRequest) -> Course | None:
    slug = request.GET.get("course", "").replace("\x00", "")[:80]
    return Course.objects.filter(slug=slug).first() if slug else None


@teaches
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def new_own_code(request: HttpRequest) -> HttpResponse:
    """Create a code."""
    return _create(request)


@administers
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def new_code(request: HttpRequest) -> HttpResponse:
    """Create a code for any course, or for Premium."""
    return _create(request)


def _create(request: HttpRequest) -> HttpResponse:
    user, now = signed_in_user(request), timezone.now()
    data = request.POST if request.method == "POST" else None
    form = PromoCodeForm(data, user=user, now=now, course=request.GET.get("course", "")[:80])

    def save() -> PromoCode:
        return services.create_promo_code(user=user, terms=form.terms(), limits=form.limits(), now=now)

    return _saved(request, form, save, _("%(code)s is ready.")) or _form(request, form, None)


@teaches
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def edit_code(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Change a code: its limits and days always, its terms until someone has used it."""
    user, now = signed_in_user(request), timezone.now()
    code = found.code_for(user, uid, now)
    enforce(policies.manage_promo_code(user, code))
    data = request.POST if request.method == "POST" else None
    form = PromoCodeForm(data, user=user, now=now, code=code, is_used=code.redemptions.exists())

    def save() -> PromoCode:
        terms = None if form.is_used else form.terms()
        return services.change_promo_code(user=user, code=code, terms=terms, limits=form.limits())

    return _saved(request, form, save, _("%(code)s was saved.")) or _form(request, form, code)


def _saved(request: HttpRequest, form: PromoCodeForm, save: Callable[[], PromoCode], said: str) -> HttpResponse | None:
    """Redirect to the saved code; None if the form has to be shown."""
    if not form.is_valid():
        return None
    try:
        code = save()
    except PromoCodeTaken as refusal:
        form.add_error("code", refusal.detail)
    except PromoLimitTooLow as refusal:
        form.add_error("limit", refusal.detail)
    except PromoCodeInUse as refusal:
        form.add_error(None, refusal.detail)
    else:
        messages.success(request, said % {"code": code.code})
        return redirect("billing:promo-code", uid=code.uid)
    return None


def _form(request: HttpRequest, form: PromoCodeForm, code: PromoCode | None) -> HttpResponse:
    user = signed_in_user(request)
    context = {
        "form": form,
        "code": code,
        "zone": str(form.zone),
        "list": _list_name(user),
        "currency": settings.CURRENCY,
    }
    return render(request, "billing/promo/form.html", context, status=422 if form.errors else 200)


def _list_name(user: User) -> str:
    """The list from which the user came: the route's name."""
    return "billing:admin-promo-codes" if user.is_admin else "billing:promo-codes"


@teaches
@never_cache
@require_safe
def code(request: HttpRequest, uid: UUID) -> HttpResponse:
    """One code: what it takes off, what it brought, and who used it. Only admins see email addresses."""
    user, now = signed_in_user(request), timezone.now()
    row = found.code_for(user, uid, now)
    page = Paginator(found.redemptions_of(row), USES).get_page(request.GET.get("page"))
    first, last = period_of(row, user)
    context = {
        "code": row,
        "states": found.STATES,
        "brought": found.brought_by([row])[row.pk],
        "first": first,
        "last": last,
        "page": page,
        "uses": found.uses(list(page)),
        "may_manage": policies.manage_promo_code(user, row) is None,
        "list": _list_name(user),
    }
    return render(request, "billing/promo/code.html", context)


@teaches
@require_POST
def switch_code(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Switch a code off or on."""
    user = signed_in_user(request)
    row = found.code_for(user, uid, timezone.now())
    on = request.POST.get("on") == "1"
    services.switch_promo_code(user=user, code=row, on=on)
    text = _("%(code)s is on again.") if on else _("%(code)s is off. No one can use it now.")
    messages.success(request, text % {"code": row.code})
    return redirect("billing:promo-code", uid=row.uid)
