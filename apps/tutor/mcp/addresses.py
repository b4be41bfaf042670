"""How assistants name lessons, and addresses that work outside the site's pages."""

import re

from django.conf import settings

from studyplatform.kit.errors import NotFound

_URI = re.compile(r"study://lessons/([\w-]{1,200})/([\w-]{1,200})")
URI_TEMPLATE = "study://lessons/{course}/{lesson}"

LESSON = {
    "type": "string",
    "maxLength": 400,
    "pattern": r"^[\w-]+(/[\w-]+)?$",
    "description": "A lesson as course/lesson, with the slugs that other tools return, or its uid.",
}


def absolute(path: str) -> str:
    """The address of a page with the site's name."""
    return settings.SITE_URL.rstrip("/") + path


def lesson_name(course: str, lesson: str) -> str:
    """The name of a lesson for ``get_lesson`` and ``create_note``."""
    return f"{course}/{lesson}"


def lesson_uri(course: str, lesson: str) -> str:
    """The URI of a lesson as a resource."""
    return f"study://lessons/{course}/{lesson}"


def named_in(uri: str) -> tuple[str, str]:
    """The slugs of course and lesson in a URI of :func:`lesson_uri`.

    :raises NotFound: it is no such URI.
    """
    match = _URI.fullmatch(uri)
    if match is None:
        raise NotFound
    return match[1], match[2]
