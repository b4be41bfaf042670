"""The staff screens: they show everything and move courses by the services alone."""

import pytest
from django.urls import reverse
from django.utils import timezone

from apps.courses import services
from apps.courses.models import Course, StatusChange
from tests.factories.courses import CourseFactory, LessonFactory


@pytest.fixture
def as_root(browser_of, sam):
    return browser_of(sam)


def act(browser, model, action, *rows):
    sent = {"action": action, "_selected_action": [row.pk for row in rows]}
    return browser.post(reverse(f"admin:courses_{model}_changelist"), sent, follow=True)


@pytest.mark.parametrize("model", ["subject", "course", "section", "lesson", "submission"])
def test_each_list_and_each_row_opens(as_root, ada, model):
    course = LessonFactory(section__course__instructor=ada).course
    submission = services.submit_course(course=course, by=ada, now=timezone.now())
    row = {
        "subject": course.subject,
        "course": course,
        "section": course.sections.get(),
        "lesson": course.lessons.get(),
        "submission": submission,
    }[model]

    assert as_root.get(reverse(f"admin:courses_{model}_changelist")).status_code == 200
    assert as_root.get(reverse(f"admin:courses_{model}_change", args=[row.pk])).status_code == 200


def test_actions_call_the_services_and_say_why_not(as_root):
    live, draft = CourseFactory(status="published"), CourseFactory()

    page = act(as_root, "course", "suspend", live, draft).content.decode()

    assert Course.objects.get(pk=live.pk).status == "suspended"
    assert Course.objects.get(pk=draft.pk).status == "draft"
    assert StatusChange.objects.get().course == live
    assert "1 course changed." in page
    assert "do that while the course has the status" in page
    for action, status in (("reinstate", "published"), ("archive", "archived"), ("restore", "published")):
        act(as_root, "course", action, live)
        assert Course.objects.get(pk=live.pk).status == status


def test_a_submission_is_approved(as_root, ada):
    course = LessonFactory(section__course__instructor=ada).course
    submission = services.submit_course(course=course, by=ada, now=timezone.now())

    act(as_root, "submission", "approve", submission)

    assert Course.objects.get(pk=course.pk).status == "published"


def test_rows_are_not_changed_by_hand(as_root):
    course = CourseFactory()

    answer = as_root.post(reverse("admin:courses_course_change", args=[course.pk]), {"status": "published"})

    assert answer.status_code == 403
    assert Course.objects.get(pk=course.pk).status == "draft"


def test_instructors_do_not_get_in(browser_of, ada):
    assert browser_of(ada).get(reverse("admin:courses_course_changelist")).status_code in {302, 403}
