"""The interface between the chat and whatever answers it."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from apps.accounts.models import User
from apps.courses.models import Course

if TYPE_CHECKING:
    from apps.tutor.retrieval.search import Earlier, Found, Scope


@dataclass(frozen=True)
class Prompt:
    """What a provider answers."""

    user: User
    question: str
    mode: str
    """A value of ``models.Mode``."""
    scope: "Scope"
    course: Course | None
    history: "tuple[Earlier, ...]" = ()
    """The newest last."""
    passages: "tuple[Found, ...]" = ()
    """What was found, the best first: ``[1]`` cites the first."""
    transcript: str = ""
    """To explain a moment of a video: the last minute before it."""
    facts: str = ""
    """For a plan by a model: the learner's progress and goals, a line each."""
    written: str = ""
    """To continue an answer: its text so far."""
    language: str = "en"
    intent: str = ""
    """What a message wants that is no question (``intents``); "" for questions."""
    reply: str = ""
    """What the tutor says without passages (``conversation``); "" where the provider answers."""


@dataclass(frozen=True)
class Usage:
    """What an answer used; ``cost_micros`` are millionths of the currency of the prices."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_micros: int = 0


class Provider(Protocol):
    """Answers prompts."""

    name: str
    is_search: bool
    """It quotes passages; no model answers."""

    def stream(self, prompt: Prompt) -> AsyncGenerator[str | Usage, None]:
        """Yield pieces of Markdown, and at the end what the answer used.

        With ``written`` only what follows it. Closing the iterator cancels the request to the provider.

        :raises AppError: it cannot answer; what it has yielded is kept.
        """
        ...
