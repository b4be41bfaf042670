"""What requires a verified email; each refusal offers to send the verification email."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

from apps.accounts.errors import EmailNotVerified
from apps.accounts.models import Role, User
from apps.courses.models import Course
from apps.courses.services import submit_course
from apps.learning.models import Enrollment
from studyplatform.kit import jobs
from tests.factories.accounts import UserFactory
from tests.factories.courses import CourseFactory, SubjectFactory
from tests.files.test_uploads import begin as begin_upload

pytestmark = pytest.mark.django_db
CODE = "AUTH_EMAIL_NOT_VERIFIED"


@pytest.fixture
def unverified_browser(browser_of: Callable[[User], Client]) -> Client:
    return browser_of(UserFactory(username="una", email_verified_at=None))


@pytest.fixture
def unverified_instructor() -> User:
    return UserFactory(username="tea", role=Role.INSTRUCTOR, email_verified_at=None)


def post_json(browser: Client, address: str, body: dict[str, Any]) -> Any:
    return browser.post(address, body, content_type="application/json")


def test_enrolling_shows_a_button_that_sends_the_verification_email(unverified_browser: Client, course: Course) -> None:
    page = f"/courses/{course.slug}"
    refused = unverified_browser.post(
        "/courses/enroll", {"course": course.slug}, headers={"Referer": f"http://testserver{page}"}
    )
    shown = unverified_browser.get(refused["Location"]).content.decode()

    assert refused["Location"].endswith(page)
    assert f'data-error="{CODE}"' in shown
    action = re.search(
        r'<form method="post" action="([^"]+)"><input type="hidden" name="csrfmiddlewaretoken"[^>]+>'
        r'<button class="btn btn--sm" type="submit">Resend email',
        shown,
    )
    assert action
    sent = unverified_browser.post(action[1], headers={"Referer": f"http://testserver{page}"})
    jobs.run_pending("default")
    assert mail.outbox[0].to == ["una@example.com"]
    assert sent["Location"] == f"/auth/verify-email?next={page}"
    assert not Enrollment.objects.exists()


def test_the_enrollment_page_offers_to_resend_the_email(unverified_browser: Client, course: Course) -> None:
    page = unverified_browser.get(f"/courses/enroll?course={course.slug}")

    assert page.status_code == 403
    assert "Resend email" in page.content.decode()


def test_a_verified_user_can_enroll(unverified_browser: Client, course: Course) -> None:
    User.objects.filter(username="una").update(email_verified_at="2026-01-01T00:00Z")

    unverified_browser.post("/courses/enroll", {"course": course.slug})

    assert Enrollment.objects.count() == 1


def test_an_unverified_instructor_cannot_create_a_course(
    browser_of: Callable[[User], Client], unverified_instructor: User
) -> None:
    subject = SubjectFactory()
    browser = browser_of(unverified_instructor)
    texts = {"title": "Rivers", "subject": subject.pk, "difficulty": "beginner", "language": "en", "summary": "Water."}

    refused = browser.post("/dashboard/instructor/courses/new", texts, follow=True).content.decode()
    assert f'data-error="{CODE}"' in refused
    assert not Course.objects.exists()

    User.objects.filter(pk=unverified_instructor.pk).update(email_verified_at=timezone.now())
    browser.post("/dashboard/instructor/courses/new", texts)
    assert Course.objects.count() == 1


def test_an_unverified_instructor_cannot_submit_a_course(unverified_instructor: User) -> None:
    course = CourseFactory(instructor=unverified_instructor, status="draft")

    with pytest.raises(EmailNotVerified):
        submit_course(course=course, by=unverified_instructor, now=timezone.now())

    course.refresh_from_db()
    assert course.status == "draft"


def test_an_unverified_instructor_cannot_upload_a_video(
    browser_of: Callable[[User], Client], unverified_instructor: User
) -> None:
    browser = browser_of(unverified_instructor)

    answer = begin_upload(browser)
    assert (answer.status_code, answer.json()["code"]) == (403, CODE)

    User.objects.filter(pk=unverified_instructor.pk).update(email_verified_at=timezone.now())
    assert begin_upload(browser).status_code == 201


def test_the_api_sends_the_email_at_most_once_a_minute(unverified_browser: Client) -> None:
    waits = []
    for _ in range(2):
        answer = post_json(unverified_browser, "/api/v1/auth/resend-verification", {})
        assert answer.status_code == 202
        waits.append(answer.json()["wait"])
        jobs.run_pending("default")

    assert waits[0] == 0
    assert waits[1] > 50
    assert len(mail.outbox) == 1


def test_a_visitor_cannot_request_the_email(client: Client) -> None:
    assert post_json(client, "/api/v1/auth/resend-verification/", {}).status_code == 401
