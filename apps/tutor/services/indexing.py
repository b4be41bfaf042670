"""Keep the passages of courses up to date with their lessons."""

import hashlib
import re
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from django.db import transaction
from django.db.models.functions import Length
from django.utils.translation import gettext as _

from apps.courses.models import Course, Lesson, Question
from apps.files import policies
from apps.files.models import CaptionTrack, Upload
from apps.files.queries import caption_cues
from apps.files.services import DocumentPart, read_document
from apps.tutor.models import IndexedCourse, Passage
from apps.tutor.retrieval import embeddings, encoder, index
from apps.tutor.retrieval.blocks import Block, blocks_of
from apps.tutor.retrieval.splitting import Piece, split_captions, split_text
from studyplatform.kit import extensions, jobs
from studyplatform.kit.text import content

AT_ONCE = 32
"""Passages whose vectors are computed and saved together: a worker that is killed repeats at most these."""
MOST_OF_DOCUMENT, MOST_ANSWERS, MOST_OF_ANSWER = 1000, 500, 6
"""Passages of a file, answers of a course, and passages of an answer that are searched."""
_VECTORS = ("vector", "encoder", "embedding", "embedded_by")
_PARAGRAPHS = re.compile(r"\n\s*\n")
_SCHEME = "3"  # change it when lessons are split in another way: all courses are indexed again
Kind = Passage.Kind


class _Source(NamedTuple):
    """A passage as its lesson gives it."""

    kind: str
    piece: Piece
    question_id: int | None = None
    answer: int | None = None


def index_course(*, course_id: int, now: datetime, extend_lease: Callable[[], object] = lambda: None) -> int:
    """Split the lessons of a course into passages and compute their vectors. Return how many passages it has.

    Passages whose text didn't change keep their rows. Until a passage has its vector it is found by its words alone.
    """
    course = Course.objects.filter(pk=course_id).first()
    if course is None:
        return 0
    answers = _answers(course)
    wanted = {}
    for lesson in _lessons(course):
        wanted[lesson] = [*_sources(lesson), *_documents(lesson), *answers.get(lesson.pk, [])]
        extend_lease()
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
    if embeddings.is_used():
        jobs.enqueue("tutor.embed_course", key=str(course.pk), priority=-6, course_id=course.pk)
    return sum(map(len, wanted.values()))


def _lessons(course: Course) -> list[Lesson]:
    return list(course.lessons.select_related("video", "file").order_by("section__position", "position"))


def _sources(lesson: Lesson) -> Iterator[_Source]:
    if lesson.summary and lesson.kind != Lesson.Kind.QUIZ:  # it says what is asked, not what is taught
        yield _Source(Kind.SUMMARY, Piece("", lesson.summary))
    if lesson.video is not None:
        track = _track(lesson)
        if track is not None:
            chapters = [(float(start), title) for start, title in lesson.chapters]
            for piece in split_captions(caption_cues(track.webvtt), chapters):
                yield _Source(Kind.CAPTIONS, piece)
    for piece in split_text(blocks_of(content.render(lesson.body, content.LESSON))):
        yield _Source(Kind.TEXT, piece)
    if lesson.kind == Lesson.Kind.QUIZ:
        for question in Question.objects.filter(quiz__lesson=lesson, is_withdrawn=False).order_by("position"):
            if question.explanation:
                yield from _explanation(question)


@lru_cache(maxsize=64)
def _parts(upload_pk: int, name: str, hour: int) -> tuple[DocumentPart, ...]:
    """What an uploaded file says. Its bytes never change: a course that is edited reads them once an hour, in which
    also a file that can't be read costs its time only once."""
    upload = Upload.objects.filter(pk=upload_pk).first()
    return tuple(read_document(upload, name)) if upload is not None else ()


def _documents(lesson: Lesson) -> Iterator[_Source]:
    if lesson.kind != Lesson.Kind.FILE or lesson.file is None:
        return
    if policies.hand_out(lesson.file) is not None:
        return  # the virus scan waits, or found something
    blocks = []
    for part in _parts(lesson.file.pk, lesson.shown_file_name, int(time.time() // 3600)):
        if part.html:
            blocks += blocks_of(part.html)
        else:
            heading = _("Page %(num)d") % {"num": part.page} if part.page else ""
            blocks += [Block(heading, " ".join(one.split())) for one in _PARAGRAPHS.split(part.text) if one.strip()]
    for piece in islice(split_text(blocks), MOST_OF_DOCUMENT):
        yield _Source(Kind.DOCUMENT, piece)


def _answers(course: Course) -> dict[int, list[_Source]]:
    """The helpful answers of the forum, by lesson; the best :data:`MOST_ANSWERS`."""
    found = defaultdict[int, list[_Source]](list)
    for source in extensions.answers.ordered():
        for one in islice(source.of_course(course.pk), MOST_ANSWERS):
            blocks = [Block(one.question, block.text) for block in blocks_of(one.html)]
            for piece in islice(split_text(blocks), MOST_OF_ANSWER):
                found[one.lesson].append(_Source(Kind.ANSWER, piece, answer=one.key))
    return found


def _track(lesson: Lesson) -> CaptionTrack | None:
    """The captions in the language of the course, otherwise the first."""
    tracks = list(CaptionTrack.objects.filter(video_id=lesson.video_id).order_by("language"))
    return next((one for one in tracks if one.language.startswith("en")), tracks[0] if tracks else None)


def _explanation(question: Question) -> Iterator[_Source]:
    asked, told = (
        " ".join(one.text for one in _blocks(text, place))
        for text, place in ((question.prompt, content.PROMPT), (question.explanation, content.EXPLANATION))
    )
    for piece in split_text([Block(asked[:200], told)]):
        yield _Source(Kind.EXPLANATION, piece, question.pk)


def _blocks(text: str, place: content.Place) -> list[Block]:
    return blocks_of(content.render(text, place))


def _fingerprint(wanted: dict[Lesson, list[_Source]]) -> str:
    lines = [(lesson.pk, lesson.title, sources) for lesson, sources in wanted.items()]
    return hashlib.sha256(repr((_SCHEME, lines)).encode()).hexdigest()


def _replace(lesson: Lesson, sources: list[_Source]) -> None:
    """Write the passages of a lesson. Vectors of the same text are kept."""
    vectors = {
        (row.heading, row.text): {name: getattr(row, name) for name in _VECTORS}
        for row in lesson.passages.exclude(vector=None, embedding=None)
    }
    lesson.passages.all().delete()
    Passage.objects.bulk_create(
        Passage(
            course_id=lesson.course_id,
            lesson=lesson,
            question_id=source.question_id,
            answer=source.answer,
            kind=source.kind,
            position=position,
            heading=source.piece.heading[:200],
            text=source.piece.text,
            second=source.piece.second,
            **vectors.get((source.piece.heading[:200], source.piece.text), {}),
        )
        for position, source in enumerate(sources)
    )


def _encode_missing(course: Course, extend_lease: Callable[[], object]) -> None:
    stale = Passage.objects.filter(course=course).exclude(encoder=encoder.NAME)
    # Those of similar length together: the longest of a batch decides what it costs.
    while rows := list(stale.select_related("lesson").order_by(Length("text"), "pk")[:AT_ONCE]):
        extend_lease()
        vectors = encoder.encode([index.embedded_text(row) for row in rows])
        for row, vector in zip(rows, index.pack(vectors), strict=True):
            row.vector, row.encoder = vector, encoder.NAME
        Passage.objects.bulk_update(rows, ["vector", "encoder"])
