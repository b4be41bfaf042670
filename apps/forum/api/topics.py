"""Boards, lists of topics, topics, and what moderators do with a topic."""

from typing import Any

from django.db import transaction
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import permissions, status
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.guards import signed_in_user
from apps.accounts.models import User
from apps.courses.models import Lesson
from apps.forum import services, tool_policies
from apps.forum.api import shapes
from apps.forum.api.showing import topic_for, topic_row
from apps.forum.models import Board, Tag, Topic
from apps.forum.queries import finding, lists, searching
from studyplatform.kit.errors import NotAuthenticated, NotFound
from studyplatform.kit.policies import enforce
from studyplatform.kit.web.api import validated
from studyplatform.kit.web.requests import moment_in

OWN_TABS = {"following", "mine"}


class Boards(GenericAPIView[Any]):
    """The boards that the reader may read."""

    permission_classes = [permissions.AllowAny]
    serializer_class = shapes.ForumBoardOut

    @extend_schema(operation_id="forum_boards", responses={200: shapes.ForumBoardOut(many=True)})
    def get(self, request: Request) -> Response:
        boards = Board.objects.seen_by(request.user).select_related("course").order_by("position", "title", "pk")
        page = self.paginate_queryset(boards) or []
        return self.get_paginated_response(shapes.ForumBoardOut(page, many=True).data)


class BoardFollow(APIView):
    """How closely the user follows a board."""

    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(operation_id="forum_board_follow", request=shapes.ForumLevelIn, responses={204: None})
    def put(self, request: Request, slug: str) -> Response:
        return set_level(request, board_for(slug, request.user))


class TopicList(APIView):
    """A list of topics, as the pages of the discussions show it, pinned topics among the others."""

    permission_classes = [permissions.AllowAny]

    @extend_schema(
        operation_id="forum_topics",
        parameters=[
            OpenApiParameter("tab", str, OpenApiParameter.PATH, enum=lists.TABS),
            OpenApiParameter("board", str, description="Its slug."),
            OpenApiParameter("tag", str, description="Its slug."),
            OpenApiParameter("own", bool, description="Only boards of the user's own courses."),
            OpenApiParameter("q", str, description="Words to search for; the best topics come first."),
            OpenApiParameter("before", str, description="A date and time: only topics whose last post is older."),
            OpenApiParameter("page", int),
        ],
        responses={200: shapes.ForumTopicPageOut},
    )
    def get(self, request: Request, tab: str) -> Response:
        user, asked = request.user, request.query_params
        if tab not in lists.TABS:
            raise NotFound
        if tab in OWN_TABS and not isinstance(user, User):
            raise NotAuthenticated
        choice = lists.Choice(
            tab=tab,
            board=board_for(text_of(asked.get("board")), user) if asked.get("board") else None,
            tag=_tag(text_of(asked.get("tag")), user) if asked.get("tag") else None,
            before=moment_in(asked.get("before", "")),
            is_own_courses=asked.get("own", "").lower() in {"1", "true"},
        )
        words, number = text_of(asked.get("q")).strip(), number_of(asked.get("page"))
        found: lists.TopicList | searching.Hits
        if words:
            found = searching.find(words, user, choice=choice, number=number)
            rows = [topic_row(one.topic) | {"post": one.post.pk, "snippet": one.snippet} for one in found.hits]
        else:
            found = lists.page_of_topics(choice, user, number)
            rows = [topic_row(one) | {"post": None, "snippet": None} for one in found.topics]
        facts = {"page": found.number, "pages": found.pages, "total": found.total, "is_cut": found.is_cut}
        return Response(facts | {"results": rows})


