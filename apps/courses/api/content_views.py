"""What an editor of texts asks for: how a text will look, what pasted HTML is in Markdown, the files of a course."""

from dataclasses import asdict
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import permissions, status
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.guards import signed_in_user
from apps.accounts.policies import teach
from apps.courses import services
from apps.courses.api import serializers as shapes
from apps.courses.api.lookups import course_for, source_of
from apps.courses.errors import PastedTextTooLong
from apps.courses.queries import course_files
from studyplatform.kit.errors import NotFound
from studyplatform.kit.policies import enforce
from studyplatform.kit.text import content
from studyplatform.kit.text.html_to_markdown import HtmlTooLong, convert_html
from studyplatform.kit.web import rate_limits
from studyplatform.kit.web.api import validated
from studyplatform.kit.web.body_limits import KIB


class ContentPreview(APIView):
    """A text of a course as it will be shown."""

    permission_classes = [permissions.IsAuthenticated]
    body_limits = {"POST": 512 * KIB}

    @extend_schema(
        operation_id="content_preview", request=shapes.ContentPreviewIn, responses={200: shapes.ContentPreviewOut}
    )
    def post(self, request: Request) -> Response:
        """Render a text for its place. With a course, its staff see its pictures."""
        user, form = signed_in_user(request), validated(shapes.ContentPreviewIn, request)
        enforce(teach(user))
        if form["course"]:
            course_for(request, form["course"])
        rate_limits.consume("content_preview", str(user.pk), now=timezone.now())
        return Response({"html": str(content.render(form["text"], content.PLACES[form["place"]]))})


class ContentConversion(APIView):
    """HTML of other programs as Markdown."""

    permission_classes = [permissions.IsAuthenticated]
    body_limits = {"POST": 2560 * KIB}

    @extend_schema(
        operation_id="content_convert", request=shapes.ContentConvertIn, responses={200: shapes.ContentConvertOut}
    )
    def post(self, request: Request) -> Response:
        """Convert pasted HTML. The caller adds its pictures to the course and puts in their addresses."""
        user, form = signed_in_user(request), validated(shapes.ContentConvertIn, request)
        enforce(teach(user))
        rate_limits.consume("content_convert", str(user.pk), now=timezone.now())
        try:
            return Response(asdict(convert_html(form["html"])))
        except HtmlTooLong:
            raise PastedTextTooLong from None


class CourseFiles(GenericAPIView[Any]):
    """The pictures and other files that texts of a course show and link."""

    permission_classes = [permissions.IsAuthenticated]
    serializer_class = shapes.CourseFileOut

    @extend_schema(
        operation_id="authoring_files",
        responses={200: shapes.CourseFileOut(many=True)},
        parameters=[OpenApiParameter("q", str, description="Only files whose name contains this.")],
    )
    def get(self, request: Request, slug: str) -> Response:
        """The files of the course, last added first."""
        course = course_for(request, slug)
        found = course_files.files_of(course, text=request.query_params.get("q", "")[:200])
        page = self.paginate_queryset(found.select_related("upload")) or []
        return self.get_paginated_response([course_files.course_file_out(file) for file in page])

    @extend_schema(
        operation_id="authoring_file_add", request=shapes.CourseFileIn, responses={201: shapes.CourseFileOut}
    )
    def post(self, request: Request, slug: str) -> Response:
        """Add a complete upload or a file of the user's library. Adding it again answers the same file."""
        course, form, user = course_for(request, slug), validated(shapes.CourseFileIn, request), signed_in_user(request)
        source = source_of(form, user)
        if source is None:
            raise NotFound
        file = services.add_course_file(course=course, by=user, source=source, now=timezone.now())
        return Response(course_files.course_file_out(file), status.HTTP_201_CREATED)
