"""Django's admin: our own screens alone, nothing secret, nothing that services forbid."""

import pytest
from django.apps import apps
from django.contrib import admin
from django.urls import reverse
from django.utils import timezone

from apps.courses.models import Course
from apps.learning.models import Attempt, Certificate, Enrollment
from studyplatform.kit.models import Job
from tests.factories.courses import QuizFactory
from tests.factories.files import UploadFactory, VideoFactory
from tests.factories.learning import CertificateFactory, EnrollmentFactory

RECORDS = [model for model in apps.get_models() if admin.site.is_registered(model)]


@pytest.fixture
def desk(browser_of, sam):
    return browser_of(sam)


def address(model, page, *parts):
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=parts)


def test_no_package_keeps_a_desk_of_its_own():
    """Their screens show keys, tokens and secrets of the second factor, and change what we keep by rules."""
    ours = {"kit", "accounts", "billing", "courses", "files", "forum", "learning", "tutor"}
    assert {model._meta.app_label for model in RECORDS} <= ours


@pytest.mark.parametrize("model", RECORDS, ids=lambda model: model.__name__)
def test_every_list_is_searched_and_paged(desk, model, django_assert_max_num_queries):
    screen = admin.site.get_model_admin(model)

    assert screen.search_fields
    assert screen.list_per_page <= 100
    with django_assert_max_num_queries(9):
        assert desk.get(address(model, "changelist"), {"q": "anything"}).status_code == 200


@pytest.mark.parametrize("model", [Enrollment, Attempt, Certificate, Course], ids=lambda model: model.__name__)
def test_what_people_earned_is_not_written_by_hand(desk, leo, course, model):
    enrollment = EnrollmentFactory(user=leo, course=course)
    CertificateFactory(enrollment=enrollment)
    quiz = QuizFactory(lesson__section__course=course)
    Attempt.objects.create(enrollment=enrollment, quiz=quiz, number=1, started_at=timezone.now())
    row = model.objects.first()
    before = model.objects.filter(pk=row.pk).values().get()

    assert desk.get(address(model, "change", row.pk)).status_code == 200
    assert desk.post(address(model, "change", row.pk), {"percent": 100, "status": "published"}).status_code == 403
    assert desk.post(address(model, "delete", row.pk), {"post": "yes"}).status_code == 403
    assert desk.post(address(model, "add"), {}).status_code == 403
    desk.post(address(model, "changelist"), {"action": "delete_selected", "_selected_action": [row.pk], "post": "yes"})
    assert model.objects.filter(pk=row.pk).values().get() == before


def test_a_video_shows_no_path_of_the_machine(desk, ada):
    video = VideoFactory(owner=ada, source="originals/secret-place.mp4", facts={"path": "/srv/secret"})
    UploadFactory(owner=ada)

    page = desk.get(address(type(video), "change", video.pk)).content.decode()

    assert "secret" not in page


def test_a_password_is_changed_in_the_settings_alone(desk):
    answer = desk.get("/admin/password_change/")

    assert (answer.status_code, answer["Location"]) == (302, "/settings/")
    desk.post("/admin/password_change/", {"old_password": "x", "new_password1": "y", "new_password2": "y"})
    assert "password_change" not in desk.get("/admin/").content.decode()


def test_jobs_are_no_records(desk):
    """Their payload may name a person: the page of jobs shows words alone."""
    Job.objects.create(
        kind="accounts.send_password_reset",
        payload={"email": "mia@example.com"},
        run_at=timezone.now(),
        created_at=timezone.now(),
    )

    assert not admin.site.is_registered(Job)
    assert "mia@example.com" not in desk.get("/dashboard/admin/jobs/").content.decode()
