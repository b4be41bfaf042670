"""The studio saves single fields, and overwrites nothing that changed elsewhere."""

import pytest
from django.test import Client

from apps.accounts.models import Role
from apps.courses import services
from apps.courses.field_values import check_lesson_value, course_values, lesson_values, version_of
from apps.courses.forms import LessonForm
from apps.courses.models import Course, FieldEdit, Lesson
from apps.courses.question_forms import QuestionForm
from apps.courses.services.courses import CourseTexts
from studyplatform.kit.text.content import LESSON, render
from tests.factories.accounts import UserFactory
from tests.factories.courses import THEN, CourseFactory, LessonFactory, SectionFactory, SubjectFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def course() -> Course:
    return CourseFactory(title="Old title")


def _client(course: Course) -> Client:
    client = Client()
    client.force_login(course.instructor)
    return client


def _save(client: Client, target: Course | Lesson, **fields: tuple[object, str]) -> dict[str, dict[str, object]]:
    """The outcomes by field; each field is sent as its value and the version that its author began with."""
    kind = "courses" if isinstance(target, Course) else "lessons"
    changes = {name: {"value": value, "base": base} for name, (value, base) in fields.items()}
    body = {"client": "tab", "fields": changes}
    response = client.patch(f"/api/v1/studio/{kind}/{target.uid}/", body, content_type="application/json")
    assert response.status_code == 200, response.content
    return {outcome["name"]: outcome for outcome in response.json()["outcomes"]}


def _version(target: Course | Lesson, name: str) -> str:
    target.refresh_from_db()
    values = course_values(target) if isinstance(target, Course) else lesson_values(target)
    return version_of(values[name])


def test_a_field_is_saved_by_itself(course: Course) -> None:
    outcomes = _save(_client(course), course, title=("New title ", _version(course, "title")))

    course.refresh_from_db()
    assert (course.title, course.summary[:5]) == ("New title", "Forty")
    assert outcomes["title"]["state"] == "saved"
    assert outcomes["title"]["value"] == "New title"
    assert outcomes["title"]["version"] == _version(course, "title")
    edit = FieldEdit.objects.get(target=course.uid, field="title")
    assert (edit.edited_by, edit.client) == (course.instructor, "tab")


def test_what_changed_elsewhere_is_not_overwritten(course: Course) -> None:
    base = _version(course, "title")
    admin = Client()
    admin.force_login(UserFactory(role=Role.ADMIN, first_name="Ana", last_name="Silva"))
    _save(admin, course, title=("Theirs", base))
    outcome = _save(_client(course), course, title=("Mine", base), language=("de", _version(course, "language")))

    course.refresh_from_db()
    assert (course.title, course.language) == ("Theirs", "de")
    assert (outcome["title"]["state"], outcome["title"]["value"]) == ("conflict", "Theirs")
    assert outcome["title"]["edited_by"] == "Ana Silva"
    assert outcome["language"]["state"] == "saved"
    # The author has decided: the next change begins with the other one.
    _save(_client(course), course, title=("Mine", str(outcome["title"]["version"])))
    course.refresh_from_db()
    assert course.title == "Mine"


def test_a_form_makes_a_new_version_too(course: Course) -> None:
    base = _version(course, "title")
    Course.objects.filter(pk=course.pk).update(title="By the form")
    assert _save(_client(course), course, title=("Mine", base))["title"]["state"] == "conflict"
    # The same value is no conflict: an answer was lost on its way, and the change was sent again.
    assert _save(_client(course), course, title=("By the form", base))["title"]["state"] == "saved"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("title", ""),
        ("title", "x" * 121),
        ("title", ["x"]),
        ("title", {"a": 1}),
        ("subject", "nothing"),
        ("difficulty", "hard"),
        ("outcomes", "one"),
        ("outcomes", ["x"] * 13),
        ("outcomes", ["x" * 201]),
        ("outcomes", [1]),
        ("pricing", "free"),
        ("pricing", {"kind": "one_time"}),
        ("pricing", {"kind": "one_time", "price": "abc"}),
        ("pricing", {"kind": "one_time", "price": "0"}),
        ("prerequisites", ["no-such-course"]),
        ("plate_variant", 99),
        ("is_announced", "yes"),
    ],
)
def test_a_value_that_cannot_be_saved_says_why_and_changes_nothing(course: Course, name: str, value: object) -> None:
    before = course_values(course)
    outcomes = _save(
        _client(course),
        course,
        **{name: (value, _version(course, name)), "summary": ("S", _version(course, "summary"))},
    )
    assert outcomes[name]["state"] == "refused"
    assert outcomes[name]["problem"]
    course.refresh_from_db()
    assert course_values(course) == {**before, "summary": "S"}


