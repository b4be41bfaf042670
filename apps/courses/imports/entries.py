"""What a file of questions says, before anything of it is written."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from django.utils.translation import gettext as _

from apps.courses.question_parts import Answers
from studyplatform.kit.text import content

MAX_ENTRIES = 1_000  # of a file, as many as a question bank has room for


MAX_ANSWERS = 30  # of a question: more than any question here can have, and few enough to read quickly


class UnreadableFile(Exception):
    """The file as a whole can't be read. The argument tells its author why."""


class RefusedEntry(Exception):
    """One question can't be imported. The argument tells its author why."""


def check_answer_count(count: int) -> None:
    """
    :raises RefusedEntry: a question has more answers than any can have here.
    """
    if count > MAX_ANSWERS:
        raise RefusedEntry(
            _("It has %(count)d answers; up to %(most)d can be read.") % {"count": count, "most": MAX_ANSWERS}
        )


@dataclass(frozen=True)
class EmbeddedFile:
    """A picture or another file within a file of questions. Texts show it by ``address`` until it is stored."""

    name: str
    raw: bytes

    @property
    def address(self) -> str:
        """An address as course files have it, which depends on the contents alone."""
        return f"{content.COURSE_FILES}{UUID(bytes=hashlib.sha256(self.raw).digest()[:16])}"


@dataclass(frozen=True, kw_only=True)
class ParsedQuestion:
    """A question in the words of our forms."""

    kind: str
    prompt: str
    answers: Answers = field(default_factory=Answers)
    points: int = 1
    explanation: str = ""
    is_withdrawn: bool = False
    all_or_nothing: bool = False


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One entry of a file. It has a ``question``, or a ``problem`` that says why there is none.

    ``number`` counts the entries from 1; ``line`` is where it begins. ``source_type``: its type as the file calls it.
    ``notes`` say what is lost or changed. ``intro`` is a text that belongs before the next question, in Markdown.
    """

    number: int
    line: int
    source_type: str
    name: str = ""
    excerpt: str = ""
    question: ParsedQuestion | None = None
    intro: str = ""
    problem: str = ""
    tags: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    files: Mapping[str, EmbeddedFile] = field(default_factory=dict)
    """By address."""


@dataclass(frozen=True, kw_only=True)
class ParsedFile:
    """All entries of a file. ``notes`` are about the file as a whole."""

    format: str
    entries: Sequence[Entry]
    notes: tuple[str, ...] = ()
