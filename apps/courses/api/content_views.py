"""What an editor of texts asks for: how a text will look, and what pasted HTML is in Markdown."""

from dataclasses import asdict

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import permissions
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.guards import signed_in_user
from apps.accounts.policies import teach
from apps.courses import policies
from apps.courses.api import serializers as shapes
from apps.courses.errors import CourseNotFound, PastedTextTooLong
from apps.courses.models import Course
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
            course = Course.objects.filter(slug=form["course"]).first()
            if course is None:
                raise CourseNotFound
            enforce(policies.manage_course(user, course))
        rate_limits.consume("content_preview", str(user.pk), now=timezone.now())
        return Response({"html": str(content.render(form["text"], content.PLACES[form["place"]]))})


class ContentConversion(APIView):
    """HTML of other programs as Markdown."""

    permission_classes = [permissions.IsAuthenticated]
    body_limits = {"POST": 8192 * KIB}

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
