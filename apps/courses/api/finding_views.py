"""Findings of a course as calls."""

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
from apps.courses import services
from apps.courses.api import finding_serializers as shapes
from apps.courses.api.lookups import course_with
from apps.courses.queries.findings import find_all
from studyplatform.kit.web.api import validated


class CourseFindings(GenericAPIView[Any]):
    permission_classes = [permissions.IsAuthenticated]
    serializer_class = shapes.CourseFindingOut

    @extend_schema(operation_id="studio_findings", responses={200: shapes.CourseFindingOut(many=True)})
    def get(self, request: Request, uid: UUID) -> Response:
        """What the studio has to say about the course, what is required first, and what is ignored last."""
        page = self.paginate_queryset(find_all(course_with(request, uid)))
        return self.get_paginated_response(shapes.CourseFindingOut(page, many=True).data)


class CourseFinding(APIView):
    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(operation_id="studio_finding_ignore", request=shapes.IgnoreFindingIn, responses={204: None})
    def put(self, request: Request, uid: UUID, key: str) -> Response:
        """Ignore the finding for a reason, until what it is about changes."""
        course, form = course_with(request, uid), validated(shapes.IgnoreFindingIn, request)
        services.ignore_finding(
            course=course, by=signed_in_user(request), key=key, reason=form["reason"], now=timezone.now()
        )
        return Response(status=status.HTTP_204_NO_CONTENT)

    @extend_schema(operation_id="studio_finding_restore", responses={204: None})
    def delete(self, request: Request, uid: UUID, key: str) -> Response:
        """Show an ignored finding again."""
        services.restore_finding(course=course_with(request, uid), by=signed_in_user(request), key=key)
        return Response(status=status.HTTP_204_NO_CONTENT)
