"""What a hostile learner or instructor tries: floods, texts that nobody sees, what others should no longer read."""

import json
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.core.files.storage import default_storage
from django.utils import timezone

from apps.accounts.models import Notification
from apps.courses.models import Course
from apps.learning import services
from apps.learning.errors import CardLimitReached, OwnCourseRated
from apps.learning.models import Enrollment, Note, NotebookDocument, PracticeCard, PracticeReview, Rating
from apps.learning.notes import pdf
from apps.learning.queries import notes as note_queries
from apps.learning.services import notes as notes_service
from apps.learning.services import practice as practice_service
from studyplatform.kit import jobs
from studyplatform.kit.errors import ValidationFailed
from tests.cases import all_cases
from tests.factories.learning import FlashCardFactory, NoteFactory, RatingFactory
from tests.learning.test_notes import copy, edit, listed, put

pytestmark = pytest.mark.django_db


@pytest.fixture
def learner(leo, enrollment, own_folders):
    Enrollment.objects.filter(pk=enrollment.pk).update(percent=20)
    return leo


@pytest.fixture
def rating(learner, course, now) -> Rating:
    return services.rate_course(user=learner, course=course, stars=2, text="Call me: 555 0199", now=now)


def quoted(kind: str) -> list[tuple[Any, Any]]:
    rows = Notification.objects.filter(kind=kind)
    return [(str(row.params.get("stars", "")), row.params["text"]) for row in rows]


# --- Notes -----------------------------------------------------------------------------------------


def test_one_note_cannot_grow_without_end(learner, video_lesson):
    uid = uuid4()
    sizes = [put(learner, video_lesson, copy(edit("x" * 9_999, f"device{n:02}")), uid).status_code for n in range(2)]
    texts = [f"{n} " + "y" * 9_900 for n in range(4)]
    grown = [put(learner, video_lesson, copy(edit(text, f"laptop{n:02}")), uid) for n, text in enumerate(texts)]

    assert sizes == [200, 200]
    assert [answer.status_code for answer in grown] == [200, 200, 409, 409]
    assert grown[-1].json()["code"] == "NOTE_TOO_MANY_EDITS"


def test_a_note_of_two_devices_can_be_edited_as_one(learner, video_lesson):
    uid = uuid4()
    for n in range(2):
        both = put(learner, video_lesson, copy(edit(f"{n} " + "word " * 1_900, f"device{n:02}")), uid).json()
    joined = copy(edit(both["text"] + "!", "laptop09"), replaced={"device00": 1, "device01": 1})
    assert put(learner, video_lesson, joined, uid).status_code == 200


def test_the_notes_of_a_course_have_a_size(learner, video_lesson, monkeypatch):
    monkeypatch.setattr(notes_service, "MOST_CHARACTERS", 6_000)
    uid = uuid4()
    assert put(learner, video_lesson, copy(edit("a" * 3_000)), uid).status_code == 200
    assert put(learner, video_lesson, copy(edit("b" * 3_001))).json()["code"] == "NOTES_TOO_MANY"
    assert put(learner, video_lesson, copy(edit("a" * 5_000, revision=2)), uid).status_code == 200
    assert put(learner, video_lesson, copy(edit("a" * 6_001, revision=3)), uid).json()["code"] == "NOTES_TOO_MANY"


def test_long_notes_are_rendered_up_to_a_limit(learner, course, video_lesson, browser_of, monkeypatch):
    monkeypatch.setattr(note_queries, "MOST_RENDERED", 40)
    for n in range(3):
        NoteFactory(user=learner, course=course, lesson=video_lesson, second=n, text=f"*Note {n}* <b>\nsecond line")
    html = [note["html"] for note in listed(learner, video_lesson).json()["results"]]
    assert "<em>Note 0</em>" in html[0]
    assert html[1:] == ["", ""]

    page = browser_of(learner).get(f"/me/course/{course.slug}/notes").content.decode()
    assert "<em>Note 0</em>" in page
    assert "<p>*Note 2* &lt;b&gt;<br>second line</p>" in page


def _notes(learner, course, lesson, text, count):
    NoteFactory.create_batch(count, user=learner, course=course, lesson=lesson, second=5, text=text)


def test_a_pdf_that_nobody_reads_is_refused(learner, course, video_lesson, browser_of, monkeypatch):
    monkeypatch.setattr(pdf, "MAX_JOB_MICROSECONDS", 2 * pdf.MAX_REQUEST_MICROSECONDS)
    _notes(learner, course, video_lesson, "a\n" * 5_000, 1)
    answer = browser_of(learner).get(f"/me/course/{course.slug}/notes.pdf")

    assert answer.status_code == 409
    assert "Download them as Markdown" in answer.content.decode()
    assert not NotebookDocument.objects.exists()


