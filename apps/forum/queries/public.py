"""What the discussions offer to machines: feeds and structured data. Only what every visitor may read."""

from collections.abc import Iterator
from html import unescape
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.utils.html import strip_tags
from django.utils.text import Truncator

from apps.forum.models import Board, Post, Topic
from apps.forum.queries.shown import flat
from apps.forum.queries.topic import TopicPage
from studyplatform.kit.extensions import SitemapEntry

IN_FEED = 50  # topics
IN_SITEMAP = 10_000  # topics
ANSWERS, LONGEST = 10, 600  # of structured data: answers, and characters of each


def feed_topics(board: Board) -> list[Topic]:
    """The topics of a board with the newest activity. One query."""
    topics = Topic.objects.public().filter(board=board).select_related("author")
    return list(topics.order_by("-last_post_at")[:IN_FEED])


def newest_topics(limit: int) -> list[Topic]:
    """The topics that everyone may read with the newest activity, with their boards. One query."""
    topics = Topic.objects.listed_for(AnonymousUser()).select_related("board")
    return list(topics.order_by("-last_post_at", "-pk")[:limit])


def sitemap_topics() -> Iterator[SitemapEntry]:
    """The topics with replies that everyone may read, the most recent first. One query."""
    topics = Topic.objects.listed_for(AnonymousUser()).filter(reply_count__gt=0).order_by("-last_post_at", "-pk")
    for pk, changed_at in topics.values_list("pk", "last_post_at")[:IN_SITEMAP].iterator():
        yield SitemapEntry(f"/forum/topics/{pk}", changed_at)


def structured_question(page: TopicPage) -> dict[str, Any] | None:
    """A question with its answers as schema.org structured data, from a page that was read already. No query."""
    topic = page.topic
    if not (topic.is_question and topic.is_visible and topic.reply_count and page.number == 1):
        return None
    posts = [one.post for one in flat(page.posts) if one.post.is_visible]
    opening = next((post for post in posts if post.is_opening), None)
    if opening is None:
        return None
    answers = [post for post in posts if not post.is_opening]
    elsewhere = page.accepted_elsewhere
    accepted = next((post for post in answers if post.pk == topic.accepted_id), elsewhere)
    question = {
        "@type": "Question",
        "name": topic.title,
        "answerCount": topic.reply_count,
        **_said(opening, topic),
    }
    if accepted is not None and accepted.is_visible:
        question["acceptedAnswer"] = {"@type": "Answer", **_said(accepted, topic)}
    others = [post for post in answers if accepted is None or post.pk != accepted.pk][:ANSWERS]
    if others:
        question["suggestedAnswer"] = [{"@type": "Answer", **_said(post, topic)} for post in others]
    return {"@context": "https://schema.org", "@type": "QAPage", "mainEntity": question}


def _said(post: Post, topic: Topic) -> dict[str, Any]:
    words = " ".join(unescape(strip_tags(post.html)).split())
    return {
        "text": Truncator(words).chars(LONGEST),
        "upvoteCount": post.score,
        "author": {"@type": "Person", "name": post.author.display_name},
        "datePublished": (post.published_at or post.created_at).isoformat(),
        "url": settings.SITE_URL.rstrip("/") + (topic.path if post.is_opening else post.path),
    }
