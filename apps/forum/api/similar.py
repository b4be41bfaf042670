"""Topics that resemble the title of a new one, while it is typed."""

from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import permissions, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.guards import signed_in_user
from apps.forum.models import Board
from apps.forum.queries import searching
from studyplatform.kit.web import rate_limits


class ForumSimilarTopicOut(serializers.Serializer[object]):
    id = serializers.IntegerField(source="topic.pk")
    title_html = serializers.CharField(source="title", help_text="Escaped; the words that were found are in <mark>.")
    snippet_html = serializers.CharField(source="snippet", help_text="Escaped; as the title.")
    reply_count = serializers.IntegerField(source="topic.reply_count")
    is_answered = serializers.SerializerMethodField(help_text="Whether an answer was accepted.")
    is_unanswered = serializers.SerializerMethodField(help_text="Whether it is a question without a reply.")

    def get_is_answered(self, hit: searching.Hit) -> bool:
        return hit.topic.accepted_id is not None

    def get_is_unanswered(self, hit: searching.Hit) -> bool:
        return hit.topic.kind == "question" and not hit.topic.reply_count


@method_decorator(never_cache, name="dispatch")
class SimilarTopics(APIView):
    """At most five topics that the user may read and that resemble a title, those of the board first."""

    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(
        operation_id="forum_similar",
        parameters=[OpenApiParameter("title", str), OpenApiParameter("board", str, description="A slug.")],
        responses={200: ForumSimilarTopicOut(many=True)},
    )
    def get(self, request: Request) -> Response:
        """An empty title, or one of common words only, resembles nothing."""
        user = signed_in_user(request)
        rate_limits.consume("forum_similar", str(user.pk), now=timezone.now())
        title, slug = (request.query_params.get(name, "").replace("\0", "") for name in ("title", "board"))
        board = Board.objects.seen_by(user).filter(slug=slug[: searching.LONGEST]).first() if slug else None
        return Response(ForumSimilarTopicOut(searching.similar_to(title, user, board=board), many=True).data)
