"""Questions that the tutor doesn't answer, with a model or without.

They protect nothing: the model gets only passages that the learner may open, as data, and what it says is cleaned
(``cleaning``). They refuse early and plainly what would come to nothing anyway, and never a question that the course
answers. They read English.
"""

import re
import unicodedata
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from rapidfuzz.fuzz import partial_ratio, token_set_ratio

from apps.accounts.models import User
from apps.learning.models import Attempt
from apps.learning.queries.quizzes import questions_in
from apps.tutor.answers import Certainty, certainty_of
from apps.tutor.cleaning import visible
from apps.tutor.errors import ContentFiltered, QuestionNotUnderstood
from apps.tutor.providers.base import Prompt
from apps.tutor.retrieval.words import content_words, split, stem
from studyplatform.kit.text.folding import fold

if TYPE_CHECKING:
    from apps.tutor.retrieval.search import Found

UNRELATED = 0.2
"""Where no passage is so similar to the question, and none contains a part of its words, it is not about the course."""
SOME_WORDS = 0.3
SAME, SAME_WORDS = 82, 92
"""From 0 to 100: from here on a question is that of an attempt, by its letters, or by its words in any order."""
LEAST = 12
"""Letters of a quiz question that are compared; shorter ones stand in any text."""
MOST_PARTS = 4
"""Questions of the chat that could be pieces of one."""

_SAID = r"[^.?!\n]{0,40}"
_RULES = r"(?:instructions?|rules?|prompts?|guidelines|guardrails|directives|policies|restrictions)"
_ROLE = r"(?:learners?|students?|users?|classmates?|peers?|members?)(?:'s?|’s?)?"
_OTHER = rf"(?:other|another|each other)\s+(?:\w+\s+)?{_ROLE}"
_ANY = rf"(?:(?:an)?other|all|every|each|some|which|any|my|the)\s+(?:\w+\s+)?{_ROLE}"
_CONTACT = r"(?:e-?mails?(?: addresses)?|phone(?: numbers?)?|passwords?|home addresses|chats?|messages?|payments?)"
_MARKS = r"(?:grades?|scores?|marks|results?|answers?|progress|notes?|names?|attempts?|submissions?|profiles?|data)"
_ABOUT_INSTRUCTIONS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\b(?:ignore|disregard|forget|override|bypass|drop|overwrite)\b{_SAID}\b{_RULES}\b",
        rf"\b(?:ignore|disregard|forget)\b{_SAID}\b(?:previous|prior|above|earlier|everything|told)\b",
        rf"\b(?:reveal|print|show|repeat|output|display|tell|give|write|leak|translate|encode|summarize|what)\b{_SAID}"
        rf"\b(?:your|the system|system|hidden|initial|secret|developer)\s+{_RULES}\b",
        r"\brepeat (?:the )?(?:text|words|everything|all) (?:above|before)\b",
        r"\b(?:you are|act|pretend|behave)\b[^.?!\n]{0,30}\b(?:dan|jailbr\w+|unrestricted|unfiltered|developer mode|"
        r"no (?:rules|restrictions|limits)|without (?:rules|restrictions|limits))\b",
        r"\b(?:developer|debug|god|admin(?:istrator)?|root) mode\b",
    )
)
_ABOUT_OTHERS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\b{_ANY}\s+{_CONTACT}\b",
        rf"\b{_CONTACT}\s+(?:of|from|for|by|belonging to)\s+{_ANY}",
        rf"\b{_OTHER}\s+{_MARKS}\b",
        rf"\b{_MARKS}\s+(?:of|from|for|by|belonging to)\s+(?:the\s+)?{_OTHER}",
        rf"\bwho (?:else )?(?:is|are)? ?(?:enrolled|taking|failed|passed|studying)\b{_SAID}\b(?:course|class|quiz)\b",
        rf"\b(?:what|show|tell|give|list)\b{_SAID}\b[a-z]+(?:'s|’s) (?:e-?mail|password|grades?|phone number)\b",
    )
)


_REFERRING_TEXT = """
    it its that this these those they them their he she same such above again instead else example twice
    thank thanks hi hello hey ok okay yes no sure cool great nice bye"""
_REFERS_BACK = frozenset(_REFERRING_TEXT.split())
"""Words by which a question means what was said before it, or only replies to it."""
_GOES_ON = frozenset(["and", "or", "but", "so", "then", "because"])
"""Words with which a question begins that continues the one before it."""


