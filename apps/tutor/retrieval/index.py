"""All passages in the memory of the process: their vectors, and for each word the passages that contain it.

Words are weighted here and not by the database, so that SQLite and PostgreSQL find the same in the same order. Whether
a user may read a passage is not decided here.
"""

import math
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from threading import Lock

import numpy as np
from django.db.models import Count
from numpy.typing import NDArray

from apps.tutor.models import Passage
from apps.tutor.retrieval import embeddings, encoder
from apps.tutor.retrieval.spelling import correctable
from apps.tutor.retrieval.words import content_words, stem
from studyplatform.kit import jobs
from studyplatform.kit.caching import table_versions

VERSION = "passages"  # see receivers.py
REST = 10.0
"""After it was built, the index is not built again for this many times as long."""
_SATURATION, _LENGTH = 1.2, 0.5  # k1 and b of BM25

_CONTINUING = {
    Passage.Kind.TEXT: 1,
    Passage.Kind.CAPTIONS: 2,
    Passage.Kind.DOCUMENT: 3,
}  # kinds whose passages go on in the next one

_AT_ONCE = 4096

Array = NDArray[np.float32]
_Postings = dict[str, tuple[NDArray[np.int32], Array]]


@dataclass(frozen=True)
class Embedded:
    """``vectors[2]`` is the vector of row ``rows[2]`` of the index, as 16-bit floats: half the memory."""

    rows: NDArray[np.int64]
    vectors: NDArray[np.float16]

    def similarity(self, vector: Array) -> Array:
        """Return for all these rows how similar they are to the vector. It unpacks a part at a time."""
        parts = [
            self.vectors[start : start + _AT_ONCE].astype(np.float32) @ vector
            for start in range(0, len(self.rows), _AT_ONCE)
        ]
        return np.concatenate(parts)


@dataclass(frozen=True)
class Index:
    """Rows of the same number belong together: ``pks[3]`` is the passage of ``vectors[3]``."""

    pks: NDArray[np.int64]
    lessons: NDArray[np.int64]
    courses: NDArray[np.int64]
    is_explanation: NDArray[np.bool_]
    is_announcement: NDArray[np.bool_]
    """Summaries of lessons whose text is here, too: they name the subject, and the text has the answer."""
    vectors: Array
    neighbors: tuple[NDArray[np.int64], NDArray[np.int64]]
    """For each row the row before and after it in the same text or captions; the row itself if there is none."""
    vocabulary: Counter[str] = field(default_factory=Counter)
    """In how many passages each word occurs, as it is written."""
    postings: _Postings = field(default_factory=dict)
    """For each stem the rows that contain it, and its BM25 score in each."""
    weights: dict[str, float] = field(default_factory=dict)
    """The inverse document frequency of each stem."""

    embedded: "Embedded | None" = None
    """Vectors from the embedding address; None if there is no address or it has given none yet."""
    unembedded: frozenset[int] = frozenset()
    """The courses that have passages without such a vector."""

    def __len__(self) -> int:
        return len(self.pks)

    @cached_property
    def correctable(self) -> list[str]:
        """The words to which misspelled ones are corrected."""
        return correctable(self.vocabulary)

    def weight_of(self, one: str) -> float:
        """Return how much a stem says: the rarer, the more. Unknown ones say the most."""
        return self.weights.get(one, math.log(1 + 2 * (len(self) + 0.5)))

    def score_words(self, terms: dict[str, float]) -> tuple[Array, Array]:
        """Return for all rows the BM25 score, and which part of the question's words (by weight) the row contains."""
        scores, covered = np.zeros(len(self), np.float32), np.zeros(len(self), np.float32)
        total = sum(share * self.weight_of(one) for one, share in terms.items()) or 1.0
        for one, share in terms.items():
            rows, values = self.postings.get(one, (None, None))
            if rows is not None and values is not None:
                scores[rows] += share * values
                covered[rows] += share * self.weight_of(one) / total
        return scores, covered


