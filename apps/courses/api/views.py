"""Authoring as calls: what the islands of the studio need. Each asks, calls one service, answers."""

from typing import Any
from uuid import UUID

from django.utils import timezone
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import permissions, status
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.guards import signed_in_user
from apps.accounts.policies import teach
from apps.courses import policies, services
from apps.courses.api import serializers as shapes
from apps.courses.api.lookups import course_for, source_of
from apps.courses.errors import LectureUnavailable, VideoNotYours
from apps.courses.models import Course, CoursePicture, Lesson, Section
from apps.courses.picture_files import Crop
from apps.courses.queries import authored_outline, authoring
from apps.courses.queries.video_lessons import video_lessons, video_lessons_out
from apps.courses.services import video_assignment
from apps.files.models import VideoAsset
from studyplatform.kit.errors import NotFound, ValidationFailed
from studyplatform.kit.policies import enforce
from studyplatform.kit.web.api import validated
from studyplatform.kit.web.body_limits import KIB

MOST_VIDEOS = 100


class CourseLessons(APIView):
    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(operation_id="authoring_outline", responses={200: shapes.AuthoredOutline})
    def get(self, request: Request, slug: str) -> Response:
        """The outline as the course's staff see it."""
        return Response(_outline(course_for(request, slug)))

    @extend_schema(
        operation_id="authoring_lesson_add", request=shapes.LessonAddIn, responses={201: shapes.AuthoredOutline}
    )
    def post(self, request: Request, slug: str) -> Response:
        """A new lesson at the end of a section; answers the new outline."""
        course, form = course_for(request, slug), validated(shapes.LessonAddIn, request)
        section = course.sections.filter(uid=form["section"]).first()
        if section is None:
            raise NotFound
        services.add_lesson(
            section=section, by=signed_in_user(request), kind=form["kind"], title=form["title"], now=timezone.now()
        )
        return Response(_outline(course), status.HTTP_201_CREATED)


class CourseSections(APIView):
    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(
        operation_id="authoring_section_add", request=shapes.SectionIn, responses={201: shapes.AuthoredOutline}
    )
    def post(self, request: Request, slug: str) -> Response:
        course, form = course_for(request, slug), validated(shapes.SectionIn, request)
        services.add_section(course=course, by=signed_in_user(request), title=form["title"], now=timezone.now())
        return Response(_outline(course), status.HTTP_201_CREATED)


class OneSection(APIView):
    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(
        operation_id="authoring_section_rename", request=shapes.SectionIn, responses={200: shapes.AuthoredOutline}
    )
    def patch(self, request: Request, uid: UUID) -> Response:
        section, form = _section(request, uid), validated(shapes.SectionIn, request)
        services.rename_section(section=section, by=signed_in_user(request), title=form["title"], now=timezone.now())
        return Response(_outline(section.course))

    @extend_schema(operation_id="authoring_section_delete", responses={200: shapes.AuthoredOutline})
    def delete(self, request: Request, uid: UUID) -> Response:
        """Removes the section with its lessons."""
        section = _section(request, uid)
        services.delete_section(section=section, by=signed_in_user(request), now=timezone.now())
        return Response(_outline(section.course))


class SectionMove(APIView):
    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(
        operation_id="authoring_section_move", request=shapes.SectionMoveIn, responses={200: shapes.AuthoredOutline}
    )
    def post(self, request: Request, uid: UUID) -> Response:
        section, form = _section(request, uid), validated(shapes.SectionMoveIn, request)
        services.move_section(
            section=section, by=signed_in_user(request), position=form["position"], now=timezone.now()
        )
        return Response(_outline(section.course))


class OneLesson(APIView):
    permission_classes = [permissions.IsAuthenticated]
    body_limits = {"PATCH": 512 * KIB}

    @extend_schema(
        operation_id="authoring_lesson_edit", request=shapes.LessonEditIn, responses={200: shapes.AuthoredOutline}
    )
    def patch(self, request: Request, uid: UUID) -> Response:
        lesson, form = _lesson(request, uid), validated(shapes.LessonEditIn, request)
        kept = {name: getattr(lesson, name) for name in ("title", "summary", "body", "is_preview")}
        if (uids := form.pop("prerequisites", None)) is not None:
            kept["prerequisites"] = list(lesson.course.lessons.filter(uid__in=uids))
            if len(kept["prerequisites"]) != len(set(uids)):
                unknown = {"code": "invalid", "message": _("The course doesn't have this lesson.")}
                raise ValidationFailed(in_fields={"prerequisites": [unknown]})
        services.edit_lesson(lesson=lesson, by=signed_in_user(request), now=timezone.now(), **{**kept, **form})
        return Response(_outline(lesson.course))

    @extend_schema(operation_id="authoring_lesson_delete", responses={200: shapes.AuthoredOutline})
    def delete(self, request: Request, uid: UUID) -> Response:
        lesson = _lesson(request, uid)
        services.delete_lesson(lesson=lesson, by=signed_in_user(request), now=timezone.now())
        return Response(_outline(lesson.course))


class LessonMove(APIView):
    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(
        operation_id="authoring_lesson_move", request=shapes.LessonMoveIn, responses={200: shapes.AuthoredOutline}
    )
    def post(self, request: Request, uid: UUID) -> Response:
        """Puts the lesson at a position of a section of the same course."""
        lesson, form = _lesson(request, uid), validated(shapes.LessonMoveIn, request)
        section = lesson.course.sections.filter(uid=form["section"]).first()
        if section is None:
            raise NotFound
        services.move_lesson(
            lesson=lesson, by=signed_in_user(request), section=section, position=form["position"], now=timezone.now()
        )
        return Response(_outline(lesson.course))


