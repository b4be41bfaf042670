"""How lessons become passages."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from django.utils import timezone

from apps.courses.models import Course
from apps.courses.services import edit_lesson
from apps.files.queries import CaptionCue
from apps.tutor import services
from apps.tutor.models import Passage
from apps.tutor.retrieval import encoder
from apps.tutor.retrieval.blocks import Block, blocks_of
from apps.tutor.retrieval.splitting import MOST_SENTENCE_WORDS, split_captions, split_text
from apps.tutor.services.indexing import index_course
from studyplatform.kit.models import Job
from studyplatform.kit.text import content
from tests.tutor.vectors import compute_vectors

pytestmark = [pytest.mark.database, pytest.mark.edits_in_place]


def test_vectors_are_those_of_the_published_model():
    """The similarities that https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2 shows for these sentences."""
    vectors = compute_vectors(["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."])
    wanted = [[1.0, 0.6660, 0.1046], [0.6660, 1.0, 0.1411], [0.1046, 0.1411, 1.0]]
    assert np.abs(vectors @ vectors.T - np.array(wanted)).max() < 0.001


def test_a_text_has_the_same_vector_alone_and_in_a_batch():
    texts = ["A river bends.", "word " * 400, "", "Where it meets the sea, it builds new land."]
    together = compute_vectors(texts)
    alone = np.concatenate([compute_vectors([text]) for text in texts])
    assert np.abs(together - alone).max() < 1e-4


def test_blocks_are_what_people_read():
    html = content.render(
        "Before *it*.\n\n# Bends\n\n- One `x`\n- Two $x^2$\n\n| a | b |\n|---|---|\n| 1 | 2 |\n", content.LESSON
    )
    assert blocks_of(html)[:2] == [Block("", "Before it."), Block("Bends", "One x")]
    assert blocks_of(html)[-1] == Block("Bends", "1, 2")


def test_passages_are_whole_sentences_under_one_heading():
    blocks = [Block("A", "One two three. " * 40), Block("B", "Four."), Block("B", "long " * 400)]
    pieces = list(split_text(blocks))
    assert all(piece.text.endswith(".") for piece in pieces if piece.heading == "A")
    assert next(piece.text for piece in pieces if piece.heading == "B") == "Four."
    assert max(len(piece.text.split()) for piece in pieces) <= MOST_SENTENCE_WORDS
    assert " ".join(piece.text for piece in pieces).split() == " ".join(block.text for block in blocks).split()


def test_captions_keep_their_seconds_and_chapters_begin_passages():
    cues = [CaptionCue(float(at), at + 1.0, f"cue {at} has five words.") for at in range(0, 60, 2)]
    pieces = list(split_captions(cues, [(0.0, "First"), (30.0, "Second")]))
    assert pieces[0].second == 0.0
    assert 30.0 in [piece.second for piece in pieces]
    assert {piece.heading for piece in pieces} == {"First", "Second"}
    assert sum(len(piece.text.split()) for piece in pieces) == 30 * 5


@pytest.mark.django_db
def test_passages_that_did_not_change_keep_their_vectors(rivers, course, monkeypatch):
    before = {(row.lesson_id, row.text): bytes(row.vector) for row in Passage.objects.all()}
    encoded: list[str] = []

    def encode(texts):
        encoded.extend(texts)
        return np.ones((len(texts), 384), np.float32)

    monkeypatch.setattr(encoder, "encode", encode)
    rivers["deltas"].body = "A delta is new land."
    rivers["deltas"].save()
    index_course(course_id=course.pk, now=timezone.now())
    assert len(encoded) == 1
    after = {(row.lesson_id, row.text): bytes(row.vector) for row in Passage.objects.all()}
    assert all(after[key] == vector for key, vector in before.items() if key in after)
    assert any("new land" in text for _lesson, text in after)
    index_course(course_id=course.pk, now=timezone.now())
    assert len(encoded) == 1


@pytest.mark.django_db
def test_passages_end_with_their_lesson(rivers, course):
    rivers["deltas"].delete()
    assert not Passage.objects.filter(text__contains="delta").exists()
    assert index_course(course_id=0, now=timezone.now()) == 0


@pytest.mark.django_db
def test_changes_of_one_period_share_a_job_that_starts_after_them(course):
    start = datetime(2026, 3, 20, 12, 0, 1, tzinfo=UTC)
    for second in (0, 5, 28):
        services.index_course_later(course_id=course.pk, now=start + timedelta(seconds=second))
    services.index_course_later(course_id=course.pk, now=start + timedelta(seconds=31))
    assert Job.objects.filter(kind="tutor.index_course").count() == 2


@pytest.mark.django_db(transaction=True)
def test_an_edited_lesson_is_indexed_and_a_draft_is_not(course: Course, ada):
    lesson = course.lessons.first()
    texts = {"title": "Bends", "summary": "", "body": "Rivers bend.", "is_preview": False}
    for status, count in (("draft", 0), ("published", 1)):
        published = timezone.now() if count else None
        Course.objects.filter(pk=course.pk).update(status=status, published_at=published)
        edit_lesson(lesson=lesson, by=ada, **texts, now=timezone.now())
        assert Job.objects.filter(kind="tutor.index_course").count() == count
    Course.objects.filter(pk=course.pk).update(published_at=timezone.now())
    Job.objects.all().delete()
    assert services.index_published(now=timezone.now()) == 1
