"""Home and what stands beside it."""

from django.contrib.auth.decorators import login_not_required
from django.db import connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render


@login_not_required
def home(request: HttpRequest) -> HttpResponse:
    return render(request, "site/home.html")


@login_not_required
def health(request: HttpRequest) -> JsonResponse:
    """For load balancers: 200 while the database answers."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return JsonResponse({"status": "ok"})
