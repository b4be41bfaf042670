"""The instructor's home: what needs them today, the metrics, how the courses are doing, reviews and milestones."""

from datetime import datetime, timedelta
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from apps.accounts.guards import signed_in_user, teaches
from apps.accounts.models import User
from apps.accounts.queries import zone_of
from apps.billing.queries.milestones import milestones_of
from apps.courses.queries import authoring
from apps.forum.queries.attention import newest_questions
from apps.learning.analytics.course_figures import figures_of_courses
from apps.learning.analytics.courses import Scope, scope_of
from apps.learning.analytics.health import describe_health, say_health, title_of_health
from apps.learning.analytics.metrics import metrics_of
from apps.learning.queries.attention import newest_reviews
from studyplatform.kit.extensions import attention_items_for
from studyplatform.site.teaching.first_steps import FirstStep, find_first_course, find_first_steps
from studyplatform.site.teaching.metric_tiles import meanings_of, tiles_of

MOST_COURSES = 8
MOST_REVIEWS = 3
MOST_QUESTIONS = 3
FRESH = timedelta(days=14)  # a milestone
MOST_ITEMS = 8  # of what needs attention, before the rest is folded


@teaches
@never_cache
@require_safe
def instructor_home(request: HttpRequest) -> HttpResponse:
    """What the signed-in instructor opens every morning. A constant number of queries."""
    user = signed_in_user(request)
    now = timezone.now()
    scope = scope_of(user)
    items = attention_items_for(user, now=now)
    milestones = milestones_of(user)
    context = {
        "hour": now.astimezone(zone_of(user)).hour,
        "tiles": (tiles := tiles_of(metrics_of(scope, now=now))),
        "meanings": meanings_of(tiles),
        "items": items[:MOST_ITEMS],
        "more_items": items[MOST_ITEMS:],
        "first_steps": _first_steps(user, scope),
        "questions": newest_questions(user, most=MOST_QUESTIONS),
        "reviews": newest_reviews(user, most=MOST_REVIEWS),
        "milestones": milestones,
        "fresh_milestone": max(
            (one for one in milestones if one.reached_at is not None and now - one.reached_at < FRESH),
            key=lambda one: one.reached_at or now,
            default=None,
        ),
        "reached": sum(one.reached_at is not None for one in milestones),
        **_courses(user, scope, now),
    }
    return render(request, "site/instructor.html", context)


def _first_steps(user: User, scope: Scope) -> list[FirstStep]:
    """The steps to a first course, until it was submitted; none for those who teach an open one. At most one query."""
    if any(course.published_at for course in scope.choices):
        return []
    steps = find_first_steps(user, find_first_course(user))
    return [] if all(step.is_done for step in steps) else steps


def _courses(user: User, scope: Scope, now: datetime) -> dict[str, Any]:
    """The courses that were changed last, with how they are doing; all of them make the title. Four queries."""
    figures = figures_of_courses(scope.choices, now=now)
    shown = list(authoring.courses_of(user)[:MOST_COURSES])
    rows = [
        {"course": course, "badge": authoring.course_badge(course), "figures": figures[course.pk],
         "health": say_health(figures[course.pk])}
        for course in shown
        if course.pk in figures
    ]  # fmt: skip
    return {
        "rows": rows,
        "title_of_courses": title_of_health(list(figures.values())),
        "health_rules": describe_health(),
        "course_count": len(scope.choices),
    }
