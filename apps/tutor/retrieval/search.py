"""Find the passages that answer a question, among those that the user may read."""

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from apps.accounts.policies import AnyUser
from apps.courses.models import Course
from apps.tutor.models import Passage
from apps.tutor.retrieval import embeddings, encoder, index
from apps.tutor.retrieval.choosing import choose
from apps.tutor.retrieval.everyday import everyday_similarity
from apps.tutor.retrieval.follow_ups import is_follow_up, subject_of
from apps.tutor.retrieval.missing import missing, nearest_word
from apps.tutor.retrieval.scope import About, Scope, scope_of, scopes_of
from apps.tutor.retrieval.spelling import correct
from apps.tutor.retrieval.words import MOST_WORDS, content_words, stem
from studyplatform.kit.extensions import answers

__all__ = ["About", "Earlier", "Found", "Question", "Scope", "find", "scope_of", "scopes_of", "search", "search_all"]

MOST_CHARACTERS = 2000
"""Of a question; the rest is not searched."""
WORDS = 0.05
"""What a point of BM25 adds to the similarity of the vectors, where all words of the question are found."""
REACH_POWER = 2
"""How fast words count less, the fewer of the question's words are found at all."""
EXPLANATION_PENALTY = -0.05
"""What the score of an explanation of a quiz loses: a lesson says the same without answering another question."""
EMBEDDED = 0.6
"""How much the embedding address counts beside our own vectors."""
LEAST_EMBEDDED = 3
"""Passages with which mean and spread say something."""
EARLIER = 0.5
"""How much the words of the question before count, unless the question has no subject of its own."""

_UNREAD = (
    *("words", "vector", "encoder", "embedding", "embedded_by"),
    *("lesson__body", "lesson__chapters", "course__description", "course__before_you_begin", "course__plate"),
)
"""Long fields of passages, lessons and courses that nobody asks for."""

Array = NDArray[np.float32]


class Earlier(NamedTuple):
    """An earlier question of a chat, and its answer."""

    question: str
    answer: str


class Compared(NamedTuple):
    """What single words of the question say about the passages that were found."""

    missing: float = 0.0
    nearest_word: float = 0.0
    everyday: float = 0.0


@dataclass(frozen=True)
class Found:
    """A search hit with the better of its two neighbors, where the answer often continues."""

    passage: Passage
    neighbor: Passage | None
    score: float
    similarity: float
    """Of the vectors, from -1 to 1."""
    coverage: float
    """Which part of the question's words the passage contains, by weight, from 0 to 1."""
    reached: float = 0.0
    """The best score without the embedding address, for all the same: its numbers say nothing about other models'."""
    compare: Callable[[], Compared] = Compared
    """Compares single words, which takes a while; only who declines needs it."""

    @property
    def missing(self) -> float:
        """How much a rare word of the question is missing (:mod:`apps.tutor.retrieval.missing`); for all the same."""
        return self.compare().missing

    @property
    def nearest_word(self) -> float:
        """How similar the nearest word of the question is to one of the passages, by itself; for all the same."""
        return self.compare().nearest_word

    @property
    def everyday(self) -> float:
        """How similar the question is to what people ask anywhere (:mod:`apps.tutor.retrieval.everyday`)."""
        return self.compare().everyday

    @property
    def parts(self) -> list[Passage]:
        """The passage and its neighbor, in the order of the lesson."""
        both = [self.passage] if self.neighbor is None else [self.passage, self.neighbor]
        return sorted(both, key=lambda one: one.position)

    @property
    def text(self) -> str:
        return " ".join(one.text for one in self.parts)

    @property
    def second(self) -> float | None:
        """Where the text begins in the video; None outside of captions."""
        return self.parts[0].second


class Question(NamedTuple):
    """What is searched; ``history`` are the exchanges before it, the newest last."""

    text: str
    scope: Scope
    history: Sequence[Earlier] = ()


def search(question: str, scope: Scope, *, history: Sequence[Earlier] = (), limit: int = 5) -> list[Found]:
    """Return the best passages for a question, the best first. Two queries, two more if passages have changed.

    A later question of a chat is searched together with the one before it; one that has no subject of its own
    (:mod:`apps.tutor.retrieval.follow_ups`), as a part of the one that named it.
    """
    return search_all([Question(question, scope, history)], limit=limit)[0]


def search_all(questions: Sequence[Question], *, limit: int = 5) -> list[list[Found]]:
    """Return what ``search`` finds for each question. They share its queries, and are encoded together."""
    known = index.current()
    asked = [_asked(known, *one) for one in questions]
    similar = _similarities(known, [one for one in asked if one is not None])
    ranked = [None if one is None else _rank(known, one, *similar[one.texts], limit) for one in asked]
    pks = {int(known.pks[row]) for one in ranked if one is not None for pair in one.chosen for row in pair}
    rows = Passage.objects.select_related("lesson", "course").defer(*_UNREAD)
    passages = _still_shown(rows.in_bulk(pks))
    return [[] if one is None else _found(known, one, passages) for one in ranked]


class _Asked(NamedTuple):
    """A question as it is searched, the one before it, and the rows of the index that may be found."""

    question: str
    before: str
    is_follow_up: bool
    """It has no subject of its own."""
    allowed: NDArray[np.bool_]

    @property
    def texts(self) -> tuple[str, ...]:
        if not self.before:
            return (self.question,)
        together = f"{self.before} {self.question}"
        return (together,) if self.is_follow_up else (self.question, together)


class _Ranked(NamedTuple):
    """The best rows with their neighbors, and the figures of all rows."""

    question: str
    allowed: NDArray[np.bool_]
    chosen: list[tuple[int, ...]]
    reached: float
    scores: Array
    similarity: Array
    coverage: Array


