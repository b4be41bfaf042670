"""Health checks for load balancers and monitors."""

from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse

from apps.files.queries import has_free_space
from studyplatform.kit.web.readiness import is_database_writable


@login_not_required
def health(request: HttpRequest) -> JsonResponse:
    """For load balancers: 200 if the database answers, otherwise 503."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return JsonResponse({"status": "failed"}, status=503)
    return JsonResponse({"status": "ok"})


@login_not_required
def ready(request: HttpRequest) -> JsonResponse:
    """For monitors: 503 if the database accepts no writes, so that nobody can sign in or save anything.

    If there is no disk space for new files, the site is ready but degraded: lessons work, uploads are refused.
    """
    database = "ok" if is_database_writable() else "failed"
    storage = "ok" if has_free_space() else "full"
    status = "failed" if database != "ok" else "ok" if storage == "ok" else "degraded"
    answer = {"status": status, "database": database, "storage": storage}
    return JsonResponse(answer, status=503 if status == "failed" else 200, headers={"Cache-Control": "no-store"})
