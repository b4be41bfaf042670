"""What stands beside the pages: the sign of life."""

from django.contrib.auth.decorators import login_not_required
from django.db import connection
from django.http import HttpRequest, JsonResponse


@login_not_required
def health(request: HttpRequest) -> JsonResponse:
    """For load balancers: 200 while the database answers."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return JsonResponse({"status": "ok"})
