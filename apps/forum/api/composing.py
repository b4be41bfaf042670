"""What the composer asks for: previews, drafts, completion."""

from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import permissions, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.guards import signed_in_user
from apps.forum import services, text
from apps.forum.api.serializers import (
    ForumDraftIn,
    ForumDraftOut,
    ForumPreviewIn,
    ForumPreviewOut,
    ForumTopicLinkOut,
    ForumUserOut,
)
from apps.forum.api.shapes import ForumTopicIn, ForumTopicOut
from apps.forum.api.topics import open_topic
from apps.forum.models import Topic
from apps.forum.models.writing import MAX_KEY
from apps.forum.queries.completion import people_to_mention, topics_to_link
from apps.forum.queries.drafts import draft_of
from apps.forum.services.rendering import render
from studyplatform.kit.errors import NotFound
from studyplatform.kit.web import rate_limits
from studyplatform.kit.web.api import validated
from studyplatform.kit.web.body_limits import KIB

LONGEST_QUERY = 60


class Preview(APIView):
    """A text as it will be shown."""

    permission_classes = [permissions.IsAuthenticated]
    body_limits = {"POST": 256 * KIB}

    @extend_schema(operation_id="forum_preview", request=ForumPreviewIn, responses={200: ForumPreviewOut})
    def post(self, request: Request) -> Response:
        user, now = signed_in_user(request), timezone.now()
        source = text.normalize(validated(ForumPreviewIn, request)["source"])
        if source.strip():
            source = text.check(source)
            rate_limits.consume("forum_preview", str(user.pk), now=now)
        return Response({"html": render(source, author=user, now=now)})


class People(APIView):
    """People to mention: those of the topic first, and its staff."""

    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(
        operation_id="forum_people",
        parameters=[OpenApiParameter("q", str), OpenApiParameter("topic", int)],
        responses={200: ForumUserOut(many=True)},
    )
    def get(self, request: Request) -> Response:
        user = signed_in_user(request)
        rate_limits.consume("forum_completion", str(user.pk), now=timezone.now())
        pk = request.query_params.get("topic", "")
        topic = _topic(request, int(pk)) if pk.isascii() and pk.isdecimal() and len(pk) < 16 else None
        return Response(ForumUserOut(people_to_mention(user, _query(request), topic), many=True).data)


class Topics(APIView):
    """Topics to link to, and new ones. The lists of topics are at ``forum/lists/``."""

    permission_classes = [permissions.IsAuthenticated]
    body_limits = {"POST": 128 * KIB}

    @extend_schema(
        operation_id="forum_topic_links",
        parameters=[OpenApiParameter("q", str)],
        responses={200: ForumTopicLinkOut(many=True)},
    )
    def get(self, request: Request) -> Response:
        user = signed_in_user(request)
        rate_limits.consume("forum_completion", str(user.pk), now=timezone.now())
        return Response(ForumTopicLinkOut(topics_to_link(user, _query(request)), many=True).data)

    @extend_schema(operation_id="forum_topic_open", request=ForumTopicIn, responses={201: ForumTopicOut})
    def post(self, request: Request) -> Response:
        """Open a topic. ``state`` says whether it must be reviewed before others see it."""
        return open_topic(request)


@method_decorator(never_cache, name="dispatch")
class DraftOfUser(APIView):
    """A draft of the user."""

    permission_classes = [permissions.IsAuthenticated]
    body_limits = {"PUT": 256 * KIB}

    def initial(self, request: Request, *args: object, **kwargs: str) -> None:
        super().initial(request, *args, **kwargs)
        if len(kwargs["key"]) > MAX_KEY:
            raise NotFound

    @extend_schema(operation_id="forum_draft", responses={200: ForumDraftOut})
    def get(self, request: Request, key: str) -> Response:
        """The draft, or an empty one whose ``saved_at`` is null."""
        draft = draft_of(signed_in_user(request), key)
        return Response(ForumDraftOut(draft).data)

    @extend_schema(operation_id="forum_draft_save", request=ForumDraftIn, responses={200: ForumDraftOut})
    def put(self, request: Request, key: str) -> Response:
        """Keep the draft. The answer is what is kept: a newer one, if another device has sent it."""
        user, now = signed_in_user(request), timezone.now()
        sent = validated(ForumDraftIn, request)
        rate_limits.consume("forum_draft", str(user.pk), now=now)
        services.save_draft(
            user=user,
            key=key,
            source=sent["source"],
            fields=sent.get("values", {}),
            written_at=sent["written_at"],
            now=now,
        )
        return Response(ForumDraftOut(draft_of(user, key)).data)

    @extend_schema(operation_id="forum_draft_discard", responses={204: None})
    def delete(self, request: Request, key: str) -> Response:
        services.discard_draft(user=signed_in_user(request), key=key)
        return Response(status=status.HTTP_204_NO_CONTENT)


def _query(request: Request) -> str:
    return request.query_params.get("q", "").replace("\0", "")[:LONGEST_QUERY]


def _topic(request: Request, pk: int) -> Topic:
    topic = Topic.objects.seen_by(request.user).select_related("board__course").filter(pk=pk).first()
    if topic is None:
        raise NotFound
    return topic
