"""Search lessons, and the words spoken in videos, for the catalog: by words alone, without the language model."""

import numpy as np

from apps.accounts.policies import AnyUser
from apps.courses.models import Course
from apps.learning.queries.addresses import course_url, lesson_url
from apps.learning.queries.openable import openable_lessons
from apps.tutor.models import Passage
from apps.tutor.retrieval import index
from apps.tutor.retrieval.spelling import correct
from apps.tutor.retrieval.words import content_words, stem
from studyplatform.kit.caching.page_cache import depends_on
from studyplatform.kit.extensions import LessonHit

SHOWN = 5
LOOKED_AT = 60
"""Passages that are read: some lie in courses that are not published, several in the same lesson."""
MOST_TEXT, MOST_WORDS = 200, 8  # characters of a hit and words of a search text
_KINDS = (Passage.Kind.SUMMARY, Passage.Kind.TEXT, Passage.Kind.CAPTIONS, Passage.Kind.DOCUMENT)


def lessons_with(user: AnyUser, text: str) -> list[LessonHit]:
    """Return the lessons of published courses with a passage that contains all words of the text, the best first.

    Only those who may open the lesson see a passage's text and second. At most seven queries, and two
    more if passages have changed. A page with them is cached until the index is another one.
    """
    depends_on(index.VERSION, index.built_for())
    known = index.current()
    if not len(known):
        return []
    words = content_words(correct(text[:MOST_TEXT], known.vocabulary, is_word=lambda word: False))[:MOST_WORDS]
    stems = {stem(word): 1.0 for word in words}
    if not stems or not all(one in known.postings for one in stems):
        return []
    scores, covered = known.score_words(stems)
    scores[covered < 0.999] = 0  # all words, up to rounding
    best = [int(place) for place in np.argsort(-scores, kind="stable")[:LOOKED_AT] if scores[place] > 0]
    if not best:
        return []
    passages = Passage.objects.filter(kind__in=_KINDS, course__in=Course.objects.published())
    rows = passages.select_related("lesson", "course").in_bulk([int(known.pks[place]) for place in best])
    opened = openable_lessons(user)
    found: dict[int, LessonHit] = {}
    for place in best:
        passage = rows.get(int(known.pks[place]))
        if passage is not None and passage.lesson_id not in found and len(found) < SHOWN:
            found[passage.lesson_id] = _hit(passage, set(stems), is_open=passage.lesson_id in opened)
    return list(found.values())


def _hit(passage: Passage, stems: set[str], *, is_open: bool) -> LessonHit:
    lesson, course = passage.lesson, passage.course
    if not is_open:
        return LessonHit(title=lesson.title, course=course.title, path=course_url(course.slug))
    second = int(passage.second) if passage.second is not None else None
    path = lesson_url(course.slug, lesson.slug, at=second)
    return LessonHit(
        title=lesson.title, course=course.title, path=path, text=_around(passage.text, stems), second=second
    )


def _around(text: str, stems: set[str]) -> str:
    """The part of a passage that begins shortly before the first of the words."""
    words = text.split()
    at = next((n for n, word in enumerate(words) if stems & set(map(stem, content_words(word)))), 0)
    start = max(0, at - 6) if len(text) > MOST_TEXT else 0
    shown = " ".join(words[start:])
    cut = shown[:MOST_TEXT].rsplit(" ", 1)[0] + "…" if len(shown) > MOST_TEXT else shown
    return "…" + cut if start else cut
