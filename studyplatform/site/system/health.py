"""What stands beside the pages: signs of life, for load balancers and monitors, and an address that only leads on."""

from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponseRedirect, JsonResponse
from django.views.decorators.http import require_safe

from apps.accounts.guards import signed_in
from apps.files.queries import has_free_space
from studyplatform.kit.web.readiness import takes_writes


@login_not_required
def health(request: HttpRequest) -> JsonResponse:
    """For load balancers: 200 while the database answers."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return JsonResponse({"status": "failed"}, status=503)
    return JsonResponse({"status": "ok"})


@login_not_required
def ready(request: HttpRequest) -> JsonResponse:
    """For monitors: 503 while the database takes no writes, so that nobody can sign in or save anything.

    Without room for new files the site is ready, but degraded: lessons can be watched, uploads are refused.
    """
    database = "ok" if takes_writes() else "failed"
    storage = "ok" if has_free_space() else "full"
    status = "failed" if database != "ok" else "ok" if storage == "ok" else "degraded"
    answer = {"status": status, "database": database, "storage": storage}
    return JsonResponse(answer, status=503 if status == "failed" else 200, headers={"Cache-Control": "no-store"})


@signed_in
@require_safe
def billing_settings(request: HttpRequest) -> HttpResponseRedirect:
    """/settings/billing: where PAYMENT_CARD_DECLINED leads; the payment methods have a page of their own."""
    return HttpResponseRedirect("/billing/methods")
