"""Notes: the API, who may use it, limits, and requests at the same moment."""

from typing import Any
from uuid import UUID, uuid4

import pytest
from rest_framework.test import APIClient

from apps.accounts.models import User
from apps.courses.models import Course, Lesson
from apps.learning import services
from apps.learning.models import Note
from apps.learning.services import notes as notes_service
from tests.learning.conftest import NOON

pytestmark = pytest.mark.django_db


def edit(
    text: str, key: str = "laptop01", revision: int = 1, at: int = 1, *, is_deleted: bool = False
) -> dict[str, Any]:
    return {"key": key, "revision": revision, "at": at, "text": text, "is_deleted": is_deleted}


def copy(*edits: dict[str, Any], replaced: dict[str, int] | None = None, second: int | None = 42) -> dict[str, Any]:
    gone = [{"key": key, "revision": revision} for key, revision in (replaced or {}).items()]
    return {"kind": "note", "second": second, "edits": list(edits), "replaced": gone}


def put(user: User, lesson: Lesson, body: dict[str, Any], uid: UUID | None = None) -> Any:
    client = APIClient()
    client.force_authenticate(user)
    return client.put(f"/api/v1/lessons/{lesson.uid}/notes/{uid or uuid4()}/", body, format="json")


def listed(user: User, lesson: Lesson) -> Any:
    client = APIClient()
    client.force_authenticate(user)
    return client.get(f"/api/v1/lessons/{lesson.uid}/notes/")


@pytest.fixture
def learner(leo: User, course: Course) -> User:
    services.enroll(user=leo, course=course, now=NOON)
    return leo


def test_a_note_is_saved_rendered_and_listed(learner: User, video_lesson: Lesson) -> None:
    saved = put(learner, video_lesson, copy(edit("Area **does not** change")))
    assert saved.status_code == 200
    assert "<strong>does not</strong>" in saved.json()["html"]
    [found] = listed(learner, video_lesson).json()["results"]
    assert (found["second"], found["text"]) == (42, "Area **does not** change")


def test_texts_of_two_devices_both_stay_and_saving_again_changes_nothing(learner: User, video_lesson: Lesson) -> None:
    uid = uuid4()
    put(learner, video_lesson, copy(edit("Seen")), uid)
    phone = copy(edit("On the phone", "phone001", at=2), replaced={"laptop01": 1})
    laptop = copy(edit("On the laptop", "laptop02", at=3), replaced={"laptop01": 1})
    put(learner, video_lesson, phone, uid)
    both = put(learner, video_lesson, laptop, uid).json()
    assert both["text"] == "On the phone\n\n---\n\nOn the laptop"
    revision = Note.objects.get().revision
    assert put(learner, video_lesson, phone, uid).json()["text"] == both["text"]
    assert Note.objects.get().revision == revision


def test_deleted_notes_are_gone_and_come_back(learner: User, video_lesson: Lesson) -> None:
    uid = uuid4()
    put(learner, video_lesson, copy(edit("Secret")), uid)
    gone = copy(edit("", "laptop02", is_deleted=True), replaced={"laptop01": 1})
    assert put(learner, video_lesson, gone, uid).json()["is_deleted"]
    assert listed(learner, video_lesson).json()["results"] == []
    note = Note.objects.get()
    assert "Secret" not in str(note.content) + note.text
    back = copy(edit("Secret", "laptop03"), replaced={"laptop02": 1})
    assert put(learner, video_lesson, back, uid).json()["text"] == "Secret"


def test_only_enrolled_learners_have_notes_and_only_their_own(
    learner: User, ada: User, ben: User, course: Course, video_lesson: Lesson
) -> None:
    uid = uuid4()
    put(learner, video_lesson, copy(edit("Mine")), uid)
    assert put(ada, video_lesson, copy(edit("x"))).json()["code"] == "ENROLLMENT_REQUIRED"
    assert listed(ada, video_lesson).json()["code"] == "ENROLLMENT_REQUIRED"
    assert APIClient().get(f"/api/v1/lessons/{video_lesson.uid}/notes/").status_code == 401
    services.enroll(user=ben, course=course, now=NOON)
    assert listed(ben, video_lesson).json()["results"] == []
    # The same uid of another learner is another note.
    assert put(ben, video_lesson, copy(edit("Theirs")), uid).json()["text"] == "Theirs"
    assert Note.objects.get(user=learner).text == "Mine"
    services.revoke_enrollment(learner, course, NOON)
    assert listed(learner, video_lesson).status_code == 403
    assert put(learner, video_lesson, copy(edit("x")), uid).status_code == 403


