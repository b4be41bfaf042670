"""Merging and splitting topics."""

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import permissions, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.guards import signed_in_user
from apps.accounts.models import User
from apps.forum import services, tool_policies
from apps.forum.api import shapes
from apps.forum.api.showing import topic_for
from apps.forum.models import Topic
from apps.forum.queries import finding
from studyplatform.kit.policies import enforce
from studyplatform.kit.web.api import validated


def moderated(request: Request, topic: int) -> tuple[User, Topic]:
    """
    :raises NotFound: there is none, or the user doesn't moderate its board.
    """
    user = signed_in_user(request)
    found = finding.find_topic(topic, user)
    enforce(tool_policies.use_tools(user, found))
    return user, found


class TopicMerge(APIView):
    """Merge a topic into another one."""

    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(operation_id="forum_topic_merge", request=shapes.ForumMergeIn, responses={200: shapes.ForumTopicOut})
    def post(self, request: Request, topic: int) -> Response:
        user, found = moderated(request, topic)
        sent = validated(shapes.ForumMergeIn, request)
        into = finding.find_topic(sent["into"], user)
        services.merge(topic=found, into=into, by=user, is_public_ok=sent["is_public_ok"], now=timezone.now())
        return Response(topic_for(into.pk, user))


class TopicSplit(APIView):
    """Make posts of a topic a new topic."""

    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(operation_id="forum_topic_split", request=shapes.ForumSplitIn, responses={201: shapes.ForumTopicOut})
    def post(self, request: Request, topic: int) -> Response:
        user, found = moderated(request, topic)
        new = services.split(topic=found, by=user, now=timezone.now(), **validated(shapes.ForumSplitIn, request))
        return Response(topic_for(new.pk, user), status.HTTP_201_CREATED)