def test_every_field_can_be_saved(course: Course) -> None:
    SubjectFactory(slug="statistics")
    other = CourseFactory(instructor=course.instructor, status=Course.Status.PUBLISHED)
    values = {
        "title": "T", "summary": "S", "description": "**D**", "subject": "statistics", "difficulty": "advanced",
        "language": "de", "outcomes": ["One", "Two"], "before_you_begin": "B", "prerequisites": [other.slug],
        "pricing": {"kind": "one_time", "price": "29.00"}, "is_announced": True, "plate_variant": 2,
    }  # fmt: skip
    outcomes = _save(
        _client(course), course, **{name: (value, _version(course, name)) for name, value in values.items()}
    )
    assert {outcome["state"] for outcome in outcomes.values()} == {"saved"}
    course.refresh_from_db()
    assert course_values(course) == values


def test_a_lesson_is_saved_the_same_way() -> None:
    lesson = LessonFactory(kind="text", body="one")
    outcomes = _save(_client(lesson.course), lesson, body=("two words", _version(lesson, "body")))
    lesson.refresh_from_db()
    assert (lesson.body, lesson.duration, outcomes["body"]["state"]) == ("two words", 60, "saved")
    refused = _save(
        _client(lesson.course), lesson, prerequisites=([str(lesson.uid)], _version(lesson, "prerequisites"))
    )
    assert refused["prerequisites"]["state"] == "refused"


def test_the_answer_has_what_is_missing_and_the_card(course: Course) -> None:
    body = {"client": "tab", "fields": {"title": {"value": "Fresh", "base": _version(course, "title")}}}
    address = f"/api/v1/studio/courses/{course.uid}/"
    answer = _client(course).patch(address, body, content_type="application/json").json()
    assert "Fresh" in answer["card_html"]
    assert {"lessons", "summary"} <= {check["key"] for check in answer["checks"]}
    shown = _client(course).get(address).json()
    title = shown["values"]["title"]
    assert (title["value"], title["version"]) == ("Fresh", _version(course, "title"))
    assert (title["edited_by"], title["client"]) == (course.instructor.display_name, "tab")
    assert shown["values"]["summary"]["edited_by"] == ""
    assert shown["can_edit"]


def test_a_course_begins_with_its_title() -> None:
    subject = SubjectFactory()
    teacher = UserFactory(role=Role.INSTRUCTOR)
    client = Client()
    client.force_login(teacher)
    answer = client.post("/api/v1/studio/courses/", {"title": "Begun"}, content_type="application/json")
    assert answer.status_code == 201
    course = Course.objects.get(uid=answer.json()["uid"])
    assert (course.title, course.subject, course.instructor) == ("Begun", subject, teacher)


def test_nobody_is_named_for_what_a_form_has_changed_since(course: Course) -> None:
    base = _version(course, "title")
    _save(_client(course), course, title=("By a tab", base))
    Course.objects.filter(pk=course.pk).update(title="By a form")
    outcome = _save(_client(course), course, title=("Mine", base))["title"]
    assert (outcome["state"], outcome["value"]) == ("conflict", "By a form")
    assert (outcome["edited_by"], outcome["client"]) == ("", "")


