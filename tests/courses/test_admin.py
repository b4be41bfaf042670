"""The admin pages show every model and change courses only through the services."""

import pytest
from django.urls import reverse
from django.utils import timezone

from apps.courses import services
from apps.courses.models import Course, StatusChange
from tests.factories.courses import CourseFactory, LessonFactory


@pytest.fixture
def admin_browser(browser_of, sam):
    return browser_of(sam)


def run_action(browser, model, action, *rows):
    sent = {"action": action, "_selected_action": [row.pk for row in rows]}
    return browser.post(reverse(f"admin:courses_{model}_changelist"), sent, follow=True)


@pytest.mark.parametrize("model", ["subject", "course", "section", "lesson", "submission"])
def test_every_list_and_row_opens(admin_browser, ada, model):
    course = LessonFactory(section__course__instructor=ada).course
    submission = services.submit_course(course=course, by=ada, now=timezone.now())
    row = {
        "subject": course.subject,
        "course": course,
        "section": course.sections.get(),
        "lesson": course.lessons.get(),
        "submission": submission,
    }[model]

    assert admin_browser.get(reverse(f"admin:courses_{model}_changelist")).status_code == 200
    assert admin_browser.get(reverse(f"admin:courses_{model}_change", args=[row.pk])).status_code == 200


def test_actions_call_the_services_and_report_refusals(admin_browser):
    live, draft = CourseFactory(status="published"), CourseFactory()

    page = run_action(admin_browser, "course", "suspend", live, draft).content.decode()

    assert Course.objects.get(pk=live.pk).status == "suspended"
    assert Course.objects.get(pk=draft.pk).status == "draft"
    assert StatusChange.objects.get().course == live
    assert "1 course changed." in page
    assert "do that while the course has the status" in page
    for action, status in (("reinstate", "published"), ("archive", "archived"), ("restore", "published")):
        run_action(admin_browser, "course", action, live)
        assert Course.objects.get(pk=live.pk).status == status


def test_an_admin_approves_a_submission(admin_browser, ada):
    course = LessonFactory(section__course__instructor=ada).course
    submission = services.submit_course(course=course, by=ada, now=timezone.now())

    run_action(admin_browser, "submission", "approve", submission)

    assert Course.objects.get(pk=course.pk).status == "published"


def test_rows_cannot_be_edited(admin_browser):
    course = CourseFactory()

    answer = admin_browser.post(reverse("admin:courses_course_change", args=[course.pk]), {"status": "published"})

    assert answer.status_code == 403
    assert Course.objects.get(pk=course.pk).status == "draft"


def test_instructors_cannot_open_the_admin(browser_of, ada):
    assert browser_of(ada).get(reverse("admin:courses_course_changelist")).status_code in {302, 403}
