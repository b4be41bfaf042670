"""Vectors from an address, against a stand-in that fails in every way."""

import logging
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from django.core.cache import cache
from django.utils import timezone

from apps.courses.models import Lesson
from apps.tutor.models import Passage
from apps.tutor.retrieval import embeddings, index
from apps.tutor.retrieval.search import scope_of, search
from apps.tutor.services.embedding import embed_course
from apps.tutor.services.indexing import index_course
from studyplatform.kit.jobs import Postpone
from studyplatform.kit.models import Job
from tests.tutor.embedding_standin import BROKEN, EmbeddingStandin, vector_of

pytestmark = pytest.mark.database


@pytest.fixture(scope="module")
def running() -> Iterator[EmbeddingStandin]:
    with EmbeddingStandin().serving() as standin:
        assert isinstance(standin, EmbeddingStandin)
        yield standin


@pytest.fixture
def address(
    running: EmbeddingStandin, settings: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> Iterator[EmbeddingStandin]:
    caplog.set_level(logging.CRITICAL)
    running.reset()
    cache.clear()
    embeddings.forget_questions()
    monkeypatch.setattr(embeddings, "PAUSE", 0.0)
    monkeypatch.setattr(index, "REST", 0.0)
    settings.TUTOR_EMBEDDINGS_URL, settings.TUTOR_EMBEDDINGS_KEY = running.address, "sk-vectors"
    settings.TUTOR_EMBEDDINGS_MODEL = "words"
    yield running
    cache.clear()
    embeddings.forget_questions()


def test_vectors_come_in_the_order_of_the_texts_and_have_length_one(address):
    vectors = embeddings.embed_passages(["A river bends.", "New land"])
    wanted = np.array([vector_of(text, 64) for text in ("A river bends.", "New land")])
    assert np.abs(vectors - wanted / np.linalg.norm(wanted, axis=1, keepdims=True)).max() < 1e-5
    assert address.keys == ["Bearer sk-vectors"]
    assert address.requests == [{"model": "words", "input": ["A river bends.", "New land"]}]


@pytest.mark.parametrize("behavior", ["500", "429", "drop", "html", "deep", "endless line", *sorted(BROKEN)])
def test_what_is_no_embedding_is_refused(address, behavior):
    address.behavior = behavior
    with pytest.raises(embeddings.EmbeddingFailed):
        embeddings.embed_passages(["one", "two"])
    assert len(address.requests) <= embeddings.TRIES


@pytest.mark.parametrize("behavior", ["401", "404", "redirect"])
def test_what_would_fail_again_is_not_repeated(address, behavior):
    address.behavior = behavior
    with pytest.raises(embeddings.EmbeddingFailed):
        embeddings.embed_passages(["one"])
    assert len(address.requests) == 1


def test_a_batch_that_failed_is_sent_again(address):
    address.behaviors = ["503", "drop", "answer"]
    assert embeddings.embed_passages(["one"]).shape == (1, 64)


@pytest.mark.parametrize("text", [b"", b"[]", b"{}", b'{"data": 1}', b'{"data": [{}]}', b"[" * 100_000, b"\xff"])
def test_an_answer_that_is_none_is_refused(text):
    with pytest.raises(embeddings.EmbeddingFailed):
        embeddings.read_vectors(text, 1)


def embed(rivers: dict[str, Lesson]) -> int:
    return embed_course(course_id=rivers["deltas"].course_id)


@pytest.mark.django_db
def test_passages_are_embedded_once_and_questions_find_more(rivers, leo, enrollment, address):
    count = Passage.objects.count()
    assert embed(rivers) == count
    assert embed(rivers) == 0
    assert set(Passage.objects.values_list("embedded_by", flat=True)) == {"words 64"}
    address.requests.clear()
    found = search("Why does a watercourse have curves?", scope_of(leo))
    assert address.texts == ["Why does a watercourse have curves?"]
    assert found[0].passage.lesson.slug == "meanders"
    search("Why does a watercourse have curves?", scope_of(leo))
    assert len(address.requests) == 1  # its vector is kept


@pytest.mark.django_db
def test_whether_a_question_is_answered_is_decided_without_the_address(rivers, leo, enrollment, address):
    question = "Why does a watercourse have curves?"
    (alone, *_) = search(question, scope_of(leo))
    embed(rivers)
    (mixed, *_) = search(question, scope_of(leo))
    assert mixed.score != pytest.approx(alone.score)
    assert mixed.reached == pytest.approx(alone.reached)


@pytest.mark.django_db
@pytest.mark.parametrize("behavior", ["silent", "500", "drop", "zeros", "401"])
def test_a_question_is_answered_whatever_the_address_does(rivers, leo, enrollment, address, behavior, monkeypatch):
    embed(rivers)
    monkeypatch.setattr(embeddings, "QUESTION_TIME", 0.3)
    address.behavior = behavior
    start = time.monotonic()
    for number in range(6):
        assert search(f"Why does a river bend {number}?", scope_of(leo))[0].passage.lesson.slug == "meanders"
    assert time.monotonic() - start < 60
    assert len(address.requests) - 1 < 6  # it is left alone after some failures


@pytest.mark.django_db
def test_a_failing_address_is_tried_again_later_and_keeps_what_it_gave(rivers, address, monkeypatch):
    monkeypatch.setattr("apps.tutor.services.embedding.AT_ONCE", 2)
    address.behaviors = ["answer", "401"]
    with pytest.raises(Postpone):
        embed(rivers)
    assert Passage.objects.exclude(embedded_by="").count() == 2
    address.requests.clear()
    assert embed(rivers) == Passage.objects.count() - 2
    assert len(address.texts) == Passage.objects.count() - 2


@pytest.mark.django_db
def test_another_model_or_size_embeds_everything_again_and_questions_go_on(
    rivers, leo, enrollment, address, settings, monkeypatch
):
    monkeypatch.setattr("apps.tutor.services.embedding.AT_ONCE", 2)
    embed(rivers)
    settings.TUTOR_EMBEDDINGS_MODEL = "better"
    address.requests.clear()
    known = index.build()
    assert known.embedded is None
    assert known.unembedded == {rivers["deltas"].course_id}
    assert search("Why does a river bend?", scope_of(leo))
    assert embed(rivers) == Passage.objects.count()
    address.size = 32  # under the same name
    rivers["deltas"].body = "A delta is new land."
    rivers["deltas"].save()
    index_course(course_id=rivers["deltas"].course_id, now=timezone.now())
    assert search("Why does a river bend?", scope_of(leo))
    assert embed(rivers) == Passage.objects.count()
    assert set(Passage.objects.values_list("embedded_by", flat=True)) == {"better 32"}
    assert search("Why does a river bend?", scope_of(leo))


@pytest.mark.django_db
def test_passages_that_did_not_change_keep_their_embeddings(rivers, address):
    embed(rivers)
    address.requests.clear()
    rivers["deltas"].body = "A delta is new land."
    rivers["deltas"].save()
    index_course(course_id=rivers["deltas"].course_id, now=timezone.now())
    assert Job.objects.filter(kind="tutor.embed_course").count() == 1
    assert embed(rivers) == 1
    assert len(address.texts) == 1


@pytest.mark.django_db
def test_a_question_has_passages_embedded_that_are_not_yet(rivers, leo, enrollment, address):
    assert search("Why does a river bend?", scope_of(leo))
    search("Where does mud build land?", scope_of(leo))
    assert Job.objects.filter(kind="tutor.embed_course", key=str(rivers["deltas"].course_id)).count() == 1


@pytest.mark.django_db
def test_without_an_address_nothing_is_sent(rivers, leo, enrollment, address, settings):
    settings.TUTOR_EMBEDDINGS_URL = ""
    assert embed(rivers) == 0
    assert search("Why does a river bend?", scope_of(leo))
    assert not address.requests
    assert not Job.objects.filter(kind="tutor.embed_course").exists()


@pytest.mark.django_db
def test_the_similarity_of_many_passages_is_that_of_each(monkeypatch):
    monkeypatch.setattr(index, "_AT_ONCE", 3)
    vectors = np.random.default_rng(1).standard_normal((10, 16)).astype(np.float16)
    one = vectors[4].astype(np.float32)
    found = index.Embedded(np.arange(10), vectors).similarity(one)
    assert np.allclose(found, vectors.astype(np.float32) @ one, atol=1e-3)
