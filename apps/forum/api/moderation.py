"""The queue of moderators: admins those of all boards, instructors those of their courses."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import permissions, status
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.guards import signed_in_user
from apps.forum import policies
from apps.forum.api import shapes
from apps.forum.api.showing import case_out
from apps.forum.api.topics import board_for, text_of
from apps.forum.models import Post
from apps.forum.models.topics import moderated_boards
from apps.forum.queries import moderation as queries
from apps.forum.services.deciding import decide
from studyplatform.kit.errors import NotFound
from studyplatform.kit.policies import enforce
from studyplatform.kit.web.api import validated

QUEUES = ("pending", "reported")


class Queue(GenericAPIView[Any]):
    """The posts that wait for the moderator."""

    permission_classes = [permissions.IsAuthenticated]
    serializer_class = shapes.ForumCaseOut

    @extend_schema(
        operation_id="forum_queue",
        parameters=[
            OpenApiParameter("tab", str, enum=QUEUES),
            OpenApiParameter("board", str, description="Its slug."),
        ],
        responses={200: shapes.ForumCaseOut(many=True)},
    )
    def get(self, request: Request) -> Response:
        """The longest waiting first: held posts (``tab=pending``), or reported ones."""
        user, asked = signed_in_user(request), request.query_params
        if moderated_boards(user) is None:
            raise NotFound
        posts = queries.reported_posts(user) if asked.get("tab") == "reported" else queries.held_posts(user)
        if asked.get("board"):
            posts = posts.filter(topic__board=board_for(text_of(asked.get("board")), user))
        page = self.paginate_queryset(queries.with_rows(posts)) or []
        return self.get_paginated_response([case_out(post) for post in page])


class Decision(APIView):
    """A decision of a moderator about a post."""

    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(operation_id="forum_decide", request=shapes.ForumDecisionIn, responses={204: None})
    def post(self, request: Request, post: int) -> Response:
        """Approve, reject, hide, keep or remove a post, or ban its author. Each decision can be undone on the page."""
        user = signed_in_user(request)
        found = Post.objects.select_related("topic__board__course", "author").filter(pk=post).first()
        if found is None:
            raise NotFound
        enforce(policies.moderate(user, found.topic.board))
        sent: dict[str, Any] = validated(shapes.ForumDecisionIn, request)
        decide(post=found, by=user, now=timezone.now(), **sent)
        return Response(status=status.HTTP_204_NO_CONTENT)
