"""The learner's dashboard."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from apps.accounts.guards import signed_in, signed_in_user
from apps.learning.queries.dashboard import dashboard_of
from studyplatform.kit.extensions import learner_cards_for


@signed_in
@require_safe
def dashboard(request: HttpRequest) -> HttpResponse:
    """Where the learner left off, goals, streak, achievements, the days of a year, what to study next.

    A sign-in token in the address (``?token=&user=``) is redeemed before, by the middleware of accounts.
    """
    user, now = signed_in_user(request), timezone.now()
    context = {"board": dashboard_of(user, now=now), "cards": learner_cards_for(user, now=now)}
    return render(request, "learning/dashboard.html", context)
