"""Titles and tags of topics."""

import re
from collections.abc import Iterable

from django.utils.text import slugify

from apps.forum import text
from apps.forum.errors import TooManyTags
from apps.forum.models import Tag
from apps.forum.models.topics import MOST_TAGS
from studyplatform.kit.errors import ValidationFailed
from studyplatform.kit.names import tidy_name

LONGEST_TAG = 40
LONGEST_TITLE = 120
_SPACES = re.compile(r"\s+")
_NOT_IN_TAGS = re.compile(r"[^\w+#. -]")


def clean_title(title: str) -> str:
    """A title in one line, without superfluous spaces and without what XML and databases can't store.

    :raises ValidationFailed: it is too long, or has no visible character.
    """
    title = tidy_name(_SPACES.sub(" ", text.storable(title)))
    if not 0 < len(title) <= LONGEST_TITLE:
        raise ValidationFailed
    return title


def clean_tags(names: Iterable[str]) -> list[str]:
    """Tags in lower case, each once: letters, digits, spaces and the characters of C++, C# and Node.js.

    What a tag is called does not depend on who writes it first, so no other characters are kept.

    :raises TooManyTags: more than five, or too long ones.
    """
    cleaned = dict.fromkeys(_SPACES.sub(" ", _NOT_IN_TAGS.sub("", name)).strip().lstrip("# ").lower() for name in names)
    found = [name for name in cleaned if _slug(name)]
    if len(found) > MOST_TAGS or any(len(name) > LONGEST_TAG for name in found):
        raise TooManyTags
    return found


def tags_named(names: Iterable[str]) -> list[Tag]:
    """The tags with these names; new ones are created."""
    wanted = {_slug(name): name for name in names}
    Tag.objects.bulk_create([Tag(slug=slug, name=name) for slug, name in wanted.items()], ignore_conflicts=True)
    return list(Tag.objects.filter(slug__in=wanted))


def _slug(name: str) -> str:
    return slugify(name.replace("+", "-plus").replace("#", "-sharp"), allow_unicode=True)[:LONGEST_TAG]
