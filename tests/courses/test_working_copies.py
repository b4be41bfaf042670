"""Nobody but its authors and reviewers meets the working copy of a course."""

import json
import re
from typing import Any

import pytest
from django.contrib import admin
from django.db import IntegrityError, transaction
from django.test import Client, RequestFactory

from apps.accounts.models import User
from apps.courses.exports import of_teaching
from apps.courses.models import Course, Lesson
from apps.courses.services.search import index_all
from apps.learning.queries.openable import openable_lessons
from tests.factories.courses import CourseFactory, LessonFactory
from tests.factories.learning import EnrollmentFactory

pytestmark = [pytest.mark.django_db, pytest.mark.database]
SECRET = "Zanzibar"


@pytest.fixture
def copy(ada: User, leo: User) -> Course:
    live = CourseFactory(title="Islands", slug="islands", instructor=ada, status="published")
    LessonFactory(section__course=live, title="Capes", is_preview=True)
    EnrollmentFactory(user=leo, course=live)
    copy = CourseFactory(title=f"{SECRET} maps", slug="islands-version-2", instructor=ada, next_version_of=live)
    LessonFactory(section__course=copy, title=f"{SECRET} capes", slug="zanzibar-capes", is_preview=True)
    index_all()
    return copy


# A page of each list of courses or lessons, and who reads it.
PAGES = [
    ("", "/courses/"), ("", f"/courses/?q={SECRET}"), ("", "/sitemap.xml"),
    ("leo", "/dashboard"), ("leo", "/courses/islands"),
    ("ada", "/dashboard/instructor/"), ("ada", "/dashboard/instructor/courses/"),
    ("ada", "/dashboard/instructor/promo-codes/"), ("ada", "/api/v1/studio/courses/"),
    ("sam", "/dashboard/admin/"), ("sam", "/admin/courses/course/"),
]  # fmt: skip


def test_no_list_shows_it(copy: Course, ada: User, leo: User, sam: User) -> None:
    people = {"ada": ada, "leo": leo, "sam": sam}
    shown, missing = [], []
    for who, address in PAGES:
        client = Client()
        if who:
            client.force_login(people[who])
        answer = client.get(address, follow=True)
        if answer.status_code != 200:
            missing.append((address, answer.status_code))
        elif re.search(
            "Zanzibar (maps|capes)|islands-version-2|zanzibar-capes", answer.content.decode(), re.IGNORECASE
        ):
            shown.append((who, address))
    assert shown == []
    assert missing == []


def test_it_does_not_exist_for_others(copy: Course, leo: User, client: Client) -> None:
    client.force_login(leo)
    lesson = copy.lessons.get()
    for address in (
        f"/courses/{copy.slug}", f"/learn/{copy.slug}/{lesson.slug}", f"/api/v1/studio/courses/{copy.uid}/",
    ):  # fmt: skip
        assert client.get(address).status_code in {403, 404}, address


def test_managers_leave_it_out_and_foreign_keys_lead_to_it(copy: Course, ada: User, leo: User) -> None:
    live = Course.objects.get()
    assert list(ada.courses_taught.all()) == [live]
    assert list(Course.with_working_copies.order_by("pk")) == [live, copy]
    lesson = Lesson.objects.get(slug="zanzibar-capes")
    assert lesson.course == copy
    assert (lesson.course.live, lesson.course.live_id, live.live) == (live, live.pk, live)
    assert live.working_copy == copy
    assert lesson.pk not in openable_lessons(ada) | openable_lessons(leo)


def test_admin_lists_and_archives_of_data_leave_it_out(copy: Course, ada: User) -> None:
    request: Any = RequestFactory().get("/admin/")
    for model in (Course, Lesson):
        names = [str(one) for one in admin.site.get_model_admin(model).get_queryset(request)]
        assert names
        assert not any(SECRET in name for name in names)
    parts = [list(part.rows) for part in of_teaching(ada)]
    assert SECRET not in json.dumps(parts, default=str)


def test_it_can_never_be_shown(copy: Course) -> None:
    for shown in ({"status": "published"}, {"is_announced": True}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Course.with_working_copies.filter(pk=copy.pk).update(**shown)
