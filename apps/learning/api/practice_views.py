"""Practice as calls."""

from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import permissions
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.guards import signed_in_user
from apps.learning import services
from apps.learning.api.practice_serializers import (
    PracticeAnswered,
    PracticeAnswerIn,
    PracticeOut,
    PracticeReviewed,
    PracticeReviewIn,
)
from apps.learning.errors import CardNotFound
from apps.learning.queries.practice import get_card
from apps.learning.queries.practice_page import answer_out, practice_out, presented
from studyplatform.kit.web.api import validated


class Practice(APIView):
    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(
        operation_id="learning_practice",
        parameters=[OpenApiParameter("source", str, description='A course\'s slug, or "own". Without it: all cards.')],
        responses={200: PracticeOut},
    )
    def get(self, request: Request) -> Response:
        """The cards that are due today."""
        source = request.query_params.get("source", "")
        return Response(practice_out(signed_in_user(request), source, timezone.now()))


class PracticeAnswer(APIView):
    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(operation_id="learning_practice_answer", request=PracticeAnswerIn, responses={200: PracticeAnswered})
    def post(self, request: Request, uid: UUID) -> Response:
        """Mark the answer to a card's question, and tell the right one. It changes nothing."""
        sent = validated(PracticeAnswerIn, request)
        user = signed_in_user(request)
        card = get_card(user, uid)
        question = presented(card)
        if question is None:  # a flash card shows its back by itself
            raise CardNotFound
        return Response(answer_out(user, card, question, sent.get("answer")))


class PracticeReviews(APIView):
    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(operation_id="learning_practice_review", request=PracticeReviewIn, responses={200: PracticeReviewed})
    def post(self, request: Request, uid: UUID) -> Response:
        """Rate a card. Repeated calls, other tabs and late ones count once."""
        sent = validated(PracticeReviewIn, request)
        user = signed_in_user(request)
        card, is_counted = services.review_card(
            user=user,
            card=get_card(user, uid),
            key=sent["key"],
            turn=sent["turn"],
            rating=sent["rating"],
            answer=sent.get("answer"),
            reviewed_at=sent.get("reviewed_at"),
            now=timezone.now(),
        )
        return Response({"is_counted": is_counted, "due": card.due, "turn": card.turn})
