"""Enrollments, progress, attempts and certificates as calls. Each asks, calls one service or query, answers."""

from typing import Any
from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import permissions, status
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.guards import session_key_of, signed_in_user
from apps.learning import services
from apps.learning.api.quiz_serializers import AttemptOut, QuizOut, SubmitAttemptIn, SubmittedAttempt
from apps.learning.api.serializers import (
    CertificateOut,
    EnrollIn,
    EnrollmentOut,
    OutlineOut,
    PlayerOut,
    ProgressOut,
    RateIn,
    RatingOut,
    SaveProgressIn,
)
from apps.learning.queries.addresses import certificate_url
from apps.learning.queries.certificates import certificate_by_code, certificate_out, certificates_of
from apps.learning.queries.lessons import find_course, lesson_of
from apps.learning.queries.my_learning import enrollment_out, enrollments_of, with_resume
from apps.learning.queries.outline import outline_of
from apps.learning.queries.player import outline_out, player_out, signed_sources
from apps.learning.queries.quizzes import attempt_page_out, get_attempt, quiz_page_out
from apps.learning.services.completion import Saved
from studyplatform.kit.policies import enforce
from studyplatform.kit.web.api import validated
from studyplatform.kit.web.body_limits import KIB


class Enrollments(GenericAPIView[Any]):
    """The learner's enrollments."""

    permission_classes = [permissions.IsAuthenticated]
    serializer_class = EnrollmentOut

    @extend_schema(operation_id="learning_enrollments", responses={200: EnrollmentOut(many=True)})
    def get(self, request: Request) -> Response:
        page = self.paginate_queryset(enrollments_of(signed_in_user(request)))
        return self.get_paginated_response([enrollment_out(one) for one in with_resume(page or [])])

    @extend_schema(operation_id="learning_enroll", request=EnrollIn, responses={201: EnrollmentOut})
    def post(self, request: Request) -> Response:
        sent = validated(EnrollIn, request)
        user = signed_in_user(request)
        course, _ = find_course(user, sent["course"])
        services.enroll(user=user, course=course, now=timezone.now())
        [my_course] = with_resume(enrollments_of(user).filter(course=course))
        return Response(enrollment_out(my_course), status.HTTP_201_CREATED)


class CourseOutline(APIView):
    """A course's lessons in order, with their state for the user."""

    permission_classes = [permissions.AllowAny]

    @extend_schema(operation_id="learning_outline", responses={200: OutlineOut})
    def get(self, request: Request, slug: str) -> Response:
        course, standing = find_course(request.user, slug)
        return Response(outline_out(course, outline_of(course), standing))


class CourseBookmark(APIView):
    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(operation_id="learning_bookmark", request=None, responses={204: None})
    def put(self, request: Request, slug: str) -> Response:
        return self._set(request, slug, on=True)

    @extend_schema(operation_id="learning_unbookmark", request=None, responses={204: None})
    def delete(self, request: Request, slug: str) -> Response:
        return self._set(request, slug, on=False)

    def _set(self, request: Request, slug: str, *, on: bool) -> Response:
        user = signed_in_user(request)
        course, _ = find_course(user, slug)
        services.set_bookmark(user=user, course=course, on=on, now=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)


class CourseRating(APIView):
    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(operation_id="learning_rate", request=RateIn, responses={200: RatingOut})
    def put(self, request: Request, slug: str) -> Response:
        sent = validated(RateIn, request)
        user = signed_in_user(request)
        course, _ = find_course(user, slug)
        rating = services.rate_course(user=user, course=course, **sent, now=timezone.now())
        return Response(RatingOut(rating).data)


class LessonPlayer(APIView):
    """What the player needs to start. Preview lessons answer visitors too."""

    permission_classes = [permissions.AllowAny]

    @extend_schema(operation_id="learning_player", responses={200: PlayerOut})
    def get(self, request: Request, uid: UUID) -> Response:
        opened = lesson_of(request.user, uid)
        enforce(opened.verdict)
        if opened.is_new and opened.standing.enrollment is not None:
            services.open_lesson(enrollment=opened.standing.enrollment, lesson=opened.lesson, now=timezone.now())
        sources = signed_sources(opened, now=timezone.now(), session_key=session_key_of(request))
        return Response(player_out(opened, sources))


