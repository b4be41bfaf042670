"""Keep the passages of courses up to date with their lessons."""

import hashlib
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import NamedTuple

from django.db import transaction

from apps.courses.models import Course, Lesson, Question
from apps.files.models import CaptionTrack
from apps.files.queries import caption_cues
from apps.tutor.models import IndexedCourse, Passage
from apps.tutor.retrieval import encoder, index
from apps.tutor.retrieval.blocks import Block, blocks_of
from apps.tutor.retrieval.splitting import Piece, split_captions, split_text
from studyplatform.kit.text import markdown

AT_ONCE = 64
"""Passages whose vectors are computed and saved together: a worker that is killed repeats at most these."""
_SCHEME = "1"  # change it when lessons are split in another way: all courses are indexed again
Kind = Passage.Kind


class _Source(NamedTuple):
    """A passage as its lesson gives it."""

    kind: str
    piece: Piece
    question_id: int | None = None


def index_course(*, course_id: int, now: datetime, extend_lease: Callable[[], object] = lambda: None) -> int:
    """Split the lessons of a course into passages and compute their vectors. Return how many passages it has.

    Passages whose text didn't change keep their rows. Until a passage has its vector it is found by its words alone.
    """
    course = Course.objects.filter(pk=course_id).first()
    if course is None:
        return 0
    wanted = {lesson: list(_sources(lesson)) for lesson in _lessons(course)}
    fingerprint = _fingerprint(wanted)
    with transaction.atomic():
        known = IndexedCourse.objects.select_for_update().filter(course=course).first()
        if known is None or known.fingerprint != fingerprint:
            for lesson, sources in wanted.items():
                _replace(lesson, sources)
            IndexedCourse.objects.update_or_create(
                course=course, defaults={"fingerprint": fingerprint, "indexed_at": now}
            )
    _encode_missing(course, extend_lease)
    return sum(map(len, wanted.values()))


def _lessons(course: Course) -> list[Lesson]:
    return list(course.lessons.select_related("video").order_by("section__position", "position"))


def _sources(lesson: Lesson) -> Iterator[_Source]:
    if lesson.summary:
        yield _Source(Kind.SUMMARY, Piece("", lesson.summary))
    if lesson.video is not None:
        track = _track(lesson)
        if track is not None:
            chapters = [(float(start), title) for start, title in lesson.chapters]
            for piece in split_captions(caption_cues(track.webvtt), chapters):
                yield _Source(Kind.CAPTIONS, piece)
    for piece in split_text(blocks_of(markdown.render(lesson.body))):
        yield _Source(Kind.TEXT, piece)
    if lesson.kind == Lesson.Kind.QUIZ:
        for question in Question.objects.filter(quiz__lesson=lesson, is_withdrawn=False).order_by("position"):
            if question.explanation:
                yield from _explanation(question)


def _track(lesson: Lesson) -> CaptionTrack | None:
    """The captions in the language of the course, otherwise the first."""
    tracks = list(CaptionTrack.objects.filter(video_id=lesson.video_id).order_by("language"))
    return next((one for one in tracks if one.language.startswith("en")), tracks[0] if tracks else None)


def _explanation(question: Question) -> Iterator[_Source]:
    asked, told = (" ".join(one.text for one in _plain(text)) for text in (question.prompt, question.explanation))
    for piece in split_text([Block(asked[:200], told)]):
        yield _Source(Kind.EXPLANATION, piece, question.pk)


def _plain(text: str) -> list[Block]:
    return blocks_of(markdown.render(text))


def _fingerprint(wanted: dict[Lesson, list[_Source]]) -> str:
    lines = [(lesson.pk, lesson.title, sources) for lesson, sources in wanted.items()]
    return hashlib.sha256(repr((_SCHEME, lines)).encode()).hexdigest()


def _replace(lesson: Lesson, sources: list[_Source]) -> None:
    """Write the passages of a lesson. Vectors of the same text are kept."""
    vectors = {(row.heading, row.text): (row.vector, row.encoder) for row in lesson.passages.exclude(vector=None)}
    lesson.passages.all().delete()
    Passage.objects.bulk_create(
        Passage(
            course_id=lesson.course_id,
            lesson=lesson,
            question_id=source.question_id,
            kind=source.kind,
            position=position,
            heading=source.piece.heading[:200],
            text=source.piece.text,
            second=source.piece.second,
            vector=(found := vectors.get((source.piece.heading[:200], source.piece.text), (None, "")))[0],
            encoder=found[1],
        )
        for position, source in enumerate(sources)
    )


def _encode_missing(course: Course, extend_lease: Callable[[], object]) -> None:
    stale = Passage.objects.filter(course=course).exclude(encoder=encoder.NAME)
    while rows := list(stale.select_related("lesson").order_by("pk")[:AT_ONCE]):
        vectors = encoder.encode([f"{row.lesson.title}. {row.heading}. {row.text}" for row in rows])
        for row, vector in zip(rows, index.pack(vectors), strict=True):
            row.vector, row.encoder = vector, encoder.NAME
        Passage.objects.bulk_update(rows, ["vector", "encoder"])
        extend_lease()
