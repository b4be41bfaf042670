"""Rows that calls name, for those who may see them."""

from typing import Any
from uuid import UUID

from rest_framework.request import Request

from apps.accounts.guards import signed_in_user
from apps.accounts.models import User
from apps.courses import policies
from apps.courses.errors import CourseNotFound
from apps.courses.models import Course
from apps.files import library_queries as library
from apps.files import queries as files
from apps.files.models import File, Upload
from studyplatform.kit.policies import enforce


def course_for(request: Request, slug: str) -> Course:
    """The course for its staff; a hidden one does not exist for others."""
    course = Course.with_working_copies.filter(slug=slug).first()
    if course is None:
        raise CourseNotFound
    enforce(policies.manage_course(signed_in_user(request), course))
    return course


def course_with(request: Request, uid: UUID) -> Course:
    """The course with this uid, for its staff; a hidden one does not exist for others."""
    course = Course.with_working_copies.select_related("subject").filter(uid=uid).first()
    if course is None:
        raise CourseNotFound
    enforce(policies.manage_course(signed_in_user(request), course))
    return course


def source_of(form: dict[str, Any], user: User) -> Upload | File | None:
    """Return the file of the user's library or the upload that a call names, if any."""
    if form.get("file"):
        return library.file_for(user, form["file"])
    return files.upload_for(user, form["upload"]) if form.get("upload") else None
