"""What callers do with answers of the tutor. Those to others answer 404."""

from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import permissions, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.guards import signed_in_user
from apps.tutor import services
from apps.tutor.api import serializers as shapes
from apps.tutor.models import Answer
from apps.tutor.queries.chats import answer_of
from apps.tutor.queries.shapes import answer_out
from studyplatform.kit.web.api import validated


class AnswerCall(APIView):
    permission_classes = [permissions.IsAuthenticated]


def answered(request: Request, answer: Answer, code: int = status.HTTP_200_OK) -> Response:
    return Response(answer_out(signed_in_user(request), answer, timezone.now()), status=code)


class Answers(AnswerCall):
    @extend_schema(operation_id="tutor_ask_again", request=None, responses={201: shapes.AnswerOut})
    def post(self, request: Request, uid: UUID) -> Response:
        """Ask for another answer to the question. One that is being written is returned instead."""
        answer = services.ask_again(user=signed_in_user(request), uid=uid, now=timezone.now())
        return answered(request, answer, status.HTTP_201_CREATED)


class OneAnswer(AnswerCall):
    @extend_schema(operation_id="tutor_answer", responses={200: shapes.AnswerOut})
    def get(self, request: Request, uid: UUID) -> Response:
        """The answer as far as it is written. One that nobody follows is generated after three seconds."""
        answer = answer_of(signed_in_user(request), uid)
        services.generate_later(answer=answer, now=timezone.now())
        return answered(request, answer)


class AnswerContinuing(AnswerCall):
    @extend_schema(operation_id="tutor_answer_continue", request=None, responses={200: shapes.AnswerOut})
    def post(self, request: Request, uid: UUID) -> Response:
        """Let an answer go on after its text, if it was interrupted or stopped, or failed."""
        return answered(request, services.continue_answer(user=signed_in_user(request), uid=uid, now=timezone.now()))


class AnswerStopping(AnswerCall):
    @extend_schema(operation_id="tutor_answer_stop", request=None, responses={200: shapes.AnswerOut})
    def post(self, request: Request, uid: UUID) -> Response:
        """Stop the answer. What was written stays."""
        return answered(request, services.stop_answer(user=signed_in_user(request), uid=uid, now=timezone.now()))


class AnswerRating(AnswerCall):
    @extend_schema(operation_id="tutor_answer_rate", request=shapes.RateAnswerIn, responses={200: shapes.AnswerOut})
    def put(self, request: Request, uid: UUID) -> Response:
        """Say whether the answer helped; null takes it back."""
        sent = validated(shapes.RateAnswerIn, request)
        rated = services.rate_answer(
            user=signed_in_user(request), uid=uid, rating=sent["rating"], reason=sent["reason"], now=timezone.now()
        )
        return answered(request, rated)


class AnswerCards(AnswerCall):
    @extend_schema(operation_id="tutor_answer_cards", request=shapes.PracticeCardsIn, responses={200: shapes.AddedOut})
    def post(self, request: Request, uid: UUID) -> Response:
        """Put flash cards of the answer into practice."""
        sent = validated(shapes.PracticeCardsIn, request)
        added = services.practice_cards(
            user=signed_in_user(request), uid=uid, numbers=sent["cards"], now=timezone.now()
        )
        return Response({"added": added})
