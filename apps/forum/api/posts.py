"""Posts of a topic: reading, replying, editing, deleting, voting, reporting."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import permissions, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.guards import signed_in_user
from apps.accounts.models import User
from apps.forum import policies, services
from apps.forum.api import shapes
from apps.forum.api.showing import post_for, posts_of
from apps.forum.api.topics import number_of
from apps.forum.models import Post
from apps.forum.queries import finding
from apps.forum.queries import topic as queries
from studyplatform.kit.policies import enforce
from studyplatform.kit.web.api import validated
from studyplatform.kit.web.body_limits import KIB


class TopicPosts(APIView):
    """The posts of a topic."""

    permission_classes = [permissions.AllowAny]
    body_limits = {"POST": 128 * KIB}

    @extend_schema(
        operation_id="forum_posts",
        parameters=[OpenApiParameter("page", int)],
        responses={200: shapes.ForumPostPageOut},
    )
    def get(self, request: Request, topic: int) -> Response:
        """A page of 25 numbers. Held posts of the reader, and for moderators all, are at the end of the last one."""
        found = finding.present_topic(topic, request.user)
        return Response(posts_of(queries.topic_page(found, request.user, number_of(request.query_params.get("page")))))

    @extend_schema(operation_id="forum_reply", request=shapes.ForumReplyIn, responses={201: shapes.ForumPostSourceOut})
    def post(self, request: Request, topic: int) -> Response:
        """Reply. ``state`` says whether the reply must be reviewed before others see it."""
        user = signed_in_user(request)
        found, sent = finding.present_topic(topic, user), validated(shapes.ForumReplyIn, request)
        target = Post.objects.filter(pk=sent.get("reply_to") or 0, topic=found).first()
        post = services.reply(topic=found, author=user, source=sent["source"], reply_to=target, now=timezone.now())
        return Response(post_for(post.pk, user), status.HTTP_201_CREATED)


class PostDetail(APIView):
    """A post."""

    permission_classes = [permissions.AllowAny]
    body_limits = {"PATCH": 128 * KIB}

    @extend_schema(operation_id="forum_post", responses={200: shapes.ForumPostSourceOut})
    def get(self, request: Request, post: int) -> Response:
        return Response(post_for(post, request.user))

    @extend_schema(
        operation_id="forum_post_edit", request=shapes.ForumPostEditIn, responses={200: shapes.ForumPostSourceOut}
    )
    def patch(self, request: Request, post: int) -> Response:
        """Edit a post. ``edits`` is that of the post when the edit began: nobody's edit is overwritten."""
        user, found = _find(request, post)
        enforce(policies.edit(user, found))
        sent = validated(shapes.ForumPostEditIn, request)
        services.edit(post=found, editor=user, source=sent["source"], expected_edits=sent["edits"], now=timezone.now())
        return Response(post_for(post, user))

    @extend_schema(operation_id="forum_post_delete", responses={204: None})
    def delete(self, request: Request, post: int) -> Response:
        """Delete a post. Its author and moderators can restore it."""
        user, found = _find(request, post)
        enforce(policies.delete(user, found))
        take_away = services.delete if found.author_id == user.pk else services.remove  # notifies the author
        take_away(post=found, by=user, now=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)


class PostAction(APIView):
    """What a reader does with a post; each answers with the post as it is then."""

    permission_classes = [permissions.IsAuthenticated]


class PostRestore(PostAction):
    """Bring a deleted or hidden post back."""

    @extend_schema(operation_id="forum_post_restore", request=None, responses={200: shapes.ForumPostSourceOut})
    def post(self, request: Request, post: int) -> Response:
        user, found = _find(request, post)
        services.restore(post=found, by=user, now=timezone.now())
        return Response(post_for(post, user))


class PostVote(PostAction):
    """Say that a post was helpful, or take it back."""

    @extend_schema(operation_id="forum_post_vote", request=shapes.ForumOnIn, responses={200: shapes.ForumPostSourceOut})
    def put(self, request: Request, post: int) -> Response:
        user, found = _find(request, post)
        services.vote(post=found, user=user, on=validated(shapes.ForumOnIn, request)["on"], now=timezone.now())
        return Response(post_for(post, user))


class PostReaction(PostAction):
    """React to a post, or take it back."""

    @extend_schema(
        operation_id="forum_post_react", request=shapes.ForumReactionIn, responses={200: shapes.ForumPostSourceOut}
    )
    def put(self, request: Request, post: int) -> Response:
        user, found = _find(request, post)
        services.react(post=found, user=user, now=timezone.now(), **validated(shapes.ForumReactionIn, request))
        return Response(post_for(post, user))


class PostAcceptance(PostAction):
    """Accept a reply as the answer, or take it back."""

    @extend_schema(
        operation_id="forum_post_accept", request=shapes.ForumOnIn, responses={200: shapes.ForumPostSourceOut}
    )
    def put(self, request: Request, post: int) -> Response:
        user, found = _find(request, post)
        change = services.accept if validated(shapes.ForumOnIn, request)["on"] else services.unaccept
        change(post=found, by=user, now=timezone.now())
        return Response(post_for(post, user))


class PostReport(PostAction):
    """Report a post to the moderators."""

    @extend_schema(operation_id="forum_post_report", request=shapes.ForumReportIn, responses={204: None})
    def post(self, request: Request, post: int) -> Response:
        user, found = _find(request, post)
        sent: dict[str, Any] = validated(shapes.ForumReportIn, request)
        services.report(post=found, user=user, now=timezone.now(), **sent)
        return Response(status=status.HTTP_204_NO_CONTENT)


def _find(request: Request, post: int) -> tuple[User, Post]:
    """
    :raises NotFound: there is none whose text the user may read.
    """
    user = signed_in_user(request)
    return user, finding.find_post(post, user)
