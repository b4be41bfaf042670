"""Reports of analytics by email: what the user has scheduled."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from apps.accounts.guards import signed_in_user, teaches
from apps.accounts.models import NotificationChoice
from apps.learning import services
from apps.learning.analytics.courses import scope_of
from apps.learning.models import AnalyticsReport
from apps.learning.queries.analytics_reports import reports_of, way_of_reports


@teaches
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def reports(request: HttpRequest) -> HttpResponse:
    """The reports that the user gets, and a form for another one: ?course= is chosen in it."""
    user, now = signed_in_user(request), timezone.now()
    asked = request.POST if request.method == "POST" else request.GET
    scope = scope_of(user, asked.get("course", ""))
    problem = ""
    if request.method == "POST":
        frequency = asked.get("frequency", "")
        if frequency in AnalyticsReport.Frequency.values:
            services.schedule_report(user=user, course=scope.chosen, frequency=frequency, now=now)
            messages.success(request, _("You'll get this report by email."))
            return redirect("site:analytics-reports")
        problem = _("Choose how often you want the report.")
    mailed = way_of_reports(user)
    context = {
        "scope": scope,
        "reports": reports_of(user),
        "frequencies": AnalyticsReport.Frequency.choices,
        "problem": problem,
        "is_attached": mailed == NotificationChoice.Mail.NOW,
        "is_mailed": mailed != NotificationChoice.Mail.OFF,
    }
    return render(request, "site/analytics/reports.html", context, status=400 if problem else 200)


@teaches
@require_POST
def end_report(request: HttpRequest, uid: UUID) -> HttpResponse:
    """End a report of the user's own."""
    if services.end_report(user=signed_in_user(request), uid=uid):
        messages.success(request, _("You won't get this report any longer."))
    return redirect("site:analytics-reports")
