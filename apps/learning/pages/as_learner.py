"""A lesson as a learner with any progress would see it, in a frame as wide as a phone, for the staff of its course.

Only read: the lesson is rendered for a learner who isn't in the database, without discussion, notes and tutor. The
policy of the framed page keeps forms from being sent.
"""

import re

from csp.constants import NONE, SELF
from csp.decorators import csp_replace
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.http import require_safe

from apps.accounts.guards import signed_in_user, teaches
from apps.courses.models import Lesson
from apps.learning.pages.lessons import PAGES
from apps.learning.queries.lessons import OpenLesson, lesson_as_learner
from apps.learning.simulation import Assumed

AHEAD = "ahead"


@teaches
@require_safe
def as_learner(request: HttpRequest, course: str, lesson: str) -> HttpResponse:
    """The lesson in a frame, beside the choice of the learner's progress."""
    opened, assumed, has_dates_ahead = _opened(request, course, lesson)
    query = _query(assumed, has_dates_ahead=has_dates_ahead)
    names = {
        Assumed.NONE: _("Nothing completed"),
        Assumed.BEFORE: _("Earlier lessons completed"),
        Assumed.ALL: _("Everything completed"),
    }
    before, after = opened.around()
    context = {
        "course": opened.course,
        "lesson": opened.lesson,
        "choices": [
            (names[value], _query(value, has_dates_ahead=has_dates_ahead), value == assumed) for value in Assumed
        ],
        "dates": [
            (_("Enrolled just now"), _query(assumed, has_dates_ahead=True), has_dates_ahead),
            (_("After all dates"), _query(assumed, has_dates_ahead=False), not has_dates_ahead),
        ]
        if any(one.opens_at or one.opens_after_days for one in opened.outline.entries)
        else [],
        "frame": reverse("learning:as-learner-frame", args=[course, lesson]) + query,
        "neighbors": [
            (one, reverse("learning:as-learner", args=[course, one.slug]) + query) for one in (before, after) if one
        ],
    }
    return render(request, "learning/as_learner.html", context)


@teaches
@require_safe
@xframe_options_sameorigin
def as_learner_frame(request: HttpRequest, course: str, lesson: str) -> HttpResponseBase:
    """The page of the lesson; links to other lessons lead to the same view of them."""
    opened, assumed, has_dates_ahead = _opened(request, course, lesson)
    refusal = opened.verdict
    if refusal is not None:
        told = render(request, "learning/as_learner_refused.html", {"error": refusal}, status=refusal.status)
        return _framed(request, told)
    response = PAGES[Lesson.Kind(opened.lesson.kind)](request, opened)
    # Links of the page, and addresses in the props of its islands, are made for learners in many places.
    page = response.content.decode()
    address = re.escape(f"/learn/{opened.course.slug}/")
    there = rf'\g<1>/as-learner/page{_query(assumed, has_dates_ahead=has_dates_ahead)}"'
    page = re.sub(rf'(href="{address}[\w-]+)"', there + ' target="_self"', page)
    response.content = re.sub(rf'("{address}[\w-]+)"', there, page)
    return _framed(request, response)


def _framed(request: HttpRequest, response: HttpResponse) -> HttpResponseBase:
    """Let pages of this site, and no others, show the response in a frame, and let it send no form."""
    return csp_replace({"frame-ancestors": [SELF], "form-action": [NONE]})(lambda _request: response)(request)


def _opened(request: HttpRequest, course: str, lesson: str) -> tuple[OpenLesson, Assumed, bool]:
    asked = request.GET.get("progress", "")
    assumed = next((one for one in Assumed if one == asked), Assumed.BEFORE)
    has_dates_ahead = request.GET.get("dates") == AHEAD
    opened = lesson_as_learner(
        signed_in_user(request), course, lesson, assumed, has_dates_ahead=has_dates_ahead, now=timezone.now()
    )
    return opened, assumed, has_dates_ahead


def _query(assumed: Assumed, *, has_dates_ahead: bool) -> str:
    return f"?progress={assumed}" + (f"&dates={AHEAD}" if has_dates_ahead else "")
