"""The downloads of lessons as calls of the studio."""

from typing import Any
from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import permissions, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.guards import signed_in_user
from apps.courses import policies, services
from apps.courses.api.lookups import source_of
from apps.courses.api.serializers import DownloadIn, DownloadMoveIn, DownloadOut
from apps.courses.errors import LectureUnavailable
from apps.courses.models import CourseFile, Lesson, LessonDownload
from apps.courses.queries.downloads import download_out, downloads_of
from studyplatform.kit.errors import NotFound
from studyplatform.kit.web.api import validated


class LessonDownloads(APIView):
    """The files that a lesson offers beside its content."""

    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(operation_id="studio_downloads", responses={200: DownloadOut(many=True)})
    def get(self, request: Request, uid: UUID) -> Response:
        """The downloads in their order."""
        return Response(_downloads(_lesson(request, uid)))

    @extend_schema(operation_id="studio_download_add", request=DownloadIn, responses={201: DownloadOut(many=True)})
    def post(self, request: Request, uid: UUID) -> Response:
        """Offers a file of the course, or a complete upload or file of the library, which is added to the course."""
        lesson, form, user = _lesson(request, uid), validated(DownloadIn, request), signed_in_user(request)
        named = form.get("course_file")
        file = CourseFile.objects.filter(course=lesson.course, uid=named).first() if named else None
        if file is None:
            source = source_of(form, user)
            if source is None:
                raise NotFound
            file = services.add_course_file(course=lesson.course, by=user, source=source, now=timezone.now())
        services.add_download(lesson=lesson, by=user, file=file, name=form["name"], now=timezone.now())
        return Response(_downloads(lesson), status.HTTP_201_CREATED)


class OneLessonDownload(APIView):
    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(operation_id="studio_download_move", request=DownloadMoveIn, responses={200: DownloadOut(many=True)})
    def patch(self, request: Request, uid: UUID, download: UUID) -> Response:
        """Puts the download at a position."""
        lesson, form = _lesson(request, uid), validated(DownloadMoveIn, request)
        services.move_download(
            download=_download(lesson, download), by=signed_in_user(request), position=form["position"]
        )
        return Response(_downloads(lesson))

    @extend_schema(operation_id="studio_download_remove", responses={200: DownloadOut(many=True)})
    def delete(self, request: Request, uid: UUID, download: UUID) -> Response:
        """Takes the file out of the downloads; it stays among the files of the course."""
        lesson = _lesson(request, uid)
        services.remove_download(download=_download(lesson, download), by=signed_in_user(request), now=timezone.now())
        return Response(_downloads(lesson))


def _downloads(lesson: Lesson) -> list[dict[str, Any]]:
    return [download_out(one) for one in downloads_of(lesson)]


def _download(lesson: Lesson, uid: UUID) -> LessonDownload:
    found = lesson.downloads.filter(uid=uid).first()
    if found is None:
        raise NotFound
    found.lesson = lesson
    return found


def _lesson(request: Request, uid: UUID) -> Lesson:
    lesson = Lesson.objects.select_related("course").filter(uid=uid).first()
    if lesson is None or policies.manage_course(signed_in_user(request), lesson.course) is not None:
        raise LectureUnavailable
    return lesson
