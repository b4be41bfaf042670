"""Analytics of lessons: what stands out, each lesson of a course, the retention of a video, the questions of a quiz."""

from dataclasses import asdict
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from apps.accounts.guards import require_session_key, signed_in_user, teaches
from apps.courses.models import Lesson
from apps.files.services import sign_link
from apps.learning.analytics import moments as rules
from apps.learning.analytics.courses import Scope, course_read_by, scope_of
from apps.learning.analytics.curves import Retention, retention_of, usual_band
from apps.learning.analytics.funnel import Funnel, funnel_of
from apps.learning.analytics.lessons import lessons_of, lessons_standing_out, stuck_lessons
from apps.learning.analytics.quizzes import items_of
from apps.learning.analytics.smallest_group import SMALLEST_GROUP
from apps.learning.analytics.tables import TABLES
from studyplatform.kit.charts.measures import Percents
from studyplatform.kit.charts.rows import FunnelStep
from studyplatform.kit.charts.rows import funnel as lay_out_funnel
from studyplatform.kit.errors import NotFound
from studyplatform.site.teaching.analytics_charts import chart_of_retention
from studyplatform.site.teaching.analytics_choices import choose
from studyplatform.site.teaching.chart_titles.courses import title_of_way
from studyplatform.site.teaching.chart_titles.lessons import (
    say_discrimination,
    title_of_items,
    title_of_retention,
)


@teaches
@require_safe
@never_cache
def analytics_lessons(request: HttpRequest) -> HttpResponse:
    """The way to completion, lessons that stand out, and all lessons of the chosen course."""
    choice = choose(request, now=timezone.now())
    context: dict[str, Any] = {"choice": choice, "tab": "lessons", "tables": TABLES.values()}
    if choice.scope.courses:
        scope = choice.scope
        funnel = funnel_of(scope, choice.period)
        people = {step.name: step.people for step in funnel.steps}
        # With several courses, the lessons are those of the one with most learners.
        course = scope.chosen or max(scope.courses, key=lambda one: (one.learner_count, -one.pk))
        context |= {
            "funnel": funnel,
            "steps": _steps_of(funnel),
            "way_title": title_of_way(people["enrolled"] or 0, people["began"] or 0, people["completed"] or 0),
            "stuck": stuck_lessons(scope),
            "standing_out": lessons_standing_out(scope),
            "course": course,
            "lessons": lessons_of(course.pk),
            "smallest": SMALLEST_GROUP,
        }
    return render(request, "site/analytics/lessons.html", context)


def _steps_of(funnel: Funnel) -> list[FunnelStep]:
    """The steps that are shown. Visitors are left out if too few would show, or fewer than enrolled were counted."""
    people = {step.name: step.people for step in funnel.steps}
    hidden = {"visitors"} if (people["visitors"] or 0) < (people["enrolled"] or 0) else set()
    shown = [step for step in funnel.steps if step.people is not None and step.name not in hidden]
    return lay_out_funnel([(step.label, step.people) for step in shown if step.people is not None])


def read_lesson(request: HttpRequest, slug: str, lesson: str, kind: str) -> tuple[Scope, Lesson]:
    """Return a lesson of this kind of a course that the user may read, and the scope of what is usual beside it: all
    that the user teaches; for an admin who doesn't teach the course, that course.

    :raises NotFound: the course has no such lesson.
    :raises AppError: the user may not read the figures.
    """
    user = signed_in_user(request)
    course = course_read_by(user, slug)
    found = Lesson.objects.filter(course=course, slug=lesson, kind=kind).select_related("course", "video").first()
    if found is None:
        raise NotFound
    scope = scope_of(user)
    return (scope if course.pk in scope.pks else scope_of(user, slug)), found


@teaches
@require_safe
@never_cache
def lesson_retention(request: HttpRequest, slug: str, lesson: str) -> HttpResponse:
    """How many learners watch each second of a video, beside the video."""
    scope, opened = read_lesson(request, slug, lesson, Lesson.Kind.VIDEO)
    retention = retention_of(opened)
    context: dict[str, Any] = {
        "course": opened.course,
        "opened": opened,
        "retention": retention,
        "smallest": SMALLEST_GROUP,
        "rules": _rules(),
        "watch_at": reverse("learning:lesson", args=[opened.course.slug, opened.slug]),
    }
    if retention is not None:
        band = usual_band(scope, besides=opened)
        context |= {
            "band": band,
            "title": title_of_retention(retention.percents),
            "first": Percents().write(retention.moments.first) if retention.moments.first is not None else "",
            "plot": chart_of_retention(retention, band),
            "moments": _moments_of(retention),
            "island_props": _props(request, opened, retention, band),
        }
    return render(request, "site/analytics/retention.html", context)


def _rules() -> dict[str, Any]:
    """The numbers of the formulas that the page prints."""
    return {
        "first": rules.FIRST_SECONDS,
        "smooth": rules.SMOOTHING_SECONDS,
        "points": f"{rules.MIN_POINTS:g}",
        "deviations": f"{rules.MIN_DEVIATIONS:g}",
        "half_window": rules.MIN_HALF_WINDOW_SECONDS,
        "share": rules.HALF_WINDOWS_PER_VIDEO,
        "calm": round(100 * rules.CALM_SHARE),
    }


def _moments_of(retention: Retention) -> list[dict[str, Any]]:
    """What stands out, in the order of the video."""
    kinds = {"spike": retention.moments.spikes, "dip": retention.moments.dips, "top": retention.moments.top}
    found = [{"kind": kind, **asdict(moment)} for kind, moments in kinds.items() for moment in moments]
    return sorted(found, key=lambda one: (one["start"], one["kind"]))


def _props(
    request: HttpRequest, lesson: Lesson, retention: Retention, band: list[tuple[float, float]] | None
) -> dict[str, Any]:
    """Return what the island needs: the video and its curve."""
    video = lesson.video
    sources = (
        sign_link(video=video, now=timezone.now(), audience=require_session_key(request)) if video is not None else None
    )
    return {
        "title": lesson.title,
        "learners": retention.learners,
        "percents": [round(percent, 1) for percent in retention.percents],
        "band": [[round(low, 1), round(high, 1)] for low, high in band] if band else None,
        "moments": _moments_of(retention),
        "sources": sources and {"master": sources.master, "audio": sources.audio, "sound": sources.sound},
        "poster": sources.poster if sources else None,
        "captions": [asdict(track) for track in sources.captions] if sources else [],
    }


@teaches
@require_safe
@never_cache
def quiz_items(request: HttpRequest, slug: str, lesson: str) -> HttpResponse:
    """How the questions of a quiz work: difficulty, discrimination, and what is chosen."""
    _scope, opened = read_lesson(request, slug, lesson, Lesson.Kind.QUIZ)
    quiz = getattr(opened, "quiz", None)
    items = items_of(quiz) if quiz is not None else []
    context = {
        "course": opened.course,
        "opened": opened,
        "title": title_of_items(
            [one.difficulty for one in items],
            [one.discrimination for one in items],
            [one.responses for one in items],
        ),
        "items": [(item, say_discrimination(item.discrimination)) for item in items],
        "smallest": SMALLEST_GROUP,
        "truths": {"true": _("True"), "false": _("False")},
    }
    return render(request, "site/analytics/items.html", context)
