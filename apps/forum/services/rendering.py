"""The HTML of a post, rendered once when it is written."""

from datetime import datetime

from django.db.models.functions import Lower

from apps.accounts.models import User
from apps.forum import text
from apps.forum.services.screening import is_new

EXCERPT = 240  # characters: the length of Topic.excerpt


def render(source: str, *, author: User, now: datetime) -> str:
    """Sanitized HTML; links of accounts in their first week are nofollow, and existing users can be mentioned."""
    names = {name.lower() for name in text.mentioned(source)}
    known = User.objects.annotate(lower=Lower("username")).filter(lower__in=names, deleted_at=None) if names else []
    mentions = {user.username.lower(): user.username for user in known}
    return text.render(source, is_trusted=not is_new(author, now=now), mentions=mentions)


def excerpt_of(source: str) -> str:
    """The beginning of a post as plain text, for lists."""
    return text.excerpt(source, EXCERPT)
