"""What the pages of analytics show, as CSV files."""

from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from apps.accounts.guards import teaches
from apps.courses.models import Lesson
from apps.learning.analytics.curves import retention_of, usual_band
from apps.learning.analytics.quizzes import items_of
from apps.learning.analytics.tables import TABLES, Asked, item_lines, retention_lines
from studyplatform.kit.errors import NotFound
from studyplatform.kit.web.csv_response import csv_response
from studyplatform.site.teaching.analytics_choices import choose
from studyplatform.site.teaching.analytics_lessons import read_lesson


@teaches
@require_safe
@never_cache
def table_file(request: HttpRequest, name: str) -> HttpResponseBase:
    """One table, of the courses and the period that the address chooses."""
    table = TABLES.get(name)
    if table is None:
        raise NotFound
    choice = choose(request, now=timezone.now())
    # Made before the answer begins, so that a failure is no half of a file.
    lines = list(table.lines(Asked(choice.scope, choice.period, choice.now)))
    course = f"-{choice.scope.chosen.slug}" if choice.scope.chosen is not None else ""
    return csv_response(request, f"analytics-{name}{course}-{choice.period.first}-{choice.period.last}.csv", lines)


@teaches
@require_safe
@never_cache
def retention_file(request: HttpRequest, slug: str, lesson: str) -> HttpResponseBase:
    """The retention of a video, second by second; nothing but the head with too few learners."""
    scope, opened = read_lesson(request, slug, lesson, Lesson.Kind.VIDEO)
    retention = retention_of(opened)
    band = usual_band(scope, besides=opened) if retention is not None else None
    return csv_response(request, f"retention-{opened.slug}.csv", list(retention_lines(retention, band)))


@teaches
@require_safe
@never_cache
def items_file(request: HttpRequest, slug: str, lesson: str) -> HttpResponseBase:
    """The questions of a quiz with their choices."""
    _scope, opened = read_lesson(request, slug, lesson, Lesson.Kind.QUIZ)
    quiz = getattr(opened, "quiz", None)
    return csv_response(request, f"questions-{opened.slug}.csv", list(item_lines(items_of(quiz) if quiz else [])))
