"""A lesson as a learner sees it, for the staff of the course: every progress, and nothing is written."""

import re

from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.courses.models import Course
from apps.learning.outline import place_all
from apps.learning.queries.outline import outline_of
from apps.learning.simulation import Assumed, standing_with
from tests.factories.learning import EnrollmentFactory
from tests.learning.quiz import make_quiz


def test_assumed_progress_opens_what_a_learner_with_it_could_open(course, lessons, now):
    course.requires_order = True
    third = lessons[2].pk

    def open_lessons(assumed):
        outline = outline_of(course)
        standing = standing_with(course, outline, third, assumed, has_dates_ahead=False, now=now)
        placed = place_all(course, outline, standing)
        return [one.entry.pk for one in placed if one.is_open]

    assert open_lessons(Assumed.NONE) == [lessons[0].pk]
    assert open_lessons(Assumed.BEFORE) == [one.pk for one in lessons[:3]]
    assert open_lessons(Assumed.ALL) == [one.pk for one in lessons]


def test_staff_see_every_lesson_as_a_learner_and_nothing_is_written(course, lessons, ada, eve, browser_of):
    EnrollmentFactory(user=ada, course=course)  # an own enrollment must not be touched either
    quiz = make_quiz(course).lesson
    browser = browser_of(ada)
    browser.get("/courses/")  # the session knows its device from here on

    for lesson in (lessons[1], quiz):
        for progress in ("none", "before", "all", "nonsense"):
            address = f"/learn/{course.slug}/{lesson.slug}/as-learner"
            with CaptureQueriesContext(connection) as seen:
                page = browser.get(f"{address}?progress={progress}").content.decode()
                frame = browser.get(f"{address}/page?progress={progress}")
            assert not [
                one for one in seen.captured_queries if not one["sql"].startswith(("SELECT", "SAVEPOINT", "RELEASE"))
            ]
            assert f"{address}/page?progress={'before' if progress == 'nonsense' else progress}" in page
            assert (frame["X-Frame-Options"], "frame-ancestors 'self'" in frame["Content-Security-Policy"]) == (
                "SAMEORIGIN",
                True,
            )
            shown = frame.content.decode()
            # Said once, around the frame, whose page can send no form.
            assert ("Nothing is saved or sent here" in page, "You're " in shown) == (True, False)
            assert "form-action 'none'" in frame["Content-Security-Policy"]
            assert not re.search(r'"/learn/[\w-]+/[\w-]+"|data-reading-end="\w|/attempts"|/complete"|/bookmark"', shown)

    Course.objects.filter(pk=course.pk).update(requires_order=True, version=course.version + 1)
    refused = browser.get(f"/learn/{course.slug}/{lessons[1].slug}/as-learner/page?progress=none")
    assert (refused.status_code, lessons[0].title in refused.content.decode()) == (403, True)
    lessons[0].opens_after_days = 3
    lessons[0].save(update_fields=["opens_after_days"])
    Course.objects.filter(pk=course.pk).update(version=course.version + 2)
    first = f"/learn/{course.slug}/{lessons[0].slug}/as-learner"
    assert "Enrolled just now" in browser.get(f"{first}?progress=none").content.decode()
    assert browser.get(f"{first}/page?progress=none").status_code == 200
    closed = browser.get(f"{first}/page?progress=none&dates=ahead")
    assert (closed.status_code, "opens on" in closed.content.decode().lower()) == (403, True)
    for part in ("", "/page"):
        assert browser_of(eve).get(f"/learn/{course.slug}/{lessons[1].slug}/as-learner{part}").status_code == 302
