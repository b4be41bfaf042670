"""Attached files and helpful answers of the forum as passages."""

import io
import zlib

import pytest
from django.utils import timezone
from reportlab.pdfgen.canvas import Canvas

from apps.courses.models import Lesson
from apps.files import pdf_text
from apps.files.models import Upload
from apps.files.services import import_file, read_document
from apps.forum.models import Board, Post, PostState, Topic
from apps.forum.services import accept, vote
from apps.tutor.models import Passage
from apps.tutor.retrieval import index
from apps.tutor.retrieval.search import scope_of, search
from apps.tutor.services.indexing import index_course
from studyplatform.kit.models import Job
from tests.factories.courses import LessonFactory
from tests.factories.learning import EnrollmentFactory
from tests.factories.topics import BoardFactory, make_post, make_topic

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture(autouse=True)
def fresh_index(monkeypatch):
    monkeypatch.setattr(index, "_kept", index._Kept())
    monkeypatch.setattr(index, "REST", 0.0)


def pdf(*pages: str) -> bytes:
    out = io.BytesIO()
    canvas = Canvas(out)
    for text in pages:
        canvas.drawString(50, 700, text)
        canvas.showPage()
    canvas.save()
    return out.getvalue()


@pytest.fixture
def handout(course, ada, own_folders):
    """A file lesson with these bytes under this name."""

    def make(name: str, raw: bytes) -> Lesson:
        path = own_folders / name
        path.write_bytes(raw)
        upload = import_file(owner=ada, path=path, now=timezone.now())
        section = course.lessons.first().section
        return LessonFactory(section=section, course=course, kind="file", position=20, slug="sheet", file=upload)

    return make


@pytest.mark.parametrize(
    ("name", "raw"),
    [
        ("sheet.pdf", pdf("Beavers build dams.", "A lodge has its door under water.")),
        ("sheet.txt", b"Beavers build dams.\n\nA lodge has its door under water."),
        ("sheet.md", b"# Beavers\n\nThey build dams.\n\n# Lodges\n\nA lodge has its **door** under water."),
    ],
    ids=["pdf", "text", "markdown"],
)
def test_what_a_file_says_is_found(handout, course, leo, enrollment, name, raw):
    lesson = handout(name, raw)
    index_course(course_id=course.pk, now=timezone.now())
    found = search("Where is the door of a beaver's lodge?", scope_of(leo))[0]
    assert found.passage.lesson == lesson
    assert found.passage.kind == Passage.Kind.DOCUMENT
    assert "door under water" in found.text
    if name.endswith(".pdf"):
        assert "Page 2" in [part.heading for part in found.parts]


@pytest.mark.parametrize(
    ("name", "raw"),
    [
        ("b.pdf", b"%PDF-1.7 and nothing else"),
        ("c.pdf", pdf("Whole")[:300]),
        ("d.zip", b"PK\x03\x04"),
        ("f.md", b"[" * 20_000),
    ],
    ids=["damaged", "cut", "other", "nested"],
)
def test_files_that_say_nothing_are_no_error(handout, course, name, raw):
    handout(name, raw)
    index_course(course_id=course.pk, now=timezone.now())
    assert not Passage.objects.filter(kind="document", text__contains="Whole").exists()


def test_a_small_pdf_that_decodes_to_gigabytes_is_given_up(monkeypatch):
    monkeypatch.setattr(pdf_text, "TIMEOUT", 5)
    squeezer = zlib.compressobj(9)
    block = b"(x) Tj " * 150_000
    stream = b"".join([squeezer.compress(b"BT "), *(squeezer.compress(block) for _ in range(100)), squeezer.flush()])
    parts = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] /Contents 4 0 R >>",
        b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(stream), stream),
    ]
    body = b"%PDF-1.4\n" + b"".join(b"%d 0 obj\n%s\nendobj\n" % one for one in enumerate(parts, start=1))
    raw = body + b"trailer << /Root 1 0 R /Size 5 >>\n%%EOF"
    assert len(raw) < 2_000_000
    try:
        pages = pdf_text.pages_of(raw)
    except pdf_text.UnreadablePdf:
        pages = []
    assert sum(map(len, pages)) <= pdf_text.MAX_CHARACTERS


def test_what_the_virus_scan_holds_back_is_not_read(handout, course):
    lesson = handout("sheet.txt", b"Beavers build dams.")
    Upload.objects.update(scan=Upload.Scan.INFECTED)
    lesson.file.refresh_from_db()
    assert read_document(lesson.file, "sheet.txt") == []
    index_course(course_id=course.pk, now=timezone.now())
    assert not Passage.objects.filter(kind="document").exists()


@pytest.fixture
def answer(rivers, course) -> Post:
    """An answer to a question about a lesson."""
    board: Board = BoardFactory(course=course)
    topic: Topic = make_topic(board=board, lesson=rivers["meanders"], title="Do otters change the river?")
    return make_post(topic, source="Otters do not, but beavers flood whole valleys.")


def answers(user) -> list[str]:
    found = search("Do otters or beavers flood valleys?", scope_of(user))
    return [one.text for one in found if one.passage.kind == Passage.Kind.ANSWER]


def test_an_answer_is_found_once_it_was_accepted_or_has_votes(answer, course, leo, enrollment, mia):
    for count in range(3):
        index_course(course_id=course.pk, now=timezone.now())
        assert bool(answers(leo)) is (count == 2)
        vote(post=answer, user=EnrollmentFactory(course=course).user, on=True, now=timezone.now())
    assert answers(mia) == []  # she may not open the lesson
    Post.objects.update(score=0)
    EnrollmentFactory(course=course, user=answer.topic.author)
    accept(post=answer, by=answer.topic.author, now=timezone.now())
    index_course(course_id=course.pk, now=timezone.now())
    assert answers(leo) == ["Otters do not, but beavers flood whole valleys."]


@pytest.mark.parametrize("state", [PostState.HELD, PostState.HIDDEN, PostState.DELETED])
@pytest.mark.parametrize("model", [Post, Topic])
def test_an_answer_that_is_no_longer_shown_is_not_found_from_that_moment(answer, course, leo, enrollment, model, state):
    Post.objects.filter(pk=answer.pk).update(score=5)
    index_course(course_id=course.pk, now=timezone.now())
    assert answers(leo)
    model.objects.filter(pk__in=[answer.pk if model is Post else answer.topic_id]).update(state=state)
    assert answers(leo) == []
    index_course(course_id=course.pk, now=timezone.now())
    assert not Passage.objects.filter(kind="answer").exists()


@pytest.mark.django_db(transaction=True)
def test_a_course_is_indexed_after_its_answers_changed(answer, leo, enrollment):
    Job.objects.all().delete()
    vote(post=answer, user=leo, on=True, now=timezone.now())
    assert Job.objects.filter(kind="tutor.index_course").count() == 1
