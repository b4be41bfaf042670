"""What templates of the discussions and of other apps use."""

from django.conf import settings

from apps.forum import text
from apps.forum.models import Post
from apps.forum.services.screening import why_held
from studyplatform.kit.web.jinja import register


@register("composer_props")
def composer_props(key: str, topic: int | None) -> dict[str, object]:
    """What the composer needs to know (assets/islands/editor)."""
    return {
        "draft": key,
        "most": text.MOST,
        "limit": settings.UPLOAD_LIMITS["file"],
        "topic": topic,
        "endpoint": "/api/v1/uploads/",
    }


@register("why_held")
def why_post_is_held(post: Post) -> str:
    """Why a post waits for a moderator, as its author reads it."""
    return why_held(post)


@register("plain_post")
def plain_post(post: Post, most: int) -> str:
    """The beginning of a post without Markdown, at most some characters."""
    return text.excerpt(post.source, most)
