"""Places in the text of a message to many, such as "{first name}", that are filled in for each learner."""

import re
from collections.abc import Mapping

from django.utils.translation import gettext as _

from studyplatform.kit.text.escaping import escape_markdown

FIRST_NAME, COURSE, LESSON = "first name", "course", "lesson"
_PLACE = re.compile(r"\{ *([^{}\n]{1,40}?) *\}")


def placeholders() -> dict[str, str]:
    """Return what may stand in braces, as the writer's language has it."""
    return {FIRST_NAME: _("first name"), COURSE: _("course"), LESSON: _("lesson")}


def with_plain_placeholders(source: str) -> str:
    """Return the text with its places as they are stored, whatever the writer's language. Other braces stay."""
    plain = {shown.casefold(): name for name, shown in placeholders().items()} | {name: name for name in placeholders()}
    return _PLACE.sub(lambda place: f"{{{name}}}" if (name := plain.get(place[1].casefold())) else place[0], source)


def with_shown_placeholders(source: str) -> str:
    """Return a stored text with its places in the reader's language."""
    shown = placeholders()
    return _PLACE.sub(lambda place: f"{{{shown[place[1]]}}}" if place[1] in shown else place[0], source)


def names_course(source: str) -> bool:
    """Return whether a stored text differs from course to course of the same learner."""
    return any(place[1] in {COURSE, LESSON} for place in _PLACE.finditer(source))


def fill_placeholders(source: str, values: Mapping[str, str]) -> str:
    """Return the text with the values, by name, in their places. They are text: nothing in them is Markdown."""
    return _PLACE.sub(lambda place: escape_markdown(values[place[1]]) if place[1] in values else place[0], source)