def build() -> Index:
    """Read all passages. Two queries, two more with an embedding address."""
    fields = ("pk", "lesson_id", "kind", "heading", "lesson__title", "text", "vector", "encoder", "course_id")
    rows = list(Passage.objects.order_by("lesson_id", "position").values_list(*fields))
    lessons = np.array([row[1] for row in rows], np.int64)
    kinds = [row[2] for row in rows]
    continuing = np.array([_CONTINUING.get(kind, 0) for kind in kinds], np.int64)
    is_summary = np.array([kind == Passage.Kind.SUMMARY for kind in kinds], np.bool_)
    index = Index(
        pks=np.array([row[0] for row in rows], np.int64),
        lessons=lessons,
        courses=np.array([row[8] for row in rows], np.int64),
        is_explanation=np.array([kind == Passage.Kind.EXPLANATION for kind in kinds], np.bool_),
        is_announcement=is_summary & np.isin(lessons, lessons[continuing > 0]),
        vectors=np.zeros((len(rows), encoder.SIZE), np.float32),
        neighbors=_neighbors(lessons, continuing),
    )
    if embeddings.is_used():
        embedded, unembedded = _embedded(index.pks)
        index = replace(index, embedded=embedded, unembedded=unembedded)
    counts: dict[str, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    lengths = np.zeros(len(rows), np.float32)
    for place, (_pk, _lesson, _kind, heading, title, text, vector, model, _course) in enumerate(rows):
        if vector is not None and model == encoder.NAME:
            index.vectors[place] = np.frombuffer(vector, np.float16)
        words = content_words(f"{title} {heading} {text}")
        index.vocabulary.update(set(words))
        lengths[place] = len(words)
        for one, count in Counter(map(stem, words)).items():
            places, numbers = counts[one]
            places.append(place)
            numbers.append(count)
    mean = float(lengths.mean()) if len(rows) else 1.0
    for one, (places, numbers) in counts.items():
        index.weights[one] = idf = math.log(1 + (len(rows) - len(places) + 0.5) / (len(places) + 0.5))
        at, often = np.array(places, np.int32), np.array(numbers, np.float32)
        damping = _SATURATION * (1 - _LENGTH + _LENGTH * lengths[at] / mean)
        index.postings[one] = (at, (idf * often * (_SATURATION + 1) / (often + damping)).astype(np.float32))
    return index


def _embedded(pks: NDArray[np.int64]) -> tuple[Embedded | None, frozenset[int]]:
    """The vectors of the present model, of the size that most have, and the courses that lack some."""
    sizes: Counter[str] = Counter()
    groups = Passage.objects.order_by().values_list("embedded_by", "course_id").annotate(count=Count("pk"))
    found = list(groups)
    prefix = embeddings.name_of(0)[:-1]
    for name, _course, count in found:
        if name.startswith(prefix) and name.removeprefix(prefix).isdecimal():
            sizes[name] += count
    best = max(sizes, key=lambda name: (sizes[name], name), default="")
    lacking = frozenset(course for name, course, _count in found if not best or name != best)
    if not best:
        return None, lacking
    size = int(best.removeprefix(prefix))
    place_of = {int(pk): place for place, pk in enumerate(pks)}
    rows, vectors = [], []
    for pk, packed in Passage.objects.filter(embedded_by=best).values_list("pk", "embedding").iterator():
        if pk in place_of and packed is not None and len(packed) == 2 * size:
            rows.append(place_of[pk])
            vectors.append(np.frombuffer(packed, np.float16))
    if not rows:
        return None, lacking
    return Embedded(np.array(rows, np.int64), np.array(vectors)), lacking


def embedded_text(passage: Passage) -> str:
    """Return what the vectors of a passage stand for; its lesson is read, too."""
    return f"{passage.lesson.title}. {passage.heading}. {passage.text}"


def _neighbors(
    lessons: NDArray[np.int64], continuing: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    places = np.arange(len(lessons))
    goes_on = (lessons[1:] == lessons[:-1]) & (continuing[1:] == continuing[:-1]) & (continuing[1:] > 0)
    before, after = places.copy(), places.copy()
    before[1:][goes_on] -= 1
    after[:-1][goes_on] += 1
    return before, after


class _Kept:
    """The index of this process, built again when passages have changed."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._index: Index | None = None
        self._version: str | None = None
        self._rests_until = 0.0

    @property
    def version(self) -> str | None:
        """Of the passages in the index; None if there is no index yet."""
        return self._version

    def get(self) -> Index:
        version, is_new = table_versions.current(VERSION), False
        with self._lock:
            is_stale = version is None or version != self._version
            if self._index is None or (is_stale and time.monotonic() >= self._rests_until):
                start = time.monotonic()
                self._index, self._version = build(), version
                is_new = True
                end = time.monotonic()
                self._rests_until = end + REST * (end - start)
            known = self._index
        if is_new:  # after the lock: a job may search
            for course_id in known.unembedded:
                jobs.enqueue("tutor.embed_course", key=str(course_id), priority=-6, course_id=course_id)
        return known


_kept = _Kept()


def current() -> Index:
    """Return the index. It may lag behind the tables by ten times what it takes to build it."""
    return _kept.get()


def built_for() -> str | None:
    """Return the version of the passages for which the index was built. Ask before ``current``, to be never ahead."""
    return _kept.version


def pack(vectors: Array) -> Sequence[bytes]:
    """Return the rows of an array as they are stored in ``Passage.vector``."""
    return [row.tobytes() for row in vectors.astype(np.float16)]