def check(prompt: Prompt, attempted: Sequence[str] | None = None, *, alone: "Sequence[Found] | None" = None) -> None:
    """Refuse what the tutor doesn't answer. ``attempted`` is what ``attempted_by`` says of the learner; None: a query.

    ``alone``: of a question later in a chat, the passages that are found without the questions before it.

    :raises ContentFiltered: the question is about other people, about the tutor's instructions or about nothing of the
        course, or it is that of an open attempt at a quiz.
    :raises QuestionNotUnderstood: it has no words.
    """
    if attempted is None:
        attempted = attempted_by([prompt.user.pk])[prompt.user.pk]
    if _is_attempted(prompt.question, attempted, [one.question for one in prompt.history]):
        raise ContentFiltered
    if prompt.reply or prompt.intent:
        return
    if prompt.mode == "ask" and is_wordless(prompt.question):
        raise QuestionNotUnderstood
    if is_about_no_course(prompt.question, prompt.passages if alone is None else alone) or is_unrelated(prompt, alone):
        raise ContentFiltered


def check_attempts(user: User, question: str) -> None:
    """Refuse a question of an open attempt. One query.

    :raises ContentFiltered: it is one.
    """
    if _is_attempted(question, attempted_by([user.pk])[user.pk], ()):
        raise ContentFiltered


def is_about_no_course(question: str, passages: "Sequence[Found]") -> bool:
    """Return whether a question is about other people or the tutor's instructions, and the passages don't answer it.

    "Ignore the rules of thumb: what is a median?" is a question about medians, whatever it says besides. What somebody
    asks about other people must be answered for certain, so that no learner is shown passages instead of a refusal.
    """
    text = plain(question)
    if any(one.search(text) for one in _ABOUT_OTHERS):
        return certainty_of(passages) != Certainty.CERTAIN
    return any(one.search(text) for one in _ABOUT_INSTRUCTIONS) and certainty_of(passages) == Certainty.NONE


def plain(text: str) -> str:
    """Return the text as it is compared: folded, without invisible characters, with single spaces."""
    return re.sub(r"\s+", " ", fold(visible(text)).lower()).strip()


def is_wordless(question: str) -> bool:
    """Return whether a question has no letter, digit or sign of mathematics, such as "???" or a picture alone."""
    return not any(unicodedata.category(char)[0] in "LN" or unicodedata.category(char) == "Sm" for char in question)


def is_unrelated(prompt: Prompt, alone: "Sequence[Found] | None" = None) -> bool:
    """Return whether nothing that the learner may open has to do with the question.

    Of a question later in a chat, ``alone`` is what is found without those before it; one that refers to what was
    said before is related to it.
    """
    if prompt.mode != "ask":
        return False
    if not prompt.history:
        return are_unrelated(prompt.passages)
    return alone is not None and are_unrelated(alone) and not _refers_back(prompt)


def are_unrelated(passages: "Sequence[Found]") -> bool:
    """Return whether the best passages for a question have nothing to do with it."""
    if not passages:
        return False
    similar = max(one.similarity for one in passages)
    covered = max(one.coverage for one in passages)
    return similar < UNRELATED and covered < SOME_WORDS


def _refers_back(prompt: Prompt) -> bool:
    """Whether a question continues its chat: by such a word, by a word that was said before, or having none itself."""
    words = split(prompt.question)
    asked = {stem(word) for word in content_words(prompt.question)}
    if not asked or words[0] in _GOES_ON or not _REFERS_BACK.isdisjoint(words):
        return True
    said = " ".join(f"{one.question} {one.answer}" for one in prompt.history)
    return not asked.isdisjoint(stem(word) for word in content_words(said))


def attempted_by(users: Collection[int]) -> dict[int, list[str]]:
    """Return the questions of attempts that were not submitted, by the primary key of the learner. One query."""
    found: dict[int, list[str]] = {pk: [] for pk in users}
    attempts = Attempt.objects.filter(enrollment__user__in=users, submitted_at=None)
    for attempt in attempts.select_related("quiz", "enrollment"):
        texts = [plain(one.prompt) for one in questions_in(attempt)]
        found[attempt.enrollment.user_id] += [text for text in texts if len(text) >= LEAST]
    return found


def _is_attempted(question: str, attempted: Sequence[str], earlier: Sequence[str]) -> bool:
    """Whether the question is nearly one of an open attempt, also in pieces."""
    if not attempted:
        return False
    pieces = [*earlier[-MOST_PARTS:], question]
    texts = [plain(" ".join(pieces[start:])) for start in range(len(pieces))]
    return any(_is_same(text, one) for text in texts for one in attempted)


def _is_same(text: str, asked: str) -> bool:
    if len(text) >= 0.6 * len(asked) and partial_ratio(asked, text) >= SAME:
        return True
    return token_set_ratio(asked, text) >= SAME_WORDS and len(set(text.split()) & set(asked.split())) >= 4
