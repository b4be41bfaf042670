"""Exceptions from the rules of quizzes as calls, for those who teach a course."""

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
from apps.accounts.policies import teach
from apps.courses.models import Course
from apps.learning import services
from apps.learning.api import exception_serializers as shapes
from apps.learning.queries.exceptions import exceptions_granted_in, find_quiz
from studyplatform.kit.policies import enforce
from studyplatform.kit.web.api import validated
from studyplatform.kit.web.body_limits import KIB

BODY = {"POST": 64 * KIB}  # 500 learners


class Exceptions(GenericAPIView[Any]):
    permission_classes = [permissions.IsAuthenticated]
    serializer_class = shapes.ExceptionOut

    @extend_schema(
        operation_id="teaching_exceptions",
        parameters=[OpenApiParameter("course", str, description="The slug of one course.")],
        responses={200: shapes.ExceptionOut(many=True)},
    )
    def get(self, request: Request) -> Response:
        """The exceptions in force in the courses that the user teaches, the latest first."""
        user = signed_in_user(request)
        enforce(teach(user))
        slug = request.query_params.get("course", "")
        courses = list(Course.objects.filter(slug=slug).values_list("pk", flat=True)) if slug else None
        page: Any = self.paginate_queryset(exceptions_granted_in(user, courses))
        return self.get_paginated_response(shapes.ExceptionOut(page, many=True).data)


class _Grant(APIView):
    permission_classes = [permissions.IsAuthenticated]
    body_limits = BODY

    def read(self, shape: Any, request: Request) -> tuple[services.Act, Any, dict[str, Any]]:
        """Return what is granted to whom, for the services, which ask whether the user may, and the quiz's lesson."""
        sent = validated(shape, request)
        user = signed_in_user(request)
        enforce(teach(user))
        act = services.Act(by=user, learners=sent.pop("learners"), key=sent.pop("key"), reason=sent.pop("reason"))
        return act, sent.pop("quiz"), sent


class ExtraTime(_Grant):
    @extend_schema(operation_id="teaching_extra_time", request=shapes.ExtraTimeIn, responses={201: shapes.GrantedOut})
    def post(self, request: Request) -> Response:
        """Give learners more time for a quiz or all quizzes. Open attempts have it at once."""
        act, lesson, extra = self.read(shapes.ExtraTimeIn, request)
        quiz = find_quiz(lesson) if lesson else None
        return _answer(services.grant_extra_time(act, quiz=quiz, now=timezone.now(), **extra))


class ExtraAttempts(_Grant):
    @extend_schema(
        operation_id="teaching_extra_attempts", request=shapes.ExtraAttemptsIn, responses={201: shapes.GrantedOut}
    )
    def post(self, request: Request) -> Response:
        """Allow learners more attempts at a quiz."""
        act, lesson, extra = self.read(shapes.ExtraAttemptsIn, request)
        return _answer(services.grant_extra_attempts(act, quiz=find_quiz(lesson), now=timezone.now(), **extra))


class Reopened(_Grant):
    @extend_schema(operation_id="teaching_reopen", request=shapes.ReopenIn, responses={201: shapes.GrantedOut})
    def post(self, request: Request) -> Response:
        """Let learners continue their newest attempt at a quiz, with its answers."""
        act, lesson, extra = self.read(shapes.ReopenIn, request)
        return _answer(services.reopen_attempts(act, quiz=find_quiz(lesson), now=timezone.now(), **extra))


class OneException(APIView):
    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(operation_id="teaching_exception_end", request=None, responses={204: None})
    def delete(self, request: Request, uid: UUID) -> Response:
        """End an exception. Attempts that are open keep the time that they have."""
        services.end_exceptions(by=signed_in_user(request), uids=[uid], now=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)


def _answer(granted: services.Granted) -> Response:
    skipped = [{"code": refusal.code, "message": refusal.detail} for refusal in granted.skipped]
    shown = {"exceptions": granted.exceptions, "running": granted.running, "skipped": skipped}
    return Response(shapes.GrantedOut(shown).data, status.HTTP_201_CREATED)
