"""Django's admin shows only our own models and no secrets, and cannot bypass the services."""

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
def admin_browser(browser_of, sam):
    return browser_of(sam)


def address(model, page, *parts):
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=parts)


def test_only_our_own_models_are_registered():
    """The admin pages of packages show keys, tokens and two-factor secrets, and bypass our services."""
    ours = {"kit", "accounts", "billing", "courses", "files", "forum", "learning", "samples", "tutor"}
    copies = {model for model in RECORDS if model._meta.app_label == "djstripe"}
    by_us = {type(admin.site.get_model_admin(model)).__module__ for model in copies}
    assert by_us == {"apps.billing.admin.provider_copies", "studyplatform.kit.web.read_only_admin"}
    assert not {"APIKey", "IdempotencyKey"} & {model.__name__ for model in copies}
    assert {model._meta.app_label for model in RECORDS if model not in copies} <= ours


@pytest.mark.parametrize("model", RECORDS, ids=lambda model: model.__name__)
def test_every_list_is_searchable_and_paginated(admin_browser, model, django_assert_max_num_queries):
    screen = admin.site.get_model_admin(model)

    assert screen.search_fields
    assert screen.list_per_page <= 100
    with django_assert_max_num_queries(9):
        assert admin_browser.get(address(model, "changelist"), {"q": "anything"}).status_code == 200


@pytest.mark.parametrize("model", [Enrollment, Attempt, Certificate, Course], ids=lambda model: model.__name__)
def test_results_of_learners_cannot_be_edited(admin_browser, leo, course, model):
    enrollment = EnrollmentFactory(user=leo, course=course)
    CertificateFactory(enrollment=enrollment)
    quiz = QuizFactory(lesson__section__course=course)
    Attempt.objects.create(enrollment=enrollment, quiz=quiz, number=1, started_at=timezone.now())
    row = model.objects.first()
    before = model.objects.filter(pk=row.pk).values().get()

    assert admin_browser.get(address(model, "change", row.pk)).status_code == 200
    changed = admin_browser.post(address(model, "change", row.pk), {"percent": 100, "status": "published"})
    assert changed.status_code == (302 if model is Certificate else 403)  # a certificate can be revoked
    assert admin_browser.post(address(model, "delete", row.pk), {"post": "yes"}).status_code == 403
    assert admin_browser.post(address(model, "add"), {}).status_code == 403
    admin_browser.post(
        address(model, "changelist"), {"action": "delete_selected", "_selected_action": [row.pk], "post": "yes"}
    )
    assert model.objects.filter(pk=row.pk).values().get() == before


def test_a_video_shows_no_file_path(admin_browser, ada):
    video = VideoFactory(owner=ada, source="originals/secret-place.mp4", facts={"path": "/srv/secret"})
    UploadFactory(owner=ada)

    page = admin_browser.get(address(type(video), "change", video.pk)).content.decode()

    assert "secret" not in page


def test_a_password_can_only_be_changed_in_the_settings(admin_browser):
    answer = admin_browser.get("/admin/password_change/")

    assert (answer.status_code, answer["Location"]) == (302, "/settings/")
    admin_browser.post("/admin/password_change/", {"old_password": "x", "new_password1": "y", "new_password2": "y"})
    assert "password_change" not in admin_browser.get("/admin/").content.decode()


def test_no_payload_of_a_job_is_shown(admin_browser):
    """It may contain personal data, so the pages of jobs show only descriptions."""
    job = Job.objects.create(
        kind="accounts.send_password_reset",
        payload={"email": "mia@example.com"},
        run_at=timezone.now(),
        created_at=timezone.now(),
    )

    for page in ("/dashboard/admin/jobs/", address(Job, "changelist"), address(Job, "change", job.pk)):
        shown = admin_browser.get(page)
        assert shown.status_code == 200
        assert "mia@example.com" not in shown.content.decode()