class TopicDetail(APIView):
    """A topic, without its posts."""

    permission_classes = [permissions.AllowAny]

    @extend_schema(operation_id="forum_topic", responses={200: shapes.ForumTopicOut})
    def get(self, request: Request, topic: int) -> Response:
        """The topic; of a merged one the topic into which it was merged."""
        return Response(topic_for(topic, request.user))

    @extend_schema(
        operation_id="forum_topic_edit", request=shapes.ForumTopicEditIn, responses={200: shapes.ForumTopicOut}
    )
    def patch(self, request: Request, topic: int) -> Response:
        """Rename and retag a topic, as its author or a moderator; pin, close and move it, as a moderator."""
        user, now = signed_in_user(request), timezone.now()
        found, sent = finding.find_topic(topic, user), validated(shapes.ForumTopicEditIn, request)
        enforce(tool_policies.rename(user, found))
        with transaction.atomic():
            if "title" in sent:
                services.rename(topic=found, by=user, title=sent["title"], now=now)
            if "tags" in sent:
                services.retag(topic=found, by=user, tags=sent["tags"], now=now)
            if "is_closed" in sent:
                services.close(topic=found, by=user, on=sent["is_closed"], now=now)
            if "board" in sent:
                board = board_for(sent["board"], user)
                services.move(topic=found, board=board, by=user, is_public_ok=sent["is_public_ok"], now=now)
            if "is_pinned" in sent:
                services.pin(topic=found, by=user, on=sent["is_pinned"], now=now)
        return Response(topic_for(topic, user))


class TopicFollow(APIView):
    """How closely the user follows a topic."""

    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(operation_id="forum_topic_follow", request=shapes.ForumLevelIn, responses={204: None})
    def put(self, request: Request, topic: int) -> Response:
        return set_level(request, finding.present_topic(topic, signed_in_user(request)))


class TopicRead(APIView):
    """How far the user has read a topic."""

    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(operation_id="forum_topic_read", request=shapes.ForumReadIn, responses={204: None})
    def put(self, request: Request, topic: int) -> Response:
        """The user has read the posts up to this number. It never goes back."""
        user = signed_in_user(request)
        found, sent = finding.find_topic(topic, user), validated(shapes.ForumReadIn, request)
        number = min(sent["number"], found.last_number)
        if found.is_visible:
            services.visit(
                user=user, topic=found, number=number, before=getattr(found, "seen", None), now=timezone.now()
            )
        return Response(status=status.HTTP_204_NO_CONTENT)


class AllRead(APIView):
    """Everything counts as read."""

    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(operation_id="forum_read", request=None, responses={204: None})
    def put(self, request: Request) -> Response:
        services.mark_all_read(user=signed_in_user(request), now=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)


def open_topic(request: Request) -> Response:
    """Open a topic; ``state`` says whether it must be reviewed before others see it."""
    user, sent = signed_in_user(request), validated(shapes.ForumTopicIn, request)
    board = board_for(sent.pop("board"), user)
    uid = sent.pop("lesson", None)
    lesson = Lesson.objects.select_related("course").filter(uid=uid, course=board.course_id).first() if uid else None
    topic = services.open_topic(board=board, author=user, lesson=lesson, now=timezone.now(), **sent)
    return Response(topic_for(topic.pk, user), status.HTTP_201_CREATED)


def set_level(request: Request, target: Topic | Board) -> Response:
    user, level = signed_in_user(request), validated(shapes.ForumLevelIn, request)["level"]
    if level is None:
        services.unfollow(user=user, target=target)
    else:
        services.follow(user=user, target=target, level=level, now=timezone.now())
    return Response(status=status.HTTP_204_NO_CONTENT)


def board_for(slug: str, user: Any) -> Board:
    """
    :raises NotFound: there is none that the user may read.
    """
    found = Board.objects.seen_by(user).select_related("course").filter(slug=slug).first()
    if found is None:
        raise NotFound
    return found


def _tag(slug: str, user: Any) -> Tag:
    return finding.find_tag(slug, user)


def text_of(value: str | None) -> str:
    return (value or "").replace("\0", "")[: searching.LONGEST]


def number_of(value: str | None) -> int:
    text = value or ""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 8 else 1
