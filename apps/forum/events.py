"""Facts about the discussions."""

from dataclasses import dataclass

from studyplatform.kit.events import Event


@dataclass(frozen=True, kw_only=True)
class PostPublished(Event):
    """A post became visible: written, or approved by a moderator. The opening post stands for its topic."""

    post_id: int
    topic_id: int


@dataclass(frozen=True, kw_only=True)
class PostHeld(Event):
    """A post waits for a moderator."""

    post_id: int
    topic_id: int


@dataclass(frozen=True, kw_only=True)
class PostChanged(Event):
    """A post that was visible got another text, state, score or reactions."""

    post_id: int
    topic_id: int


@dataclass(frozen=True, kw_only=True)
class TopicChanged(Event):
    """The title, board, tags, state or accepted answer of a topic changed."""

    topic_id: int


@dataclass(frozen=True, kw_only=True)
class AnswerAccepted(Event):
    post_id: int
    topic_id: int
    by_id: int


@dataclass(frozen=True, kw_only=True)
class PostReported(Event):
    """A reader reported a post."""

    post_id: int
    topic_id: int