def test_a_long_notebook_becomes_a_pdf_in_the_background(
    learner, course, video_lesson, browser_of, monkeypatch, django_capture_on_commit_callbacks
):
    _notes(learner, course, video_lesson, "*Velocity* is `dx/dt`.", 3)
    monkeypatch.setattr(pdf, "MAX_REQUEST_MICROSECONDS", 0)
    browser, address = browser_of(learner), f"/me/course/{course.slug}/notes.pdf"
    for _ in range(2):
        waiting = browser.get(address)
        assert (waiting.status_code, NotebookDocument.objects.count()) == (202, 1)
    assert 'http-equiv="refresh"' in waiting.content.decode()

    jobs.run_pending("default")
    ready = browser.get(address)
    content = b"".join(ready.streaming_content)
    assert ready["Content-Disposition"] == f'attachment; filename="{course.slug}-notes.pdf"'
    assert content.startswith(b"%PDF")
    assert ready.headers["Cache-Control"] == "max-age=0, no-cache, no-store, must-revalidate, private"

    file = NotebookDocument.objects.get().file.name
    _notes(learner, course, video_lesson, "A later note", 1)
    with django_capture_on_commit_callbacks(execute=True):
        assert browser.get(address).status_code == 202  # another document, and the former one goes
    jobs.run_pending("default")
    assert not default_storage.exists(file)

    now = timezone.now()
    services.delete_expired_documents(now=now)
    assert NotebookDocument.objects.exists()
    with django_capture_on_commit_callbacks(execute=True):
        services.delete_expired_documents(now=now + timedelta(days=2))
    assert not NotebookDocument.objects.exists()
    assert default_storage.listdir(f"notebooks/{learner.uid.hex}")[1] == []


def test_a_pdf_that_failed_is_reported_once_and_can_be_tried_again(
    learner, course, video_lesson, browser_of, monkeypatch, settings
):
    _notes(learner, course, video_lesson, "A note", 1)
    monkeypatch.setattr(pdf, "MAX_REQUEST_MICROSECONDS", 0)
    browser, address = browser_of(learner), f"/me/course/{course.slug}/notes.pdf"
    assert browser.get(address).status_code == 202
    services.mark_document_failed(uid=NotebookDocument.objects.get().uid.hex)

    failed = browser.get(address)
    assert failed.status_code == 500
    assert "Try again, or download your notes as Markdown" in failed.content.decode()
    assert browser.get(address).status_code == 202

    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "notes-pdf": (2, 600)}
    _notes(learner, course, video_lesson, "Another", 1)
    codes = []
    for n in range(3):
        _notes(learner, course, video_lesson, f"{n}", 1)
        codes.append(browser.get(address).status_code)
    assert codes[-1] == 429


@all_cases("text", ["```\n```\n", "```python\n```", "` `", "$$\n$$", "> ```\n", "| a |\n|-|\n", "- \n", "#", "![]()"])
def test_empty_elements_are_set(text):
    notes = [Note(text=text, kind="note", lesson_title="Lesson")]
    assert pdf.draw(Course(title="Course", slug="course", language="en"), [notes], writer="Leo").startswith(b"%PDF")


# --- Practice --------------------------------------------------------------------------------------


def test_deleting_and_restoring_makes_no_room_for_more_cards(leo, now, monkeypatch):
    monkeypatch.setattr(practice_service, "MOST_OWN_CARDS", 2)
    cards = FlashCardFactory.create_batch(2, user=leo)
    for card in cards:
        services.delete_card(card=card, now=now)
    for _ in range(2):
        services.add_card(user=leo, front="More", back="cards", now=now)

    with pytest.raises(CardLimitReached):
        services.restore_card(card=cards[0])
    for card in PracticeCard.objects.filter(deleted_at=None):
        services.delete_card(card=card, now=now)
    with pytest.raises(CardLimitReached):  # deleted ones are rows too
        services.add_card(user=leo, front="Once", back="more", now=now)


def test_restoring_a_card_without_room_says_so(leo, now, browser_of, monkeypatch):
    monkeypatch.setattr(practice_service, "MOST_OWN_CARDS", 1)
    card = FlashCardFactory(user=leo)
    services.delete_card(card=card, now=now)
    FlashCardFactory(user=leo)
    answer = browser_of(leo).post(f"/me/practice/cards/{card.uid}/restore")

    assert answer.status_code < 500
    assert PracticeCard.objects.filter(deleted_at=None).count() == 1


