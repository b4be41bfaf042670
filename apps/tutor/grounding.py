"""Check an answer against the passages that it cites."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from apps.tutor.answers import is_answered
from apps.tutor.models import Answer
from apps.tutor.providers.base import Prompt

if TYPE_CHECKING:
    from apps.tutor.retrieval.search import Found

_CITED = re.compile(r"(?<!\\)\[(\d{1,2})\]")


@dataclass(frozen=True)
class Checked:
    """An answer as it is kept. ``citations`` are pairs of the number in the text and the passage."""

    text: str
    kind: str
    citations: "tuple[tuple[int, Found], ...]"


def check(text: str, prompt: Prompt) -> Checked:
    """Return the answer with the passages that it cites."""
    numbers = sorted({int(number) for number in _CITED.findall(text)})
    cited = tuple((one, prompt.passages[one - 1]) for one in numbers if 0 < one <= len(prompt.passages))
    is_declined = not cited and not is_answered(prompt.passages)
    return Checked(text, Answer.Kind.DECLINED if is_declined else "", cited)