def _asked(known: index.Index, text: str, scope: Scope, history: Sequence[Earlier]) -> _Asked | None:
    """None: there is nothing that may be found."""
    allowed = scope.mask(known)
    if not allowed.any():
        return None

    def corrected(one: str) -> str:
        return correct(_one_line(one), known.vocabulary, candidates=lambda: known.correctable)

    earlier = [one.question for one in history]
    return _Asked(corrected(text), corrected(subject_of(earlier)), bool(earlier) and is_follow_up(text), allowed)


def _rank(known: index.Index, asked: _Asked, similarity: Array, meaning: Array, limit: int) -> _Ranked:
    words, coverage = known.score_words(_terms(asked))
    reach = float(coverage[asked.allowed].max())
    words = WORDS * reach**REACH_POWER * words + EXPLANATION_PENALTY * known.is_explanation
    scores = np.where(asked.allowed, meaning + words, -np.inf)
    reached = float((similarity + words)[asked.allowed].max())
    chosen = choose(known, scores, limit)
    return _Ranked(asked.question, asked.allowed, chosen, reached, scores, similarity, coverage)


def _found(known: index.Index, ranked: _Ranked, passages: dict[int, Passage]) -> list[Found]:
    found = []
    for row, *others in ranked.chosen:
        passage = passages.get(int(known.pks[row]))
        if passage is not None:
            neighbor = passages.get(int(known.pks[others[0]])) if others else None
            score, similarity, coverage = (
                float(one[row]) for one in (ranked.scores, ranked.similarity, ranked.coverage)
            )
            found.append(Found(passage, neighbor, score, similarity, coverage, ranked.reached))
    compare = cache(partial(_compare, known, ranked, found))
    return [replace(one, compare=compare) for one in found]


def _compare(known: index.Index, ranked: _Ranked, found: Sequence[Found]) -> Compared:
    same_course = ranked.allowed & (known.courses == found[0].passage.course_id)
    texts = [f"{one.passage.lesson.title} {one.passage.heading} {one.text}" for one in found]
    return Compared(
        missing(ranked.question, known, same_course, texts),
        nearest_word(ranked.question, known.vectors[[row for row, *_ in ranked.chosen]]),
        everyday_similarity(ranked.question),
    )


def find(user: AnyUser, question: str, *, course: Course | None = None, history: Sequence[Earlier] = ()) -> list[Found]:
    """Return the best passages for a question, in the course or in all, of what the user may read at this moment."""
    return search(question, scope_of(user, course=course), history=history)


def _still_shown(passages: dict[int, Passage]) -> dict[int, Passage]:
    """Leave out answers of the forum that were hidden since they were indexed. A query if there are any."""
    keys = {one.answer for one in passages.values() if one.answer is not None}
    if not keys:
        return passages
    shown = {key for source in answers.ordered() for key in source.shown(keys)}
    return {pk: one for pk, one in passages.items() if one.answer is None or one.answer in shown}


def _one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text[:MOST_CHARACTERS]).strip()


def _similarities(known: index.Index, asked: Sequence[_Asked]) -> dict[tuple[str, ...], tuple[Array, Array]]:
    """Return for the texts of each question how similar all rows are, without and with the embedding address."""
    different = list(dict.fromkeys(one.texts for one in asked))
    texts = list(dict.fromkeys(text for one in different for text in one))
    if not texts:
        return {}
    vectors = dict(zip(texts, encoder.encode(texts), strict=True))
    similar = list(np.array([_joined([vectors[text] for text in one]) for one in different]) @ known.vectors.T)
    mixed = _with_embeddings(known, similar, different)
    return dict(zip(different, zip(similar, mixed, strict=True), strict=True))


def _joined(vectors: Sequence[Array]) -> Array:
    """The direction between the vectors."""
    if len(vectors) == 1:
        return vectors[0]
    both = np.sum(vectors, axis=0)
    unit: Array = both / np.linalg.norm(both)
    return unit


def _with_embeddings(known: index.Index, similar: Sequence[Array], asked: Sequence[tuple[str, ...]]) -> Sequence[Array]:
    """Return the similarities with those of the embedding address mixed in, where it is used and answers in time."""
    embedded = known.embedded
    texts = list(dict.fromkeys(text for one in asked for text in one if one[0]))
    if embedded is None or len(embedded.rows) < LEAST_EMBEDDED or not texts:
        return similar
    found = embeddings.embed_question(texts, size=embedded.vectors.shape[1])
    if found is None:
        return similar
    vectors = dict(zip(texts, found, strict=True))
    return [
        _mixed(embedded, similarity, np.mean([vectors[text] for text in one], axis=0)) if one[0] else similarity
        for similarity, one in zip(similar, asked, strict=True)
    ]


def _mixed(embedded: index.Embedded, similarity: Array, vector: Array) -> Array:
    """Models differ in what numbers similar texts get: those of the address are brought to mean and spread of ours."""
    theirs, ours = embedded.similarity(vector), similarity[embedded.rows]
    spread = float(theirs.std())
    if spread == 0:
        return similarity
    mixed = similarity.copy()
    same = (theirs - theirs.mean()) / spread * ours.std() + ours.mean()
    mixed[embedded.rows] = EMBEDDED * same + (1 - EMBEDDED) * ours
    return mixed


def _terms(asked: _Asked) -> dict[str, float]:
    terms: defaultdict[str, float] = defaultdict(float)
    for word in content_words(asked.question)[:MOST_WORDS]:
        terms[stem(word)] += EARLIER if asked.is_follow_up and asked.before else 1.0
    for word in content_words(asked.before)[:MOST_WORDS]:
        terms[stem(word)] += 1.0 if asked.is_follow_up else EARLIER
    return terms