def test_one_card_takes_no_endless_reviews(leo, now, monkeypatch):
    monkeypatch.setattr(practice_service, "MOST_REVIEWS", 3)
    card = FlashCardFactory(user=leo)

    def review(turn: int) -> None:
        services.review_card(
            user=leo, card=card, key=uuid4(), turn=turn, rating=1, answer=None, reviewed_at=None, now=now
        )

    for turn in range(3):
        review(turn)
    with pytest.raises(ValidationFailed):
        review(3)
    assert PracticeReview.objects.count() == 3


# --- Reviews ---------------------------------------------------------------------------------------


def test_a_review_that_is_gone_is_not_quoted_to_the_instructor(rating, learner, course, mia, sam, now):
    assert quoted("learning.reviewed") == [("2", "Call me: 555 0199")]
    services.rate_course(user=learner, course=course, stars=3, text="Fine.", now=now)
    assert quoted("learning.reviewed") == [("3", "Fine.")]
    services.delete_rating(user=learner, course=course, now=now)
    assert quoted("learning.reviewed") == [("3", "")]
    services.restore_rating(user=learner, course=course)
    assert quoted("learning.reviewed") == [("3", "Fine.")]

    seen = Rating.objects.get().updated_at.isoformat()
    services.decide_rating(rating=rating, by=sam, kind="hide", seen=seen, reason="", now=now)
    assert quoted("learning.reviewed") == [("3", "")]
    services.rate_course(user=learner, course=course, stars=3, text="Hidden still.", now=now)
    assert quoted("learning.reviewed") == [("3", "")]
    seen = Rating.objects.get().updated_at.isoformat()
    services.decide_rating(rating=rating, by=sam, kind="show", seen=seen, reason="", now=now)
    assert quoted("learning.reviewed") == [("3", "Hidden still.")]


def test_a_reply_that_is_gone_is_not_quoted_to_the_learner(rating, ada, now):
    for text in ("Your address is 5 Elm St.", "Thank you."):
        services.reply_to_rating(rating=rating, by=ada, text=text, now=now)
    assert quoted("learning.review_answered") == [("", "Thank you.")]
    services.reply_to_rating(rating=rating, by=ada, text="", now=now)
    assert quoted("learning.review_answered") == [("", "")]
    services.reply_to_rating(rating=rating, by=ada, text="Thanks!", now=now)
    assert quoted("learning.review_answered") == [("", "Thanks!")]


def test_staff_do_not_vote_for_reviews_of_their_course(rating, ada, sam, course, browser_of, now):
    for user in (ada, sam):
        with pytest.raises(OwnCourseRated):
            services.vote_helpful(rating=rating, user=user, on=True, now=now)
        assert 'aria-pressed="' not in browser_of(user).get(f"/courses/{course.slug}/reviews").content.decode()


def test_learners_delete_their_review_after_they_have_left(rating, learner, course, now, browser_of):
    services.revoke_enrollment(learner, course, now)
    mine, address = browser_of(learner), f"/courses/{course.slug}/reviews"

    assert f'action="{address}/delete"' in mine.get(address).content.decode()
    mine.post(f"{address}/delete")
    assert not Rating.objects.shown().exists()
    assert f'action="{address}/restore"' in mine.get(address).content.decode()
    assert mine.post(address, {"stars": "1", "text": "Refunded"}).status_code in {302, 403}
    assert Rating.objects.get().text == "Call me: 555 0199"


@pytest.mark.parametrize("nothing", ["\u200b\u2060", " \u3164 ", "\u202e", "\n\ufeff\n"])
def test_a_text_that_nobody_sees_is_no_text(rating, learner, ada, course, browser_of, nothing, now):
    mine, address = browser_of(learner), f"/courses/{course.slug}/reviews"
    mine.post(address, {"stars": "4", "text": nothing})
    assert Rating.objects.get().text == ""
    other = RatingFactory(course=course, enrollment__course=course)
    assert browser_of(ada).post(f"{address}/{other.pk}/reply", {"reply": nothing}).status_code == 422
    assert mine.post("/me/practice/cards", {"front": nothing, "back": "x"}).status_code == 422
    assert json.loads(browser_of(learner).put(
        f"/api/v1/courses/{course.slug}/rating/", {"stars": 5, "text": nothing}, "application/json"
    ).content)["text"] == ""  # fmt: skip
