"""Gifts: the buyer's list, one gift with its code, and the pages where a code is redeemed."""

from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from apps.accounts.guards import open_to_everyone, signed_in, signed_in_user
from apps.accounts.models import User
from apps.billing.errors import GiftCodeUnknown
from apps.billing.gift_cards import print_gift_card
from apps.billing.gift_codes import show_gift_code, tidy_gift_code
from apps.billing.queries import bundles
from apps.billing.queries import gifts as found
from apps.billing.queries.transactions import can_ask_for_refund
from apps.billing.services import gifts as services
from studyplatform.kit.errors import AppError
from studyplatform.kit.mail import absolute_url
from studyplatform.kit.web.rate_limits import limits_address

PAGE_SIZE = 20


class RecipientForm(forms.Form):
    """To whom a gift goes."""

    name = forms.CharField(
        label=gettext_lazy("Recipient's name"),
        max_length=120,
        error_messages={"required": gettext_lazy("Enter the recipient's name.")},
    )
    email = forms.EmailField(
        label=gettext_lazy("Recipient's email"),
        max_length=254,
        error_messages={"required": gettext_lazy("Enter the recipient's email.")},
    )


@signed_in
@never_cache
@require_safe
def gifts(request: HttpRequest) -> HttpResponse:
    """What the user gave to others, the newest first."""
    page = Paginator(found.gifts_of(signed_in_user(request)), PAGE_SIZE).get_page(request.GET.get("page"))
    return render(request, "billing/gifts/list.html", {"page": page, "views": found.views_of(page)})


@signed_in
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def gift(request: HttpRequest, uid: UUID) -> HttpResponse:
    """One gift: its code, its state, and to whom it goes, which can be corrected until it is redeemed."""
    user = signed_in_user(request)
    view = found.gift_for(user, uid)
    row = view.gift
    initial = {"name": row.recipient_name, "email": row.recipient_email}
    form = RecipientForm(request.POST if request.method == "POST" else None, initial=initial)
    if form.is_valid():
        name, email = form.cleaned_data["name"], form.cleaned_data["email"]
        try:
            services.change_recipient(user=user, gift=row, name=name, email=email, now=timezone.now())
        except AppError as refusal:
            form.add_error(None, refusal.detail)
        else:
            messages.success(request, _("The gift goes to %(email)s.") % {"email": email})
            return redirect("billing:gift", uid=row.uid)
    code = services.code_of(row)
    context = {
        "view": view,
        "gift": row,
        "form": form,
        "code": code,
        "address": absolute_url(f"/gift/{code}"),
        "courses": found.courses_of(row),
        "can_ask": can_ask_for_refund(row.order.payment),
    }
    return render(request, "billing/gifts/gift.html", context, status=422 if form.errors else 200)


@signed_in
@require_POST
def send_again(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Email the code now."""
    user = signed_in_user(request)
    row = found.gift_for(user, uid).gift
    try:
        services.send_again(user=user, gift=row, now=timezone.now())
    except AppError as refusal:
        messages.error(request, refusal.detail)
    else:
        messages.success(request, _("The email to %(email)s is on its way.") % {"email": row.recipient_email})
    return redirect("billing:gift", uid=row.uid)


@signed_in
@never_cache
@require_safe
def card(request: HttpRequest, uid: UUID) -> HttpResponse:
    """A card to print, with the code."""
    row = found.gift_for(signed_in_user(request), uid).gift
    content = print_gift_card(row, code=services.code_of(row), dated=row.created_at)
    return HttpResponse(
        content,
        content_type="application/pdf",
        headers={"Content-Disposition": f'attachment; filename="gift-{row.order.number}.pdf"'},
    )


@open_to_everyone
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def enter(request: HttpRequest) -> HttpResponse:
    """Where a code is typed: it leads to the page of the gift."""
    typed = request.POST.get("code", "")[:200]
    letters = tidy_gift_code(typed)
    if letters:
        return redirect("billing:gift-redeem", key=show_gift_code(letters))
    context = {"typed": typed, "refusal": GiftCodeUnknown() if request.method == "POST" else None}
    return render(request, "billing/gifts/enter.html", context, status=422 if context["refusal"] else 200)


@open_to_everyone
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@limits_address("gift_page")
def redeem(request: HttpRequest, key: str) -> HttpResponse:
    """What a gift is and from whom. Signed in, the user redeems it; the code is the key, so it names no address."""
    try:
        row = services.gift_by_code(key)
    except GiftCodeUnknown as unknown:
        return render(request, "billing/gifts/enter.html", {"typed": key, "refusal": unknown}, status=404)
    refusal: AppError | None = None
    if request.method == "POST" and isinstance(request.user, User):
        try:
            services.redeem_gift(user=request.user, code=key, now=timezone.now())
        except AppError as refused:
            refusal = refused
        else:
            messages.success(request, _("“%(title)s” is yours. Enjoy it!") % {"title": row.order.title})
            return redirect("billing:gift-redeem", key=key)
    elif request.method == "POST":
        return redirect(f"/auth/login?next=/gift/{show_gift_code(tidy_gift_code(key))}")
    return render(request, "billing/gifts/redeem.html", _shown(request, row, key, refusal), status=_status(refusal))


def _status(refusal: AppError | None) -> int:
    return refusal.status if refusal else 200


def _shown(request: HttpRequest, row: Any, code: str, refusal: AppError | None) -> dict[str, Any]:
    courses = found.courses_of(row)
    user = request.user if isinstance(request.user, User) else None
    owned = bundles.owned_courses(user, courses) if user else set()
    return {
        "gift": row,
        "code": show_gift_code(tidy_gift_code(code)),
        "courses": courses,
        "duration": found.duration_of(courses),
        "owned": [course for course in courses if course.pk in owned],
        "is_redeemed": row.redeemed_by_id is not None,
        "is_mine": user is not None and row.redeemed_by_id == user.pk,
        "is_usable": services.is_usable(row.order.payment),
        "refusal": refusal,
    }
