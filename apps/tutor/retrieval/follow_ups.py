"""Questions that name no subject of their own: "and if I do it twice?", "why is that?", "can you give an example?"."""

from collections.abc import Sequence

from apps.tutor.retrieval.words import content_words

_GENERAL_TEXT = """
    answer apply calculate calculated call called case change changes compute continue define definition describe detail
    details determine difference different difficult easier easy elaborate else example examples find first further
    good happen happens help helps hint important instead last learn long measure next possible prove reason remember
    second show simple simpler simply slower step steps summarize third times true twice use used useful whole wrong
    better worse best always never sometimes often"""
_GENERAL = frozenset(_GENERAL_TEXT.split())
"""Content words that fit any subject."""


def is_follow_up(question: str) -> bool:
    """Return whether a later question of a chat is only understood from the ones before it."""
    return all(word in _GENERAL for word in content_words(question))


def subject_of(questions: Sequence[str]) -> str:
    """Return the newest question that names a subject, the oldest if none does; "" without questions.

    ``questions``: those before a question, the newest last.
    """
    return next((one for one in reversed(questions) if not is_follow_up(one)), questions[0] if questions else "")