def test_a_course_is_begun_once_however_often_it_is_asked_for(course: Course) -> None:
    uid = "0e4cf2a8-54a2-4c1a-9d84-6f2ac2b3a001"
    body = {"uid": uid, "title": "Twice", "subject": SubjectFactory().slug}
    for _ in range(2):
        response = _client(course).post("/api/v1/studio/courses/", body, content_type="application/json")
        assert (response.status_code, response.json()["uid"]) == (201, uid)
    assert Course.objects.filter(title="Twice").count() == 1
    stranger = Client()
    stranger.force_login(UserFactory(role=Role.INSTRUCTOR))
    assert stranger.post("/api/v1/studio/courses/", body, content_type="application/json").status_code == 404


def test_what_another_account_wrote_is_not_saved_in_this_one(course: Course) -> None:
    admin = UserFactory(role=Role.ADMIN)
    client = Client()
    client.force_login(admin)
    changes = {"title": {"value": "Mine", "base": _version(course, "title")}}
    body = {"author": str(course.instructor.uid), "client": "tab", "fields": changes}
    response = client.patch(f"/api/v1/studio/courses/{course.uid}/", body, content_type="application/json")
    assert (response.status_code, response.json()["code"]) == (403, "WRITTEN_BY_ANOTHER_USER")
    body["author"] = str(admin.uid)
    assert (
        client.patch(f"/api/v1/studio/courses/{course.uid}/", body, content_type="application/json").status_code == 200
    )


def test_only_staff_and_only_known_fields(course: Course) -> None:
    address = f"/api/v1/studio/courses/{course.uid}/"
    body = {"client": "tab", "fields": {"title": {"value": "Mine", "base": _version(course, "title")}}}
    stranger = Client()
    assert stranger.patch(address, body, content_type="application/json").status_code == 401
    stranger.force_login(UserFactory(role=Role.INSTRUCTOR))
    assert stranger.patch(address, body, content_type="application/json").status_code == 404
    assert (
        stranger.post("/api/v1/studio/courses/", {"title": "x" * 200}, content_type="application/json").status_code
        == 400
    )
    unknown = {"client": "tab", "fields": {"status": {"value": "published", "base": ""}}}
    assert _client(course).patch(address, unknown, content_type="application/json").status_code == 400
    many = {"client": "tab", "fields": {f"f{n}": {"value": 1, "base": ""} for n in range(21)}}
    assert _client(course).patch(address, many, content_type="application/json").status_code == 400
    course.status = Course.Status.REVIEW
    course.save()
    assert _client(course).patch(address, body, content_type="application/json").json()["code"] == "COURSE_UNDER_REVIEW"


INDENTED = "    for word in text:\r\n        print(word)\r\n\r\nThe loop prints each word.  \r\n"


def test_texts_are_kept_as_they_were_written() -> None:
    kept = INDENTED.replace("\r\n", "\n")
    author = CourseFactory().instructor
    lesson = LessonFactory(section=SectionFactory(course=CourseFactory(instructor=author)))
    course = lesson.course
    form = LessonForm({"title": "A", "body": INDENTED}, lesson=lesson)
    assert form.is_valid(), form.errors
    assert form.cleaned_data["body"] == kept
    services.edit_lesson(lesson=lesson, by=author, title="A", summary="", body=INDENTED, is_preview=False, now=THEN)
    assert Lesson.objects.get().body == kept
    texts = CourseTexts(title="A", subject=course.subject, description=INDENTED, before_you_begin=" \n\t")
    assert texts.fields()["description"] == kept
    assert texts.fields()["before_you_begin"] == ""
    assert check_lesson_value(lesson, "body", INDENTED) == {"body": kept}
    question = QuestionForm(
        {"kind": "essay", "prompt": INDENTED, "explanation": INDENTED, "points": "1"}, course=course
    )
    question.is_valid()
    assert (question.cleaned_data["prompt"], question.cleaned_data["explanation"]) == (kept, kept)
    assert QuestionForm({"kind": "essay", "prompt": " \u200b\n"}, course=course).errors["prompt"] == [
        "Enter a question."
    ]
    assert "<pre" in render(Lesson.objects.get().body, LESSON)


def test_nothing_is_no_value_where_there_must_be_one(course: Course) -> None:
    outcomes = _save(_client(course), course, plate_variant=(None, _version(course, "plate_variant")))
    assert outcomes["plate_variant"]["state"] == "refused"
