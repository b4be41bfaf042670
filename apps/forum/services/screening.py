"""Which posts wait for a moderator before others see them."""

import re
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.accounts.models import User
from apps.forum import policies
from apps.forum.models import Board, Post

NEW_ACCOUNT = "new_account"
LINKS = "links"
FOREIGN_LINKS = "foreign_links"
SHOUTING = "shouting"
RATE = "rate"
REPETITION = "repetition"
REWRITTEN = "rewritten"  # a moderator hid the post, and its author has changed it

MOST_LINKS = 5
MOST_IN_FIVE_MINUTES = 8
LETTERS = 40  # of fewer letters, capitals say nothing
SHORT = 40  # characters: "Thank you, that helped" may be repeated
COMPARED = 100  # posts that a new one is compared with
_LINK = re.compile(r"(?:https?:|(?<=\]\())//[^\s<>()\[\]]+", re.IGNORECASE)
_WORD = re.compile(r"\w+")


def is_new(user: User, *, now: datetime) -> bool:
    """Whether the account is in its first week (``FORUM_NEW_ACCOUNT_DAYS``)."""
    return (now - user.date_joined).total_seconds() < settings.FORUM_NEW_ACCOUNT_DAYS * 86400


def screen(*, author: User, board: Board, source: str, post: Post | None = None, now: datetime) -> list[str]:
    """Return why a post must wait for a moderator; an empty list if it need not. Moderators never wait.

    :param post: the one that is edited, which is no repetition of itself.
    """
    if policies.moderates(author, board):
        return []
    is_fresh = is_new(author, now=now)
    found = {
        NEW_ACCOUNT: is_fresh,
        LINKS: _has_many_links(source),
        FOREIGN_LINKS: is_fresh and bool(_foreign_hosts(source)),
        SHOUTING: _shouts(source),
        RATE: _writes_fast(author, now),
        REPETITION: _repeats(source, author, post, now),
    }
    return [name for name, holds in found.items() if holds]


def _has_many_links(source: str) -> bool:
    links = _LINK.findall(source)
    return len(links) > MOST_LINKS or (len(links) > 1 and 2 * sum(map(len, links)) > len(source))


def _foreign_hosts(source: str) -> set[str]:
    own = urlsplit(settings.SITE_URL).hostname
    return {host for link in _LINK.findall(source) if (host := _host(link)) and host != own}


def _host(link: str) -> str:
    try:
        return urlsplit(link).hostname or ""
    except ValueError:  # for example an unclosed bracket
        return link


def _shouts(source: str) -> bool:
    letters = [one for one in source if one.isalpha() and one.lower() != one.upper()]
    return len(letters) >= LETTERS and 10 * sum(one.isupper() for one in letters) > 7 * len(letters)


def _writes_fast(author: User, now: datetime) -> bool:
    since = now - timedelta(minutes=5)
    return Post.objects.filter(author=author, created_at__range=(since, now)).count() >= MOST_IN_FIVE_MINUTES


def _repeats(source: str, author: User, post: Post | None, now: datetime) -> bool:
    """Whether the author wrote nearly the same, or somebody else the same, within a day. Short posts may repeat."""
    words = _words(source)
    if len(source) < SHORT or len(words) < 5:
        return False
    day = Post.objects.filter(created_at__range=(now - timedelta(days=1), now)).exclude(pk=post.pk if post else 0)
    own = day.filter(author=author).order_by("-created_at").values_list("source", flat=True)[:COMPARED]
    if any(_alike(words, _words(one)) for one in own):
        return True
    others = day.exclude(author=author).order_by("-pk").values_list("source", flat=True)[:COMPARED]
    return any(words == _words(one) for one in others)


def _words(source: str) -> frozenset[str]:
    return frozenset(_WORD.findall(source.casefold()))


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two texts have eight of ten words in common."""
    return 10 * len(one & other) >= 8 * len(one | other)


# What a moderator reads about each reason: its name, and why it matters.
REASONS: dict[str, tuple[str | Promise, str | Promise]] = {
    NEW_ACCOUNT: (
        _("New account"),
        _("Every post from a new account is reviewed for the first week."),
    ),
    REWRITTEN: (
        _("Changed after a decision"),
        _("A moderator removed this post, and its author has edited it since."),
    ),
    LINKS: (_("Many links"), _("It has more than five links or is mostly links.")),
    FOREIGN_LINKS: (
        _("Links from a new account"),
        _("A new account links to another site, as advertising often does."),
    ),
    SHOUTING: (_("Capital letters"), _("More than 70% of the letters are capitals.")),
    RATE: (_("Many posts"), _("The account wrote eight or more posts within five minutes.")),
    REPETITION: (_("Repetition"), _("This account or another posted nearly the same text within a day.")),
}

# What the author of a held post reads, the reason that explains most first.
_FOR_AUTHORS: dict[str, str | Promise] = {
    REWRITTEN: _("A moderator removed this post and it has been edited since, so it needs another review."),
    NEW_ACCOUNT: _("Posts from new accounts are reviewed during the first week."),
    FOREIGN_LINKS: _("A moderator checks its links first."),
    LINKS: _("A moderator checks its links first."),
    RATE: _("This account posted many times within a few minutes, so a moderator reviews this post first."),
    REPETITION: _("It resembles another post from the last day, so a moderator reviews it first."),
    SHOUTING: _("It's mostly capital letters, so a moderator reviews it first."),
}


def why_held(post: Post) -> str:
    """Why a post waits for a moderator, as its author reads it."""
    found = next((text for name, text in _FOR_AUTHORS.items() if name in post.held_for), None)
    return str(found or _("A moderator reviews it first."))
