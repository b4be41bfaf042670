"""Forms and API calls ignore fields that they do not define."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.core import mail
from django.test import Client

from apps.accounts.models import User
from apps.courses.models import Course
from apps.files.models import Upload, VideoAsset
from studyplatform.kit import jobs

pytestmark = pytest.mark.django_db

LONG_AGO = "2020-01-01T00:00:00Z"
PROTECTED = ["uid", "role", "is_active", "email_verified_at", "blocked_at", "deleted_at"]


def forbidden_fields(eve: User) -> dict[str, Any]:
    """Return fields that would make a user an admin, verified, and the owner of Ada's rows."""
    mine = {f"{name}{ending}": eve.pk for name in ("owner", "instructor", "user", "teacher") for ending in ("", "_id")}
    return mine | {
        "uid": "00000000-0000-4000-8000-000000000000",
        "role": "admin",
        "roles": "admin",
        "is_staff": True,
        "is_superuser": True,
        "is_active": False,
        "is_admin": True,
        "email_verified_at": LONG_AGO,
        "blocked_at": LONG_AGO,
        "deleted_at": LONG_AGO,
        "status": "published",
        "published_at": LONG_AGO,
    }


def protected_values() -> dict[str, Any]:
    """Return the values of every row that no form may change."""
    owners = {
        Course: ["instructor_id", "status", "published_at", "uid"],
        VideoAsset: ["owner_id"],
        Upload: ["owner_id"],
    }
    return {
        f"{model.__name__} {row['pk']}": row
        for model, names in ({User: PROTECTED} | owners).items()
        for row in model.objects.values("pk", *names)  # type: ignore[attr-defined]
    }


FORMS: list[tuple[str, str, dict[str, str]]] = [
    ("leo", "/settings/profile",
     {"username": "leo.m", "first_name": "Lee", "last_name": "Marsh", "time_zone": "Europe/Helsinki", "bio": "Hi."}),
    ("leo", "/settings/goals", {"daily_minutes": "45", "weekly_lessons": "7"}),
    ("leo", "/settings/appearance", {"theme": "dark", "style": "corporate"}),
    ("leo", "/settings/teaching", {"reason": "I have taught rivers for twenty years, in two valleys and one delta."}),
    ("ada", "/dashboard/instructor/courses/rivers-and-their-work/edit",
     {"title": "Deltas", "difficulty": "beginner", "language": "en"}),
]  # fmt: skip


@pytest.mark.parametrize(("username", "address", "body"), FORMS, ids=[address for _, address, _ in FORMS])
def test_a_form_saves_only_its_own_fields(
    username: str,
    address: str,
    body: dict[str, str],
    request: pytest.FixtureRequest,
    browser_of: Callable[[User], Client],
    course: Course,
    eve: User,
) -> None:
    browser = browser_of(request.getfixturevalue(username))
    before = protected_values()
    known = {"subject": str(course.subject_id)} if "courses" in address else {}

    answer = browser.post(address, forbidden_fields(eve) | body | known)

    assert answer.status_code == 302, "the form itself is invalid"
    assert protected_values() == before


def test_a_new_user_is_a_student(client: Client, eve: User) -> None:
    body = {"first_name": "Amara", "last_name": "Lindgren", "email": "amara@example.org", "terms": "on"}
    secret = {"password": "QuietRiver26", "confirmation": "QuietRiver26"}

    client.post("/auth/register", forbidden_fields(eve) | body | secret)

    jobs.run_pending("default")
    code = re.search(r"\b(\d{6})\b", str(mail.outbox[-1].body))
    assert code
    client.post("/auth/verify-email", forbidden_fields(eve) | {"code": code[1]})

    amara = User.objects.get(email="amara@example.org")
    assert (amara.role, amara.is_staff, amara.is_superuser, amara.is_active) == ("student", False, False, True)
    assert amara.email_verified_at.year > 2020
    assert str(amara.uid) != forbidden_fields(eve)["uid"]


def test_a_new_course_is_a_draft_of_its_author(
    browser_of: Callable[[User], Client], course: Course, ada: User, eve: User
) -> None:
    body = {"title": "Deltas", "difficulty": "beginner", "language": "en", "subject": str(course.subject_id)}

    browser_of(ada).post("/dashboard/instructor/courses/new", forbidden_fields(eve) | body)

    made = Course.objects.get(title="Deltas")
    assert (made.instructor, made.status, made.published_at) == (ada, Course.Status.DRAFT, None)
