"""Facts about the tutor."""

from dataclasses import dataclass

from studyplatform.kit.events import Event


@dataclass(frozen=True, kw_only=True)
class AnswerEnded(Event):
    """An answer was finished, stopped, or failed."""

    answer_id: int
