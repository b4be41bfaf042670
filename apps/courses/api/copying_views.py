"""Copies as calls of the studio: lessons and sections from other courses, and whole courses."""

from typing import Any
from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import permissions, status
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.guards import signed_in_user
from apps.courses import services
from apps.courses.api import outline_serializers as shapes
from apps.courses.api import studio_serializers
from apps.courses.api.lookups import course_with
from apps.courses.api.outline_views import OutlineCall
from apps.courses.models import Lesson, Section
from apps.courses.queries.insertable import insertable_lessons, target_courses
from apps.courses.studio import course_in_studio, course_out
from studyplatform.kit.errors import NotFound
from studyplatform.kit.web.api import validated


class StudioOutlineInsert(OutlineCall, GenericAPIView[Any]):
    """Lessons of other courses by the same instructor."""

    permission_classes = [permissions.IsAuthenticated]
    serializer_class = shapes.LessonToInsert

    @extend_schema(
        operation_id="studio_outline_insertable",
        responses={200: shapes.LessonToInsert(many=True)},
        parameters=[
            OpenApiParameter("q", str, description="Words of the lesson's or course's title."),
            OpenApiParameter("course", str, description="Only lessons of this course (slug)."),
        ],
    )
    def get(self, request: Request, uid: UUID) -> Response:
        """The lessons that can be inserted, those of courses that were changed last first."""
        course, user = course_with(request, uid), signed_in_user(request)
        found = insertable_lessons(
            course, user, words=request.query_params.get("q", ""), of_course=request.query_params.get("course", "")
        )
        page = self.paginate_queryset(found) or []
        columns = ("uid", "number", "title", "kind", "duration")
        rows = [
            {name: getattr(lesson, name) for name in columns} | {"course": course_in_studio(lesson.course, user)}
            for lesson in page
        ]
        return self.get_paginated_response(rows)

    @extend_schema(
        operation_id="studio_outline_insert", request=shapes.InsertIn, responses={201: shapes.StudioOutlineChanged}
    )
    def post(self, request: Request, uid: UUID) -> Response:
        """Copies lessons, or sections, of one's courses to this one; or moves them."""
        course, form = course_with(request, uid), validated(shapes.InsertIn, request)
        lessons = {one.uid: one for one in Lesson.objects.filter(uid__in=form["lessons"]).select_related("video")}
        sections = {one.uid: one for one in Section.objects.filter(uid__in=form["sections"])}
        if len(lessons) != len(set(form["lessons"])) or len(sections) != len(set(form["sections"])):
            raise NotFound
        section = course.sections.filter(uid=form["section"]).first() if "section" in form else None
        if "section" in form and section is None:
            raise NotFound
        change, copies = services.insert_lessons(
            course=course,
            by=signed_in_user(request),
            lessons=[lessons[one] for one in dict.fromkeys(form["lessons"])],
            section=section,
            section_title=form.get("section_title", ""),
            sections=[sections[one] for one in dict.fromkeys(form["sections"])],
            position=form["position"],
            is_move=form["is_move"],
            now=timezone.now(),
        )
        return self.answer(
            request, course, change, added=copies.uids, removals=copies.removals, code=status.HTTP_201_CREATED
        )


class StudioOutlineTargets(GenericAPIView[Any]):
    permission_classes = [permissions.IsAuthenticated]
    serializer_class = shapes.TargetCourse

    @extend_schema(
        operation_id="studio_outline_targets",
        responses={200: shapes.TargetCourse(many=True)},
        parameters=[OpenApiParameter("q", str, description="Words of the title of a course or of its sections.")],
    )
    def get(self, request: Request, uid: UUID) -> Response:
        """The other courses that can take lessons of this one, with their sections; those changed last first."""
        course, user = course_with(request, uid), signed_in_user(request)
        page = self.paginate_queryset(target_courses(course, user, words=request.query_params.get("q", ""))) or []
        rows = [
            {
                **course_in_studio(one, user),
                "sections": [
                    {"uid": section.uid, "number": section.position, "title": section.title}
                    for section in one.sections.all()
                ],
            }
            for one in page
        ]
        return self.get_paginated_response(rows)


class StudioCourseCopies(APIView):
    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(
        operation_id="studio_course_copy",
        request=shapes.CopyCourseIn,
        responses={201: studio_serializers.StudioCourse},
    )
    def post(self, request: Request, uid: UUID) -> Response:
        """Makes a draft with everything that was written in the course. Nothing that learners did is copied."""
        course, form = course_with(request, uid), validated(shapes.CopyCourseIn, request)
        copy = services.duplicate_course(course=course, by=signed_in_user(request), now=timezone.now(), **form)
        copy.refresh_from_db()
        return Response(course_out(copy, signed_in_user(request)), status.HTTP_201_CREATED)
