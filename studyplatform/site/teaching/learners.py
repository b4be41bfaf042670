"""/dashboard/instructor/students/: the learners of the courses that somebody reads, as a list and as a file."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from django.contrib import messages
from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, QueryDict, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from apps.accounts.guards import signed_in_user, teaches
from apps.courses.models import Right
from apps.courses.policies import courses_with_right
from apps.learning import services
from apps.learning.analytics.choices import choose_learners
from apps.learning.analytics.courses import Scope, scope_of
from apps.learning.analytics.filters import RISK_NAMES, SEEN_NAMES, SORT_NAMES, TAB_NAMES, LearnerFilter
from apps.learning.analytics.lessons import stuck_lessons
from apps.learning.analytics.lists import (
    count_learners,
    count_matching,
    count_people,
    iterate_learners,
    matching_learners,
    read_learners,
    rollup_of,
    rows_of,
)
from apps.learning.analytics.risk import describe_risks
from apps.learning.models import MAX_FILTER_NAME_LENGTH, Enrollment, SavedFilter
from studyplatform.kit.charts.sparks import spark_bars
from studyplatform.kit.errors import AppError, NotFound
from studyplatform.kit.text.csv_lines import csv_line
from studyplatform.kit.web.csv_response import csv_response
from studyplatform.site.teaching.learner_words import describe_filter, describe_minutes, remark_on

ADDRESS = "/dashboard/instructor/students/"
UNSAVED = "unsaved-filter"  # in the session: the name of a filter that was refused, for the form that it came from
MAX_KEPT_NAME = 200  # characters of it
PAGE_SIZE = 25
SPARK_MINUTES = 20  # on one day, of a full bar; more if the learner has a day with more
MANY_STUCK = 5  # learners who are stuck in one lesson: the page says so at the top


@teaches
@never_cache
@require_safe
def learners(request: HttpRequest) -> HttpResponse:
    """The list. The address narrows and orders it, see `LearnerFilter`."""
    user, now = signed_in_user(request), timezone.now()
    wanted = LearnerFilter.read(request.GET.dict())
    scope = scope_of(user, wanted.course)
    counts = count_learners(scope, now)
    matching = matching_learners(scope, wanted, now)
    page = _paginate(matching, count_matching(counts, wanted), request.GET.get("page"))
    rows = rows_of(read_learners(list(page.object_list)), now)
    taught = courses_with_right(user, scope.courses, Right.TEACH)
    context: dict[str, Any] = {
        "scope": scope,
        "wanted": wanted,
        "counts": counts,
        "page": page,
        "people": count_people(matching) if len(scope.courses) > 1 else page.paginator.count,
        "rows": [
            {
                "row": row,
                "remark": remark_on(row.enrollment, row.rollup, now),
                "spark": spark_bars(row.minutes, most=SPARK_MINUTES),
                "said": describe_minutes(row.minutes),
            }
            for row in rows
        ],
        "taught": taught,
        "writes": writable_courses(scope, taught),
        "stuck": [one for one in stuck_lessons(scope) if one.learners >= MANY_STUCK][:1],
        "unsaved": request.session.pop(UNSAVED, {}),
        "saved": list(SavedFilter.objects.filter(user=user).order_by("name", "pk")),
        "tabs": TAB_NAMES,
        "seen_names": SEEN_NAMES,
        "risk_names": RISK_NAMES,
        "sort_names": SORT_NAMES,
        "risks": describe_risks(),
        "narrowing": describe_filter(wanted),
        "max_name": MAX_FILTER_NAME_LENGTH,
        "base": ADDRESS,
        "here": request.get_full_path(),
    }
    return render(request, "site/learners/list.html", context)


def _paginate(learners: QuerySet[Enrollment], count: int | None, number: str | None) -> Page[int]:
    """Return the keys of a page of the list.

    If nobody knows how many there are, all keys are read: what finds them, such as a search, is done once for the count
    and the page.
    """
    keys = learners.values_list("pk", flat=True)
    paginator: Paginator[int] = Paginator(keys if count is not None else list(keys), PAGE_SIZE)
    if count is not None:
        paginator.count = count
    return paginator.get_page(number)


def writable_courses(scope: Scope, taught: set[int]) -> set[int]:
    """Return those of the courses in which the reader writes messages: admins have the right everywhere, but write only
    in those they teach.
    """
    return taught & {course.pk for course in scope.choices}


@teaches
@never_cache
@require_safe
def export(request: HttpRequest) -> StreamingHttpResponse:
    """The chosen learners, or all that the filter shows, as CSV. Emails of those who share them."""
    user, now = signed_in_user(request), timezone.now()
    given = request.GET.copy()
    if "learner" not in given:
        given["all"] = "1"
    choice = choose_learners(given, user, now)
    return csv_response(request, f"learners-{localtime(now):%Y-%m-%d}.csv", _lines(choice.rows, now))


def _lines(rows: QuerySet[Enrollment], now: datetime) -> Iterator[str]:
    yield csv_line(
        [
            *(_("Name"), _("Username"), _("Email"), _("Course"), _("Enrolled"), _("Last active")),
            *(_("Progress, percent"), _("Lessons completed"), _("Quizzes, percent"), _("Hours")),
            *(_("Finished"), _("Remark")),
        ]
    )
    for one in iterate_learners(rows):
        rollup = rollup_of(one)
        remark = remark_on(one, rollup, now)
        yield csv_line(
            [
                one.user.display_name,
                one.user.username,
                one.user.email if one.user.shares_email else "",
                one.course.title,
                _day(one.enrolled_at),
                _day(one.last_activity_at),
                one.percent,
                one.completed_lessons,
                rollup.quiz_percent if rollup is not None and rollup.quiz_percent is not None else "",
                f"{rollup.seconds / 3600:.1f}" if rollup is not None else "",
                _day(one.completed_at),
                remark.text if remark is not None else "",
            ]
        )


def _day(moment: datetime | None) -> str:
    return f"{localtime(moment):%Y-%m-%d}" if moment is not None else ""


@teaches
@require_POST
def save_filter(request: HttpRequest) -> HttpResponse:
    """Save the filter ``query`` under ``name``, or give the saved filter ``filter`` another name."""
    user, name = signed_in_user(request), request.POST.get("name", "").replace("\x00", "")
    wanted = LearnerFilter.read(QueryDict(request.POST.get("query", "")).dict())
    try:
        if "filter" in request.POST:
            services.rename_filter(user=user, uid=_uid(request.POST["filter"]), name=name)
        else:
            services.save_filter(user=user, name=name, query=wanted.query, now=timezone.now())
    except AppError as refusal:
        if refusal.status == NotFound.status:
            raise
        messages.warning(request, refusal.detail, extra_tags=refusal.code)
        request.session[UNSAVED] = {"name": name[:MAX_KEPT_NAME], "filter": request.POST.get("filter", "")}
    else:
        messages.success(request, _("The filter is saved."), extra_tags="toast")
    return redirect(f"{ADDRESS}?{wanted.query}" if wanted.query else ADDRESS)


@teaches
@require_POST
def delete_filter(request: HttpRequest) -> HttpResponse:
    """Delete the saved filter ``filter``. What it showed stays on the page."""
    services.delete_filter(user=signed_in_user(request), uid=_uid(request.POST.get("filter", "")))
    messages.success(request, _("The filter is deleted."), extra_tags="toast")
    query = LearnerFilter.read(QueryDict(request.POST.get("query", "")).dict()).query
    return redirect(f"{ADDRESS}?{query}" if query else ADDRESS)


def read_key(given: QueryDict) -> UUID:
    """Return the ``key`` of a form, by which it is known when it is sent again; a new one if there is none."""
    try:
        return UUID(given.get("key", ""))
    except ValueError:
        return uuid4()


def _uid(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise NotFound from None
