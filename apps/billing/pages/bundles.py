"""Bundles: their public pages, and the lists and form of those who make them."""

from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from apps.accounts.guards import administers, open_to_everyone, signed_in_user, teaches
from apps.accounts.models import User
from apps.billing import policies
from apps.billing.bundle_form import BundleForm
from apps.billing.errors import BundleRefused
from apps.billing.models import Bundle
from apps.billing.pages.admin_area import shared
from apps.billing.queries import bundles as found
from apps.billing.queries.open_transfers import open_transfer_for
from apps.billing.services import bundles as services
from studyplatform.kit.policies import enforce
from studyplatform.kit.web.requests import search_query

PAGE_SIZE = 20
PUBLIC_PAGE_SIZE = 12


@open_to_everyone
@require_safe
def public_list(request: HttpRequest) -> HttpResponse:
    """All bundles that are for sale. Four queries."""
    page = Paginator(found.bundles_for_sale(), PUBLIC_PAGE_SIZE).get_page(request.GET.get("page"))
    return render(request, "billing/bundles/all.html", {"page": page, "views": found.views_of(page)})


@open_to_everyone
@require_safe
def public_page(request: HttpRequest, slug: str) -> HttpResponse:
    """A bundle: its courses, what it costs, and what it costs the user who owns some of them. Four queries."""
    view = found.bundle_by_slug(slug)
    purchase = found.purchase_for(request.user, view)
    context = {
        "view": view,
        "purchase": purchase,
        "transfer": open_transfer_for(request.user, purchase.courses, now=timezone.now()),
        "owned": {course.pk for course in purchase.owned},
        "manages": policies.manage_bundle(request.user, view.bundle) is None,
    }
    return render(request, "billing/bundles/page.html", context)


@teaches
@never_cache
@require_safe
def own_list(request: HttpRequest) -> HttpResponse:
    """The user's bundles, and those of admins with a course of theirs."""
    return _list(request, found.bundles_managed_by(signed_in_user(request)), {"governs": False})


@administers
@never_cache
@require_safe
def admin_list(request: HttpRequest) -> HttpResponse:
    """All bundles."""
    return _list(request, found.all_bundles(), {"governs": True, **shared("bundles")})


def _list(request: HttpRequest, bundles: QuerySet[Bundle], context: dict[str, Any]) -> HttpResponse:
    user, text = signed_in_user(request), search_query(request)
    page = Paginator(found.bundles_like(bundles, text), PAGE_SIZE).get_page(request.GET.get("page"))
    views = found.views_of(page)
    sold = found.sold_counts([view.bundle for view in views])
    rows = [(view, sold.get(view.bundle.pk, 0), policies.manage_bundle(user, view.bundle) is None) for view in views]
    return render(request, "billing/bundles/list.html", {**context, "page": page, "rows": rows, "text": text})


@teaches
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    """Create a bundle."""
    user = signed_in_user(request)
    form = BundleForm(request.POST if request.method == "POST" else None, user=user)
    if form.is_valid():
        try:
            bundle = services.create_bundle(by=user, terms=form.terms(), now=timezone.now())
        except BundleRefused as refusal:
            form.add_error(None, refusal.detail)
        else:
            messages.success(request, _("“%(title)s” is for sale.") % {"title": bundle.title})
            return redirect(_list_name(user))
    return _form(request, form, None)


@teaches
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Change a bundle. Those who bought it keep their courses."""
    user = signed_in_user(request)
    view = found.bundle_by_uid(uid)
    enforce(policies.see_bundle(user, view))
    enforce(policies.manage_bundle(user, view.bundle))
    form = BundleForm(request.POST if request.method == "POST" else None, user=user, view=view)
    if form.is_valid():
        try:
            services.change_bundle(by=user, bundle=view.bundle, terms=form.terms(), now=timezone.now())
        except BundleRefused as refusal:
            form.add_error(None, refusal.detail)
        else:
            messages.success(request, _("“%(title)s” was saved.") % {"title": form.cleaned_data["title"]})
            return redirect(_list_name(user))
    return _form(request, form, view)


def _form(request: HttpRequest, form: BundleForm, view: found.BundleView | None) -> HttpResponse:
    context = {
        "form": form,
        "view": view,
        "chosen": set(form["courses"].value() or []),
        "list": _list_name(signed_in_user(request)),
        "currency": settings.CURRENCY,
    }
    return render(request, "billing/bundles/form.html", context, status=422 if form.errors else 200)


def _list_name(user: User) -> str:
    """The list from which the user came: the route's name."""
    return "billing:admin-bundles" if user.is_admin else "billing:own-bundles"


@teaches
@require_POST
def switch(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Withdraw a bundle, or offer it again."""
    user = signed_in_user(request)
    view = found.bundle_by_uid(uid)
    enforce(policies.see_bundle(user, view))
    on = request.POST.get("on") == "1"
    services.switch_bundle(by=user, bundle=view.bundle, on=on, now=timezone.now())
    text = _("“%(title)s” is offered again.") if on else _("“%(title)s” was withdrawn. Those who bought it keep it.")
    messages.success(request, text % {"title": view.bundle.title})
    return redirect(_list_name(user))
