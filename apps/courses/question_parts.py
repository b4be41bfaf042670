"""What an instructor's form says of a question, and the columns that are built from it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

USUAL_ESSAY_LENGTH = 5_000  # code points


@dataclass(frozen=True, kw_only=True)
class Choice:
    """One line of the form: a choice, a step of an ordering, or a pair of a matching.

    ``id`` is empty for a new line. ``remark`` is the feedback for choosing it wrongly. A pair without ``text`` is a
    right side that belongs to no line. ``share`` is the percentage of the points that a single choice earns if it is
    not the correct one; "" for none.
    """

    text: str
    id: str = ""
    is_right: bool = False
    partner: str = ""
    remark: str = ""
    share: str = ""


@dataclass(frozen=True, kw_only=True)
class PartAnswer:
    """A short text that earns a part of the points: ``share`` is the percentage as it was typed."""

    text: str
    share: str


@dataclass(frozen=True, kw_only=True)
class Gap:
    """One field of a text with gaps. ``kind`` is that of a question: text, single or numeric.

    ``lines`` are the accepted texts, the choices with the correct one first, or the number alone. What earns a part of
    the points begins with its percentage: "%50%Lyon".
    """

    kind: str = "text"
    lines: Sequence[str] = ()
    points: int = 1
    tolerance: str = ""
    unit: str = ""
    ignores_accents: bool = False
    is_case_sensitive: bool = False
    has_wildcards: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether its author has entered no answer."""
        return not any(line.strip() for line in self.lines)


@dataclass(frozen=True, kw_only=True)
class Answers:
    """The answer fields of the form for all kinds; each kind uses its part."""

    choices: Sequence[Choice] = ()
    truth: bool | None = None
    number: str = ""
    tolerance: str = ""
    unit: str = ""
    accepted: Sequence[str] = ()
    partly: Sequence[PartAnswer] = ()
    ignores_accents: bool = False
    is_case_sensitive: bool = False
    has_wildcards: bool = False
    language: str = ""
    remarks: dict[str, str] = field(default_factory=dict)
    gaps: Sequence[Gap] = ()
    essay_limit: int | None = USUAL_ESSAY_LENGTH
    """Code points; None if the author entered no whole number."""


@dataclass(frozen=True)
class Columns:
    """The columns of a question that depend on its kind."""

    options: Any
    answer: dict[str, Any]
    remarks: dict[str, str]
    points: int | None = None
    """Those of the fields of a text with gaps; None where the author gives them to the whole question."""
