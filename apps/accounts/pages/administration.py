"""Pages for admins: users with their roles, blocked users, and requests to teach."""

from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from apps.accounts import forms, queries, services
from apps.accounts.guards import administers, signed_in_user
from apps.accounts.models import Role, User
from studyplatform.kit.errors import AppError
from studyplatform.kit.web.requests import safe_next, search_query

PAGE, DECIDED = 25, 10
GROUPS = {
    Role.STUDENT: gettext_lazy("Students"),
    Role.INSTRUCTOR: gettext_lazy("Instructors"),
    Role.ADMIN: gettext_lazy("Admins"),
}


@administers
@require_safe
def people(request: HttpRequest) -> HttpResponse:
    text, show = search_query(request), request.GET.get("show", "")
    page = Paginator(queries.people(text=text, show=show), PAGE).get_page(request.GET.get("page"))
    tabs = [("", _("All")), *((role.value, label) for role, label in GROUPS.items()), ("blocked", _("Blocked"))]
    return render(
        request,
        "accounts/governing/people.html",
        {"page": page, "text": text, "show": show, "tabs": tabs, "roles": Role.choices},
    )


@administers
@require_POST
def give_role(request: HttpRequest, uid: UUID) -> HttpResponse:
    user = _other(request, uid)
    role = request.POST.get("role", "")
    if user is not None and role in Role.values:
        services.change_role(user=user, role=Role(role))
        messages.success(
            request, _("%(name)s now has the role %(role)s.") % {"name": user.display_name, "role": Role(role).label}
        )
    return _back(request)


@administers
@require_POST
def block(request: HttpRequest, uid: UUID) -> HttpResponse:
    user, form = _other(request, uid), forms.Block(request.POST)
    if user is not None and not form.is_valid():
        messages.error(request, _("No one was blocked. Enter a reason."))
    elif user is not None:
        services.block(user=user, reason=form.cleaned_data["reason"], now=timezone.now())
        messages.success(request, _("%(name)s is blocked and signed out everywhere.") % {"name": user.display_name})
    return _back(request)


@administers
@require_POST
def unblock(request: HttpRequest, uid: UUID) -> HttpResponse:
    user = _other(request, uid)
    if user is not None:
        services.unblock(user=user)
        messages.success(request, _("%(name)s can sign in again.") % {"name": user.display_name})
    return _back(request)


@administers
@require_safe
def teaching(request: HttpRequest) -> HttpResponse:
    return _teaching_page(request)


@administers
@require_POST
def decide(request: HttpRequest, uid: UUID) -> HttpResponse:
    form = forms.DecideTeaching(request.POST, auto_id=f"{uid}-%s")
    if not form.is_valid():
        return _teaching_page(request, uid, form)
    try:
        decided = services.decide_teaching_request(
            uid=uid,
            by=signed_in_user(request),
            is_approved=form.cleaned_data["decision"] == "approve",
            answer=form.cleaned_data["answer"],
            now=timezone.now(),
        )
    except AppError as refusal:
        messages.info(request, refusal.detail)
    else:
        messages.success(request, _("Your answer was sent to %(name)s.") % {"name": decided.user.display_name})
    return redirect("accounts:teaching-requests")


def _teaching_page(
    request: HttpRequest, uid: UUID | None = None, form: forms.DecideTeaching | None = None
) -> HttpResponse:
    page = Paginator(queries.teaching_requests(), PAGE).get_page(request.GET.get("page"))
    waiting = [
        (one, form if form and one.uid == uid else forms.DecideTeaching(auto_id=f"{one.uid}-%s")) for one in page
    ]
    return render(
        request,
        "accounts/governing/teaching.html",
        {"page": page, "waiting": waiting, "decided": queries.decided_teaching_requests()[:DECIDED]},
        status=422 if form else 200,
    )


def _other(request: HttpRequest, uid: UUID) -> User | None:
    """The user, unless it is the current admin: the last one must not lock themselves out."""
    user = get_object_or_404(User, uid=uid, deleted_at=None)
    if user == request.user:
        messages.warning(request, _("Your own account wasn't changed."))
        return None
    return user


def _back(request: HttpRequest) -> HttpResponse:
    """Redirect to the list with its filters."""
    return redirect(safe_next(request, request.POST.get("next"), "/dashboard/admin/people"))
