"""What the studio's islands call while somebody writes: single fields, each with a version."""

from dataclasses import asdict
from typing import Any
from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import permissions, status
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.guards import signed_in_user
from apps.accounts.models import User
from apps.accounts.policies import teach
from apps.courses import field_values, policies, services
from apps.courses.api import studio_serializers as shapes
from apps.courses.api.lookups import course_with
from apps.courses.api.outline_serializers import CourseInStudio
from apps.courses.errors import LectureUnavailable, WrittenByAnotherUser
from apps.courses.models import Course, Lesson, Subject
from apps.courses.queries.outline_changes import change_made, change_out
from apps.courses.services.fields import FieldChange, save_course_fields, save_lesson_fields
from apps.courses.studio import course_in_studio, course_out, plates_of, shown, with_versions
from studyplatform.kit.errors import ValidationFailed
from studyplatform.kit.policies import enforce
from studyplatform.kit.web.api import validated
from studyplatform.kit.web.body_limits import KIB


class StudioCourses(GenericAPIView[Any]):
    permission_classes = [permissions.IsAuthenticated]
    serializer_class = CourseInStudio

    @extend_schema(operation_id="studio_courses", responses={200: CourseInStudio(many=True)})
    def get(self, request: Request) -> Response:
        """The courses that one teaches, those that were changed last first."""
        user = signed_in_user(request)
        enforce(teach(user))
        page = self.paginate_queryset(Course.objects.taught_by(user.pk).order_by("-updated_at", "-pk")) or []
        return self.get_paginated_response([course_in_studio(course, user) for course in page])

    @extend_schema(operation_id="studio_course_add", request=shapes.NewCourseIn, responses={201: shapes.StudioCourse})
    def post(self, request: Request) -> Response:
        """Begin a course: a draft with a title, in the first category unless one is named.

        With the ``uid`` of a course that this user has begun, answers that course: a call may be repeated.
        """
        form, user = validated(shapes.NewCourseIn, request), signed_in_user(request)
        _check_author(form, user)
        enforce(policies.create_course(user))
        subjects = Subject.objects.order_by("position", "name")
        subject = (subjects.filter(slug=form["subject"]) if "subject" in form else subjects).first()
        if subject is None:
            raise ValidationFailed
        texts = services.CourseTexts(title=form["title"], subject=subject)
        course = services.create_course(by=user, texts=texts, now=timezone.now(), uid=form.get("uid"))
        return Response(course_out(course, user), status.HTTP_201_CREATED)


class OneStudioCourse(APIView):
    permission_classes = [permissions.IsAuthenticated]
    body_limits = {"PATCH": 512 * KIB}

    @extend_schema(operation_id="studio_course", responses={200: shapes.StudioCourse})
    def get(self, request: Request, uid: UUID) -> Response:
        """The course's fields, what is missing before a review, and its card."""
        return Response(course_out(course_with(request, uid), signed_in_user(request)))

    @extend_schema(
        operation_id="studio_course_save",
        request=shapes.FieldChangesIn,
        responses={200: shapes.StudioCourseChanged},
    )
    def patch(self, request: Request, uid: UUID) -> Response:
        """Save single fields. Each has an outcome of its own, and what changed elsewhere is never overwritten."""
        form = validated(shapes.FieldChangesIn, request)
        _check_author(form, signed_in_user(request))
        course = course_with(request, uid)
        outcomes = save_course_fields(
            course=course,
            by=signed_in_user(request),
            changes=_changes(form, field_values.COURSE_FIELDS),
            client=form["client"],
            now=timezone.now(),
        )
        course.refresh_from_db()
        return Response({"outcomes": [asdict(one) for one in outcomes], **shown(course)})


class StudioCoursePlates(APIView):
    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(operation_id="studio_course_plates", responses={200: shapes.StudioPlates})
    def get(self, request: Request, uid: UUID) -> Response:
        """The variants of the course's artwork, which follows its category."""
        return Response({"plates": plates_of(course_with(request, uid))})


class StudioCourseSubmit(APIView):
    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(operation_id="studio_course_submit", request=shapes.SubmitIn, responses={200: shapes.StudioCourse})
    def post(self, request: Request, uid: UUID) -> Response:
        """Submit the course for review."""
        course, form = course_with(request, uid), validated(shapes.SubmitIn, request)
        services.submit_course(course=course, by=signed_in_user(request), note=form["note"], now=timezone.now())
        course.refresh_from_db()
        return Response(course_out(course, signed_in_user(request)))


class StudioCourseWithdraw(APIView):
    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(operation_id="studio_course_withdraw", request=None, responses={200: shapes.StudioCourse})
    def post(self, request: Request, uid: UUID) -> Response:
        """Take the course back from review: it is a draft again."""
        course = course_with(request, uid)
        services.withdraw_course(course=course, by=signed_in_user(request), now=timezone.now())
        course.refresh_from_db()
        return Response(course_out(course, signed_in_user(request)))


class OneStudioLesson(APIView):
    permission_classes = [permissions.IsAuthenticated]
    body_limits = {"PATCH": 1024 * KIB}

    @extend_schema(operation_id="studio_lesson", responses={200: shapes.StudioLesson})
    def get(self, request: Request, uid: UUID) -> Response:
        """The lesson's fields."""
        lesson = _lesson(request, uid)
        return Response(
            {
                "uid": lesson.uid,
                "slug": lesson.slug,
                "values": with_versions(lesson.uid, field_values.lesson_values(lesson)),
            }
        )

    @extend_schema(
        operation_id="studio_lesson_save", request=shapes.FieldChangesIn, responses={200: shapes.StudioLessonChanged}
    )
    def patch(self, request: Request, uid: UUID) -> Response:
        """Save single fields; see the same call for courses."""
        form = validated(shapes.FieldChangesIn, request)
        _check_author(form, signed_in_user(request))
        lesson, user, now = _lesson(request, uid), signed_in_user(request), timezone.now()
        outcomes = save_lesson_fields(
            lesson=lesson,
            by=user,
            changes=_changes(form, field_values.LESSON_FIELDS),
            client=form["client"],
            now=now,
        )
        change = change_made(lesson.course, user, now=now)
        return Response({"outcomes": [asdict(one) for one in outcomes], "change": change and change_out(change)})


def _check_author(form: dict[str, Any], user: User) -> None:
    """Refuse what another user of the same browser wrote.

    :raises WrittenByAnotherUser: the call names another author.
    """
    if form.get("author") not in {None, user.uid}:
        raise WrittenByAnotherUser


def _changes(form: dict[str, Any], known: tuple[str, ...]) -> list[FieldChange]:
    if not form["fields"].keys() <= set(known):
        raise ValidationFailed
    return [FieldChange(name=name, **change) for name, change in form["fields"].items()]


def _lesson(request: Request, uid: UUID) -> Lesson:
    lesson = Lesson.objects.select_related("course").filter(uid=uid).first()
    if lesson is None or policies.manage_course(signed_in_user(request), lesson.course) is not None:
        raise LectureUnavailable
    return lesson