class LessonWatching(APIView):
    """The heartbeat."""

    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(operation_id="learning_save_progress", request=SaveProgressIn, responses={200: ProgressOut})
    def post(self, request: Request, uid: UUID) -> Response:
        sent = validated(SaveProgressIn, request)
        saved = services.save_watching(user=signed_in_user(request), lesson_uid=uid, **sent, now=timezone.now())
        return Response(progress_out(saved))


class LessonCompletion(APIView):
    """A text that was read to its end or marked. A file is complete once it was downloaded."""

    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(operation_id="learning_complete_lesson", request=None, responses={200: ProgressOut})
    def post(self, request: Request, uid: UUID) -> Response:
        saved = services.complete_lesson(user=signed_in_user(request), lesson_uid=uid, now=timezone.now())
        return Response(progress_out(saved))


def progress_out(saved: Saved) -> dict[str, Any]:
    """The shape ``ProgressOut``."""
    progress, enrollment = saved.progress, saved.enrollment
    return {
        "position": progress.position,
        "watched_seconds": progress.watched_seconds,
        "completed": progress.completed_at is not None,
        "newly_completed": saved.newly_completed,
        "course_percent": enrollment.percent,
        "completed_lessons": enrollment.completed_lessons,
        "certificate_url": certificate_url(saved.certificate.code) if saved.certificate else None,
        "milestone": saved.milestone,
    }


class LessonQuiz(APIView):
    """A quiz lesson: its rules, past attempts, and the attempt to continue."""

    permission_classes = [permissions.AllowAny]

    @extend_schema(operation_id="learning_quiz", responses={200: QuizOut})
    def get(self, request: Request, uid: UUID) -> Response:
        opened = lesson_of(request.user, uid)
        enforce(opened.verdict)
        return Response(quiz_page_out(opened, now=timezone.now()))


class LessonAttempts(APIView):
    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(operation_id="learning_open_attempt", request=None, responses={201: AttemptOut})
    def post(self, request: Request, uid: UUID) -> Response:
        """Open an attempt at the lesson's quiz, or continue the open one."""
        attempt = services.open_attempt(user=signed_in_user(request), lesson_uid=uid, now=timezone.now())
        return Response(attempt_page_out(attempt, now=timezone.now()), status.HTTP_201_CREATED)


class AttemptDetail(APIView):
    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(operation_id="learning_attempt", responses={200: AttemptOut})
    def get(self, request: Request, uid: UUID) -> Response:
        return Response(attempt_page_out(get_attempt(signed_in_user(request), uid), now=timezone.now()))


class AttemptSubmission(APIView):
    permission_classes = [permissions.IsAuthenticated]
    body_limits = {"POST": 1024 * KIB}  # ten essays of 20,000 characters in any script

    @extend_schema(operation_id="learning_submit_attempt", request=SubmitAttemptIn, responses={200: SubmittedAttempt})
    def post(self, request: Request, uid: UUID) -> Response:
        """Submit the answers. The same answers again get the same result; other answers are refused."""
        sent = validated(SubmitAttemptIn, request)
        user = signed_in_user(request)
        attempt, saved = services.submit_attempt(
            user=user, attempt=get_attempt(user, uid), answers=sent["answers"], now=timezone.now()
        )
        progress = progress_out(saved) if saved is not None else None
        return Response({**attempt_page_out(attempt, now=timezone.now()), "progress": progress})


class Certificates(GenericAPIView[Any]):
    """The learner's own certificates."""

    permission_classes = [permissions.IsAuthenticated]
    serializer_class = CertificateOut

    @extend_schema(operation_id="learning_certificates", responses={200: CertificateOut(many=True)})
    def get(self, request: Request) -> Response:
        page = self.paginate_queryset(certificates_of(signed_in_user(request)))
        return self.get_paginated_response([certificate_out(one) for one in page or []])


class CertificateCheck(APIView):
    """Whether a certificate with this code was issued, and for what. Open to everyone."""

    permission_classes = [permissions.AllowAny]

    @extend_schema(operation_id="learning_certificate", responses={200: CertificateOut})
    def get(self, request: Request, code: str) -> Response:
        return Response(certificate_out(certificate_by_code(code)))
