"""Find the passages that answer a question, among those that the user may read."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from apps.accounts.policies import AnyUser
from apps.courses.models import Course, Lesson
from apps.learning.queries.openable import explained_quizzes, openable_lessons
from apps.tutor.models import Passage
from apps.tutor.queries.switches import turned_off
from apps.tutor.retrieval import embeddings, encoder, index
from apps.tutor.retrieval.missing import missing
from apps.tutor.retrieval.spelling import correct
from apps.tutor.retrieval.words import MOST_WORDS, content_words, stem
from studyplatform.kit.extensions import answers

MOST_CHARACTERS = 2000
"""Of a question; the rest is not searched."""
WORDS = 0.05
"""What a point of BM25 adds to the similarity of the vectors, where all words of the question are found."""
AROUND = 0.15
"""How much the better of the two neighbors of a passage counts in its score."""
EMBEDDED = 0.6
"""How much the embedding address counts beside our own vectors."""
LEAST_EMBEDDED = 3
"""Passages with which mean and spread say something."""
EARLIER = 0.5
"""How much the words of the question before count."""

Array = NDArray[np.float32]


class Earlier(NamedTuple):
    """An earlier question of a chat, and its answer."""

    question: str
    answer: str


@dataclass(frozen=True)
class Found:
    """A passage that was found, with its better neighbor: what answers a question often goes on there."""

    passage: Passage
    neighbor: Passage | None
    score: float
    similarity: float
    """Of the vectors, from -1 to 1."""
    coverage: float
    """Which part of the question's words the passage contains, by weight, from 0 to 1."""
    missing: float = 0.0
    """How much a rare word of the question is missing, see :mod:`apps.tutor.retrieval.missing`; for all the same."""

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


@dataclass(frozen=True)
class Scope:
    """The passages that a user may read at this moment."""

    lessons: frozenset[int]
    explained: frozenset[int]
    """The lessons of quizzes whose explanations may be read."""

    def mask(self, known: index.Index) -> NDArray[np.bool_]:
        """Return for all rows of the index whether the user may read them."""
        opened = np.isin(known.lessons, np.fromiter(self.lessons, np.int64, len(self.lessons)))
        explained = np.isin(known.lessons, np.fromiter(self.explained, np.int64, len(self.explained)))
        allowed: NDArray[np.bool_] = opened & (~known.is_explanation | explained)
        return allowed


def scope_of(user: AnyUser, *, course: Course | None = None, lesson: Lesson | None = None) -> Scope:
    """Return what the user may read in the lesson, in the course or everywhere, of courses with a tutor.

    At most ten queries.
    """
    lessons = openable_lessons(user, course if lesson is None else lesson.course)
    if lesson is not None:
        lessons &= {lesson.pk}
    off = turned_off()
    if off:
        lessons -= set(Lesson.objects.filter(course__in=off).values_list("pk", flat=True))
    return Scope(lessons, explained_quizzes(user) & lessons)


def search(question: str, scope: Scope, *, history: Sequence[Earlier] = (), limit: int = 5) -> list[Found]:
    """Return the best passages for a question, the best first. Two queries, two more if passages have changed.

    A follow-up question is searched together with the question before it.
    """
    known = index.current()
    allowed = scope.mask(known)
    if not allowed.any():
        return []
    question = correct(_one_line(question), known.vocabulary)
    before = correct(_one_line(history[-1].question), known.vocabulary) if history else ""
    similarity = known.vectors @ _vector(question, before)
    meaning = _with_embeddings(known, similarity, question, before)
    words, coverage = known.score_words(_terms(question, before))
    reach = float(coverage[allowed].max())
    scores = np.where(allowed, meaning + WORDS * reach**3 * words, -np.inf)
    chosen = _choose(known, scores, limit)
    pks = [int(known.pks[row]) for pair in chosen for row in pair]
    passages = _still_shown(Passage.objects.select_related("lesson", "course").in_bulk(pks))
    found = []
    for row, *others in chosen:
        passage = passages.get(int(known.pks[row]))
        if passage is not None:
            neighbor = passages.get(int(known.pks[others[0]])) if others else None
            found.append(Found(passage, neighbor, float(scores[row]), float(similarity[row]), float(coverage[row])))
    gap = missing(question, known, [f"{one.passage.lesson.title} {one.passage.heading} {one.text}" for one in found])
    return [replace(one, missing=gap) for one in found]


def find(user: AnyUser, question: str, *, course: Course | None = None, history: Sequence[Earlier] = ()) -> list[Found]:
    """Return the best passages for a question, in the course or in all, of what the user may read at this moment."""
    return search(question, scope_of(user, course=course), history=history)


def _choose(known: index.Index, scores: Array, limit: int) -> list[tuple[int, ...]]:
    """Return the best rows, each with its better neighbor; no row appears twice."""
    before, after = known.neighbors
    around = np.maximum(scores[before], scores[after])
    has_better = np.isfinite(scores) & np.isfinite(around)
    smoothed = np.where(has_better, (1 - AROUND) * scores + AROUND * np.where(has_better, around, 0), scores)
    used, chosen = set[int](), list[tuple[int, ...]]()
    for place in np.argsort(-smoothed, kind="stable"):
        row = int(place)
        if len(chosen) == limit or not np.isfinite(scores[row]):
            break
        if row in used:
            continue
        beside = {int(before[row]), int(after[row])} - used - {row}
        best = sorted((one for one in beside if np.isfinite(scores[one])), key=lambda one: -scores[one])[:1]
        used.update((row, *best))
        chosen.append((row, *best))
    return chosen


def _still_shown(passages: dict[int, Passage]) -> dict[int, Passage]:
    """Leave out answers of the forum that were hidden since they were indexed. A query if there are any."""
    keys = {one.answer for one in passages.values() if one.answer is not None}
    if not keys:
        return passages
    shown = {key for source in answers.ordered() for key in source.shown(keys)}
    return {pk: one for pk, one in passages.items() if one.answer is None or one.answer in shown}


def _one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text[:MOST_CHARACTERS]).strip()


def _vector(question: str, before: str) -> Array:
    if not before:
        single: Array = encoder.encode([question])[0]
        return single
    both = encoder.encode([question, f"{before} {question}"]).sum(0)
    unit: Array = both / np.linalg.norm(both)
    return unit


def _with_embeddings(known: index.Index, similarity: Array, question: str, before: str) -> Array:
    """Return the similarity with that of the embedding address mixed in, where it is used and answers in time.

    Models differ in what numbers similar texts get: those of the address are brought to mean and spread of ours.
    """
    embedded = known.embedded
    if embedded is None or len(embedded.rows) < LEAST_EMBEDDED or not question:
        return similarity
    texts = [question, f"{before} {question}"] if before else [question]
    vectors = embeddings.embed_question(texts, size=embedded.vectors.shape[1])
    if vectors is None:
        return similarity
    theirs, ours = embedded.similarity(vectors.mean(0)), similarity[embedded.rows]
    spread = float(theirs.std())
    if spread == 0:
        return similarity
    mixed = similarity.copy()
    same = (theirs - theirs.mean()) / spread * ours.std() + ours.mean()
    mixed[embedded.rows] = EMBEDDED * same + (1 - EMBEDDED) * ours
    return mixed


def _terms(question: str, before: str) -> dict[str, float]:
    terms: defaultdict[str, float] = defaultdict(float)
    for word in content_words(question)[:MOST_WORDS]:
        terms[stem(word)] += 1.0
    for word in content_words(before)[:MOST_WORDS]:
        terms[stem(word)] += EARLIER
    return terms
