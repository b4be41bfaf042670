"""A question as its author is writing it, as learners will meet it: shown, answered and marked by the same code."""

from fractions import Fraction

from django.core.exceptions import SuspiciousOperation
from django.http import QueryDict
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import permissions
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.guards import signed_in_user
from apps.accounts.policies import teach
from apps.courses import policies
from apps.courses.errors import CourseNotFound
from apps.courses.models import Course
from apps.courses.services.question_drafts import preview_question, read_preview, sign_preview
from apps.learning.api import question_preview_serializers as shapes
from apps.learning.quizzes import marking
from apps.learning.quizzes.presentation import question_out
from apps.learning.quizzes.result_presentation import question_result
from apps.learning.quizzes.results import stored_result
from studyplatform.kit.errors import ValidationFailed
from studyplatform.kit.policies import enforce
from studyplatform.kit.web import rate_limits
from studyplatform.kit.web.api import validated
from studyplatform.kit.web.body_limits import KIB


class QuestionPreviews(APIView):
    permission_classes = [permissions.IsAuthenticated]
    body_limits = {"POST": 1024 * KIB}

    @extend_schema(
        operation_id="question_preview", request=shapes.QuestionPreviewIn, responses={200: shapes.QuestionPreviewOut}
    )
    def post(self, request: Request) -> Response:
        """Show the question of a form as learners will meet it, as far as it is complete."""
        user, sent = signed_in_user(request), validated(shapes.QuestionPreviewIn, request)
        course = Course.objects.filter(slug=sent["course"]).first()
        if course is None:
            raise CourseNotFound
        enforce(policies.manage_course(user, course))
        rate_limits.consume("content_preview", str(user.pk), now=timezone.now())
        try:
            form = QueryDict(sent["form"])
        except SuspiciousOperation:  # too many fields
            raise ValidationFailed from None
        question, problem = preview_question(course, form)
        shown = question_out(question, seed="preview") if question is not None else None
        draft = sign_preview(question) if question is not None and not problem else ""
        return Response({"question": shown, "problem": problem, "draft": draft})


class QuestionPreviewMarking(APIView):
    permission_classes = [permissions.IsAuthenticated]
    body_limits = {"POST": 512 * KIB}

    @extend_schema(
        operation_id="question_preview_mark",
        request=shapes.QuestionPreviewMarkIn,
        responses={200: shapes.QuestionPreviewMarked},
    )
    def post(self, request: Request) -> Response:
        """Mark an answer to a preview as that of a learner. Nothing is saved."""
        user, sent = signed_in_user(request), validated(shapes.QuestionPreviewMarkIn, request)
        enforce(teach(user))
        question = read_preview(sent["draft"])
        if question is None:
            raise ValidationFailed
        try:
            answer = marking.read(question, sent.get("answer"))
        except marking.Malformed:
            raise ValidationFailed from None
        mark = marking.mark(question, answer)
        stored = stored_result(question, answer, mark, mark.share * Fraction(question.points))
        return Response({"result": question_result(stored, "", frozenset())})
