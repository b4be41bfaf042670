"""Courses that admins give to learners."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from apps.accounts.guards import administers, signed_in_user
from apps.billing import services
from apps.billing.forms import GrantCourse
from apps.billing.models import Grant
from apps.billing.pages.admin_area import shared
from apps.billing.queries import grants as found
from studyplatform.kit.errors import NotFound
from studyplatform.kit.web.requests import search_query

PAGE = 20
SUGGESTED = 200  # courses of the form


@administers
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def grants(request: HttpRequest) -> HttpResponse:
    """Grant a course to a learner; what was given, and a search in it."""
    admin, now = signed_in_user(request), timezone.now()
    text = search_query(request)
    form = GrantCourse(
        request.POST if request.method == "POST" else None, initial={"course": request.GET.get("course", "")[:80]}
    )
    if form.is_valid():
        given = form.cleaned_data
        values = {"name": given["person"].display_name, "course": given["course"].title}
        if services.grant_by_staff(
            user=given["person"], course=given["course"], granted_by=admin, reason=given["reason"], now=now
        ):
            messages.success(request, _("%(name)s can now open “%(course)s”.") % values)
        else:
            messages.info(request, _("“%(course)s” was already granted to %(name)s.") % values)
        return redirect("billing:admin-grants")
    context = {
        **shared("grants"),
        "form": form,
        "courses": found.grantable().values_list("slug", "title")[:SUGGESTED],
        "page": Paginator(found.granted_by_staff(text), PAGE).get_page(request.GET.get("page")),
        "text": text,
    }
    return render(request, "billing/admin/grants.html", context, status=422 if form.errors else 200)


@administers
@require_POST
def end_grant(request: HttpRequest) -> HttpResponse:
    """End what staff granted. The learner's progress stays."""
    number = request.POST.get("grant", "")
    known = Grant.objects.select_related("user", "course").filter(source=Grant.Source.STAFF)
    grant = known.filter(pk=int(number)).first() if number.isdecimal() and len(number) < 19 else None
    if grant is None:
        raise NotFound
    values = {"name": grant.user.display_name, "course": grant.course.title}
    if services.withdraw_grant(admin=signed_in_user(request), grant=grant, now=timezone.now()):
        messages.success(request, _("%(name)s no longer has access to “%(course)s”.") % values)
    else:
        messages.info(request, _("%(name)s's access to “%(course)s” had already ended.") % values)
    return redirect("billing:admin-grants")