@pytest.mark.parametrize(
    "body",
    [
        copy(),
        copy(edit("x" * 30_001)),
        copy(edit("nul \x00")),
        copy(edit("x"), second=-1),
        copy(edit("x", key="short")),
        copy(edit("x", revision=0)),
        copy(edit("x", at=2**60)),
        copy(edit("x"), replaced={"laptop02": 2**40}),
        {**copy(edit("x")), "edits": "none"},
        {**copy(edit("x")), "kind": "moment", "second": None},
        {**copy(edit("x")), "kind": "other"},
        [],
    ],
)
def test_bad_input_is_refused(learner: User, video_lesson: Lesson, body: Any) -> None:
    assert put(learner, video_lesson, body).status_code == 400
    assert not Note.objects.exists()


def test_a_note_does_not_move_to_another_lesson(learner: User, video_lesson: Lesson, lessons: list[Lesson]) -> None:
    uid = uuid4()
    put(learner, video_lesson, copy(edit("Here")), uid)
    assert put(learner, lessons[0], copy(edit("There")), uid).status_code == 409
    assert put(learner, Lesson(uid=uuid4()), copy(edit("Nowhere"))).status_code == 404


def test_there_are_limits(learner: User, video_lesson: Lesson, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notes_service, "MOST_NOTES", 2)
    uid = uuid4()
    assert put(learner, video_lesson, copy(edit("1")), uid).status_code == 200
    assert put(learner, video_lesson, copy(edit("2"))).status_code == 200
    assert put(learner, video_lesson, copy(edit("3"))).json()["code"] == "NOTES_TOO_MANY"
    assert put(learner, video_lesson, copy(edit("1, longer", revision=2)), uid).status_code == 200
    monkeypatch.setattr(notes_service, "MOST_STANDING", 1)
    assert put(learner, video_lesson, copy(edit("1b", "phone001")), uid).json()["code"] == "NOTE_TOO_MANY_EDITS"


def test_notes_outlive_their_lesson_and_are_in_the_notebook(
    learner: User, course: Course, video_lesson: Lesson, browser_of: Any
) -> None:
    put(learner, video_lesson, copy(edit("Still here")))
    video_lesson.delete()
    assert "Still here" in browser_of(learner).get(f"/me/course/{course.slug}/notes").content.decode()


def test_a_notebook_of_2000_notes_is_paged_and_costs_a_few_queries(
    learner: User, course: Course, lessons: list[Lesson], browser_of: Any, django_assert_max_num_queries: Any
) -> None:
    def of(number: int) -> Note:
        lesson = lessons[number % len(lessons)]
        place = {"lesson": lesson, "lesson_title": lesson.title, "course": course, "user": learner}
        text = f"Word{number} **bold**"
        content = {"edits": [edit(text)], "replaced": []}
        return Note(
            uid=uuid4(), kind="note", text=text, content=content, created_at=NOON, updated_at=NOON, second=1, **place
        )

    Note.objects.bulk_create([of(number) for number in range(2000)])
    browser = browser_of(learner)
    address = f"/me/course/{course.slug}/notes"
    browser.get(address)
    for query in ("", "?page=50", "?page=9999", "?q=Word1999", "?kind=moment"):
        with django_assert_max_num_queries(10):
            shown = browser.get(address + query).content.decode()
        assert shown.count("<strong>bold</strong>") <= 40
    assert "Word1999" in browser.get(f"{address}?q=word1999").content.decode()
    with django_assert_max_num_queries(10):
        exported = browser.get(f"{address}.md").content.decode()
    assert exported.count("**bold**") == 2000


def test_a_notebook_is_for_its_learner_alone(
    learner: User, course: Course, video_lesson: Lesson, browser_of: Any, client: Any, mia: User
) -> None:
    put(learner, video_lesson, copy(edit("Secret")))
    for ending in ("", ".md", ".pdf"):
        address = f"/me/course/{course.slug}/notes{ending}"
        assert client.get(address).status_code == 302, "visitors sign in first"
        refused = browser_of(mia).get(address)
        assert refused.status_code == 403
        assert b"Secret" not in refused.content
        assert browser_of(learner).post(address).status_code == 405
    services.enroll(user=mia, course=course, now=NOON)
    assert b"Secret" not in browser_of(mia).get(f"/me/course/{course.slug}/notes").content