class LessonVideo(APIView):
    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(
        operation_id="authoring_lesson_video", request=shapes.LessonVideoIn, responses={200: shapes.VideoLesson}
    )
    def put(self, request: Request, uid: UUID) -> Response:
        """Lets the lesson show one of the instructor's videos, or none."""
        lesson, form = _lesson(request, uid), validated(shapes.LessonVideoIn, request)
        by, now = signed_in_user(request), timezone.now()
        video = _video(form["video"]) if form["video"] else None
        if video is not None and "token" in form:
            lesson = video_assignment.assign_video(lesson=lesson, by=by, video=video, token=form["token"], now=now)
        elif video is None and "withdraws" in form:
            withdrawn = _video(form["withdraws"])
            lesson = video_assignment.withdraw_video(lesson=lesson, by=by, video=withdrawn, now=now)
        else:
            services.attach_video(lesson=lesson, by=by, video=video, now=now)
        return Response(video_lessons_out([lesson])[0])


class PictureOfCourse(APIView):
    """The picture that pages show for a course."""

    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(operation_id="authoring_picture", responses={200: shapes.PictureOfCourse})
    def get(self, request: Request, slug: str) -> Response:
        return Response(_picture(course_for(request, slug)))

    @extend_schema(
        operation_id="authoring_picture_set", request=shapes.CoursePictureIn, responses={200: shapes.PictureOfCourse}
    )
    def put(self, request: Request, slug: str) -> Response:
        """Set, crop or describe the picture. The previous file is deleted unless something else uses it."""
        course, form, user = (
            course_for(request, slug),
            validated(shapes.CoursePictureIn, request),
            signed_in_user(request),
        )
        services.set_picture(
            course=course,
            by=user,
            source=source_of(form, user),
            alt=form["alt"],
            crop=Crop(form["x"], form["y"], form["zoom"]),
            now=timezone.now(),
        )
        return Response(_picture(course))

    @extend_schema(operation_id="authoring_picture_remove", responses={200: shapes.PictureOfCourse})
    def delete(self, request: Request, slug: str) -> Response:
        """The course shows its artwork again."""
        course = course_for(request, slug)
        services.remove_picture(course=course, by=signed_in_user(request), now=timezone.now())
        return Response(_picture(course))


class LessonFile(APIView):
    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(
        operation_id="authoring_lesson_file", request=shapes.LessonFileIn, responses={200: shapes.FileLesson}
    )
    def put(self, request: Request, uid: UUID) -> Response:
        """Set the file of a file lesson, or remove it. The previous one is deleted unless something else uses it."""
        lesson, form, user = _lesson(request, uid), validated(shapes.LessonFileIn, request), signed_in_user(request)
        lesson = services.attach_file(lesson=lesson, by=user, source=source_of(form, user), now=timezone.now())
        return Response(authoring.file_lesson_out(lesson))


class VideoLessons(GenericAPIView[Any]):
    """What an upload can be for."""

    permission_classes = [permissions.IsAuthenticated]
    serializer_class = shapes.VideoLesson

    @extend_schema(
        operation_id="authoring_video_lessons",
        responses={200: shapes.VideoLesson(many=True)},
        parameters=[
            OpenApiParameter("video", UUID, many=True, description="Only lessons that show one of these videos."),
            OpenApiParameter("open", bool, description="Only lessons that show no video yet, or one that failed."),
            OpenApiParameter("editable", bool, description="Only lessons whose video can be changed now."),
            OpenApiParameter("course", str, description="Only lessons of this course (slug)."),
        ],
    )
    def get(self, request: Request) -> Response:
        """The video lessons of one's own courses."""
        user = signed_in_user(request)
        enforce(teach(user))
        videos = [_uid(text) for text in request.query_params.getlist("video")[:MOST_VIDEOS]]
        found = video_lessons(
            user,
            videos=videos,
            is_open=request.query_params.get("open") in {"1", "true"},
            is_editable=request.query_params.get("editable") in {"1", "true"},
            course=request.query_params.get("course", ""),
        )
        page = self.paginate_queryset(found) or []
        return self.get_paginated_response(video_lessons_out(page))


def _uid(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise NotFound from None


def _video(uid: UUID) -> VideoAsset:
    video = VideoAsset.objects.filter(uid=uid).first()
    if video is None:
        raise VideoNotYours
    return video


def _section(request: Request, uid: UUID) -> Section:
    section = Section.objects.select_related("course").filter(uid=uid).first()
    if section is None or policies.manage_course(signed_in_user(request), section.course) is not None:
        raise NotFound
    return section


def _lesson(request: Request, uid: UUID) -> Lesson:
    lesson = Lesson.objects.select_related("course", "section", "video").filter(uid=uid).first()
    if lesson is None or policies.manage_course(signed_in_user(request), lesson.course) is not None:
        raise LectureUnavailable
    return lesson


def _outline(course: Course) -> dict[str, Any]:
    course.refresh_from_db(fields=["version"])
    return authored_outline.outline_out(course)


def _picture(course: Course) -> dict[str, Any]:
    picture = CoursePicture.objects.filter(course=course).first()
    if picture is None:
        return {"picture": None}
    renditions = [{"href": picture.address_of(width), "width": width} for width in picture.widths]
    shape = {name: getattr(picture, name) for name in ("alt", "x", "y", "zoom")}
    return {"picture": {**shape, "whole": picture.whole_address, "renditions": renditions}}
