"""The outline as the studio's island changes it: moved, removed, set, undone; nothing overwritten unseen."""

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.accounts.models import Role, User
from apps.courses import services
from apps.courses.errors import OutlineFull, UndoConflict
from apps.courses.models import Course, Lesson, OutlineChange, Question, QuizDraw, Section
from apps.courses.queries.outline_changes import change_made
from apps.courses.services import outline_rows, quizzes
from apps.learning.models import Enrollment
from apps.learning.services import recount_course
from studyplatform.kit.errors import NotFound
from tests.factories.accounts import UserFactory
from tests.factories.courses import (
    CourseFactory,
    CourseFileFactory,
    LessonFactory,
    QuestionFactory,
    QuizFactory,
    SectionFactory,
)
from tests.factories.files import VideoFactory
from tests.factories.learning import EnrollmentFactory, LessonProgressFactory, MissedCardFactory

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 3, 15, 10, 0, tzinfo=UTC)


@pytest.fixture
def course() -> Course:
    """Two sections: A with one, two, three, and B with four."""
    course = CourseFactory(instructor__first_name="Ada", instructor__last_name="Byron")
    for title, lessons in (("A", ["one", "two", "three"]), ("B", ["four"])):
        section = SectionFactory(course=course, title=title)
        for lesson in lessons:
            LessonFactory(section=section, title=lesson, update_counts=lesson == "four")
    return course


@pytest.fixture
def studio(course: Course) -> Client:
    return _browser_of(course.instructor)


def _browser_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def _call(
    browser: Client, course: Course, way: str, body: dict[str, Any], *, code: int = 200, verb: str = "post"
) -> Any:
    address = f"/api/v1/studio/courses/{course.uid}/{way}"
    response = getattr(browser, verb)(address, body, content_type="application/json")
    assert response.status_code == code, response.content
    return response.json()


def _outline(browser: Client, course: Course) -> Any:
    return browser.get(f"/api/v1/studio/courses/{course.uid}/outline/").json()


def _shape(course: Course) -> list[tuple[str, list[str]]]:
    """The titles, after a look at the positions and numbers."""
    found = []
    for place, section in enumerate(course.sections.order_by("position"), start=1):
        lessons = list(section.lessons.order_by("position"))
        assert section.position == place
        assert [lesson.position for lesson in lessons] == list(range(1, len(lessons) + 1))
        assert [lesson.number for lesson in lessons] == [f"{place}.{at}" for at in range(1, len(lessons) + 1)]
        found.append((section.title, [lesson.title for lesson in lessons]))
    return found


def _uid(course: Course, title: str) -> str:
    rows = course.lessons if course.lessons.filter(title=title).exists() else course.sections
    return str(rows.get(title=title).uid)


def _undo(browser: Client, course: Course, change: Any, code: int = 200) -> Any:
    return _call(browser, course, f"changes/{change['uid']}/undo/", {}, code=code)


def test_the_outline_shows_states_and_learners(studio, course, django_assert_max_num_queries) -> None:
    enrollment = EnrollmentFactory(course=course)
    LessonProgressFactory(enrollment=enrollment, lesson=course.lessons.get(title="two"), completed_at=NOW)
    course.lessons.get(title="three").prerequisites.add(course.lessons.get(title="one"))

    studio.get("/api/v1/studio/courses/")
    with django_assert_max_num_queries(12):
        outline = _outline(studio, course)

    [a, _b] = outline["sections"]
    two, three = a["lessons"][1:]
    assert (two["number"], two["minutes"], two["is_ready"], two["learners"], two["completed"]) == ("1.2", 1, True, 1, 1)
    assert three["prerequisites"] == [_uid(course, "one")]
    assert (outline["can_edit"], outline["changes"]) == (True, [])


def test_lessons_move_together_and_back(studio, course) -> None:
    before = _outline(studio, course)
    body = {"lessons": [_uid(course, "three"), _uid(course, "one")], "section": _uid(course, "B"), "position": 1}
    done = _call(studio, course, "outline/move/", {**body, "etag": before["etag"]})
    assert _shape(course) == [("A", ["two"]), ("B", ["three", "one", "four"])]
    assert done["change"]["text"] == "2 items were moved."

    undone = _undo(studio, course, done["change"])
    assert _shape(course) == [("A", ["one", "two", "three"]), ("B", ["four"])]
    assert undone["outline"]["etag"] == before["etag"]
    assert undone["outline"]["changes"] == []
    _undo(studio, course, done["change"])  # a click twice
    assert _outline(studio, course)["etag"] == before["etag"]


def test_a_stale_move_is_refused_with_the_present_outline(studio, course) -> None:
    old = _outline(studio, course)
    admin = _browser_of(UserFactory(role=Role.ADMIN))
    _call(admin, course, "outline/move/", {"sections": [_uid(course, "B")], "position": 1, "etag": old["etag"]})
    order = [{"uid": one["uid"], "lessons": [row["uid"] for row in one["lessons"]]} for one in old["sections"]]

    for way, body in (
        ("outline/order/", {"sections": order}),
        ("outline/move/", {"sections": [_uid(course, "B")], "position": 2}),
    ):
        refused = _call(studio, course, way, {**body, "etag": old["etag"]}, code=409)
        assert refused["code"] == "OUTLINE_CHANGED"
        assert [one["title"] for one in refused["params"]["outline"]["sections"]] == ["B", "A"]
    assert _shape(course) == [("B", ["four"]), ("A", ["one", "two", "three"])]
    _call(studio, course, "outline/order/", {"sections": order, "etag": refused["params"]["outline"]["etag"]})
    assert _shape(course) == [("A", ["one", "two", "three"]), ("B", ["four"])]


@pytest.mark.long
def test_an_order_that_loses_or_doubles_something_is_refused(studio, course) -> None:
    etag = _outline(studio, course)["etag"]
    one, two, three, four = (_uid(course, title) for title in ("one", "two", "three", "four"))
    a, b = _uid(course, "A"), _uid(course, "B")
    other = str(LessonFactory().uid)
    for rows in (
        [(a, [one, two]), (b, [four])],
        [(a, [one, two, three, three]), (b, [four])],
        [(a, [one, two, three, four])],
        [(a, [one, two, three]), (a, [four])],
        [(a, [one, two, three]), (b, [other])],
    ):
        sections = [{"uid": uid, "lessons": lessons} for uid, lessons in rows]
        _call(studio, course, "outline/order/", {"etag": etag, "sections": sections}, code=404)
    assert _shape(course) == [("A", ["one", "two", "three"]), ("B", ["four"])]


def test_a_removed_section_is_gone_for_everyone_and_comes_back_whole(studio, course) -> None:
    Course.objects.filter(pk=course.pk).update(status="published")
    enrollment = EnrollmentFactory(course=course)
    two = course.lessons.get(title="two")
    for lesson in (two, course.lessons.get(title="four")):
        LessonProgressFactory(enrollment=enrollment, lesson=lesson, completed_at=NOW)
    learner = _browser_of(enrollment.user)
    assert learner.get(f"/learn/{course.slug}/{two.slug}").status_code == 200

    done = _call(studio, course, "outline/remove/", {"sections": [_uid(course, "A")], "lessons": [str(uuid4())]})
    _recount(course)
    assert done["change"]["text"] == "“A” was deleted."
    assert _shape(course) == [("B", ["four"])]
    for address in (f"/learn/{course.slug}/{two.slug}", f"/api/v1/lessons/{two.uid}/player/"):
        assert learner.get(address).status_code == 404
    # Who was in it when it went keeps what it says of them (ADR 64); it counts for nothing.
    assert learner.post(f"/api/v1/lessons/{two.uid}/complete/").status_code == 200
    enrollment.refresh_from_db()
    assert (enrollment.completed_lessons, enrollment.percent) == (1, 100)

    _undo(studio, course, done["change"])
    _recount(course)
    assert _shape(course) == [("A", ["one", "two", "three"]), ("B", ["four"])]
    enrollment.refresh_from_db()
    assert (enrollment.completed_lessons, enrollment.percent) == (2, 50)


def _recount(course: Course) -> None:
    recount_course(course=course, now=timezone.now())


def test_settings_of_many_lessons(studio, course) -> None:
    both = [_uid(course, "one"), _uid(course, "four")]
    done = _call(studio, course, "outline/settings/", {"lessons": both, "is_optional": True, "opens_after_days": 7})
    course.refresh_from_db()
    assert (course.lesson_count, course.required_count) == (4, 2)
    assert set(course.lessons.filter(opens_after_days=7).values_list("title", flat=True)) == {"one", "four"}
    again = _call(studio, course, "outline/settings/", {"lessons": both[:1], "opens_at": "2027-01-11T08:00:00+01:00"})
    one = course.lessons.get(title="one")
    assert (one.opens_at, one.opens_after_days) == (datetime(2027, 1, 11, 7, 0, tzinfo=UTC), None)
    assert _call(studio, course, "outline/settings/", {"lessons": both, "is_optional": True})["change"] is None

    # The first change can't be undone while the second stands: it would change what that one set.
    assert _undo(studio, course, done["change"], 409)["code"] == "OUTLINE_UNDO_CONFLICT"
    _undo(studio, course, again["change"])
    _undo(studio, course, done["change"])
    assert not course.lessons.exclude(opens_at=None, opens_after_days=None, is_optional=False).exists()

    # A date that gave way to days comes back in their place, and never beside days that someone has set since.
    date = "2027-01-11T08:00:00Z"
    _call(studio, course, "outline/settings/", {"lessons": both[:1], "opens_at": date})
    days = _call(studio, course, "outline/settings/", {"lessons": both[:1], "opens_after_days": 5})
    _undo(studio, course, days["change"])
    one.refresh_from_db()
    assert (one.opens_at, one.opens_after_days) == (datetime(2027, 1, 11, 8, 0, tzinfo=UTC), None)
    cleared = _call(studio, course, "outline/settings/", {"lessons": both[:1], "opens_at": None})
    _call(studio, course, "outline/settings/", {"lessons": both[:1], "opens_after_days": 9})
    assert _undo(studio, course, cleared["change"], 409)["code"] == "OUTLINE_UNDO_CONFLICT"


@pytest.mark.long
def test_a_section_title_is_not_overwritten_unseen(studio, course) -> None:
    way = f"outline/sections/{_uid(course, 'A')}/"
    renamed = _call(studio, course, way, {"title": "Arrows", "was": "A"}, verb="patch")
    assert renamed["outline"]["changes"][0]["text"] == "The title was changed to “Arrows”."
    refused = _call(studio, course, way, {"title": "Axes", "was": "A"}, verb="patch", code=409)
    assert refused["params"]["outline"]["sections"][0]["title"] == "Arrows"
    # What is saved while it is typed is one change.
    _call(studio, course, way, {"title": "Arrows!", "was": "Arrows"}, verb="patch")
    [change] = _outline(studio, course)["changes"]
    _undo(studio, course, change)
    assert course.sections.filter(title="A").exists()


def test_new_sections_and_lessons_have_their_place(studio, course) -> None:
    _call(studio, course, "outline/sections/", {"title": "Z", "position": 1}, code=201)
    body = {"section": _uid(course, "A"), "kind": "quiz", "title": "new", "position": 2}
    done = _call(studio, course, "outline/lessons/", body, code=201)
    assert _shape(course) == [("Z", []), ("A", ["one", "new", "two", "three"]), ("B", ["four"])]
    assert done["added"] == [_uid(course, "new")]


@pytest.mark.long
def test_only_staff_see_and_change_it(course) -> None:
    for user in (UserFactory(), UserFactory(role=Role.INSTRUCTOR)):
        browser = _browser_of(user)
        assert browser.get(f"/api/v1/studio/courses/{course.uid}/outline/").status_code == 404
        for way in ("move", "remove", "settings", "order", "sections", "lessons"):
            address = f"/api/v1/studio/courses/{course.uid}/outline/{way}/"
            assert browser.post(address, {}, content_type="application/json").status_code == 404
    change = services.delete_lesson(lesson=course.lessons.get(title="one"), by=course.instructor, now=timezone.now())
    assert change is not None
    address = f"/api/v1/studio/courses/{course.uid}/changes/{change.uid}/undo/"
    assert _browser_of(UserFactory(role=Role.INSTRUCTOR)).post(address).status_code == 404
    other = CourseFactory(instructor=course.instructor)
    address = f"/api/v1/studio/courses/{other.uid}/changes/{change.uid}/undo/"
    assert _browser_of(course.instructor).post(address).status_code == 404


def test_undo_says_what_it_cannot_take_back(course, monkeypatch) -> None:
    by = course.instructor
    one, two = (course.lessons.get(title=title) for title in ("one", "two"))
    b = course.sections.get(title="B")
    move = services.move_lesson(lesson=one, by=by, section=b, position=1, now=NOW)
    again = services.move_lesson(lesson=one, by=by, section=b, position=2, now=NOW)
    removed = services.delete_lesson(lesson=two, by=by, now=NOW)
    assert move
    assert again
    assert removed

    with pytest.raises(UndoConflict, match="Undo this first: “one” was moved"):
        services.undo_change(change=move, by=by, now=NOW)
    monkeypatch.setattr(outline_rows, "LESSON_LIMIT", 3)
    with pytest.raises(OutlineFull):
        services.undo_change(change=removed, by=by, now=NOW)
    monkeypatch.undo()
    services.delete_section(section=course.sections.get(title="A"), by=by, now=NOW)
    with pytest.raises(UndoConflict, match="can't return"):
        services.undo_change(change=removed, by=by, now=NOW)
    with pytest.raises(NotFound):
        services.undo_change(change=again, by=by, now=NOW + timedelta(days=31))
    assert _shape(course) == [("B", ["four", "one"])]


def test_a_lesson_whose_address_was_taken_gets_another(course) -> None:
    by = course.instructor
    one = course.lessons.get(title="one")
    Lesson.objects.filter(pk=one.pk).update(slug="recap")
    removed = services.delete_lesson(lesson=one, by=by, now=NOW)
    assert removed
    services.add_lesson(section=course.sections.get(title="B"), by=by, kind="text", title="Recap", now=NOW)
    services.undo_change(change=removed, by=by, now=NOW)
    assert course.lessons.get(pk=one.pk).slug == "recap-2"


def test_a_removed_question_comes_back_with_its_links(course) -> None:
    by = course.instructor
    quiz = QuizFactory(lesson__section=course.sections.get(title="B"))
    bank = services.open_bank(course=course)
    linked, own = QuestionFactory(quiz=bank), [QuestionFactory(quiz=quiz) for _ in range(3)]
    services.link_question(quiz=quiz, question=linked, by=by, now=NOW)
    card = MissedCardFactory(question=own[1])

    changes = [services.delete_question(question=one, by=by, now=NOW) for one in (own[1], linked)]
    quiz.refresh_from_db()
    assert [one.pk for one in quiz.questions.order_by("position")] == [own[0].pk, own[2].pk]
    assert (quiz.bank_count, QuizDraw.objects.filter(quiz=quiz).count()) == (0, 0)
    for change in changes:
        assert change
        services.undo_change(change=change, by=by, now=NOW)
    quiz.refresh_from_db()
    assert [one.pk for one in quiz.questions.order_by("position")] == [one.pk for one in own]
    assert (quiz.bank_count, [draw.question_id for draw in quiz.draws.all()]) == (1, [linked.pk])
    card.refresh_from_db()
    assert card.question_id == own[1].pk


def test_a_quiz_that_comes_back_follows_what_happened_to_the_bank(course, monkeypatch) -> None:
    by = course.instructor
    quiz = QuizFactory(lesson__section=course.sections.get(title="B"))
    other = QuizFactory(lesson__section=course.sections.get(title="B"))
    bank = services.open_bank(course=course)
    picture = CourseFileFactory(course=course)
    first, second, third = (QuestionFactory(quiz=bank) for _ in range(3))
    for one in (quiz, other):
        services.link_question(quiz=one, question=first, by=by, now=NOW)
        services.add_draw(quiz=one, by=by, tags=[], count=1, now=NOW)
    removal = services.delete_lesson(lesson=quiz.lesson, by=by, now=NOW)
    linked = services.delete_question(question=first, by=by, now=NOW)
    gone = services.delete_question(question=second, by=by, now=NOW)
    draft = services.QuestionDraft(kind="essay", prompt=f"![A map]({picture.address})")
    # The bank is read once for all quizzes that draw from it.
    with CaptureQueriesContext(connection) as seen:
        services.edit_question(question=third, by=by, draft=draft, now=NOW)
    assert sum('"courses_question"."explanation"' in one["sql"] and "is_withdrawn" in one["sql"] and
               '"courses_quiz"."course_id" =' in one["sql"] for one in seen.captured_queries) == 1  # fmt: skip
    assert removal
    assert linked
    assert gone
    services.undo_change(change=linked, by=by, now=NOW)  # the link of the removed quiz, too
    services.undo_change(change=removal, by=by, now=NOW)

    quiz.refresh_from_db()
    assert (quiz.draws.count(), quiz.bank_count) == (2, 2)
    assert [use.file for use in quiz.lesson.file_uses.filter(ended_at=None)] == [picture]
    monkeypatch.setattr(quizzes, "BANK_LIMIT", 2)
    with pytest.raises(OutlineFull):
        services.undo_change(change=gone, by=by, now=NOW)


def test_a_video_stays_while_its_deleted_lesson_can_come_back(course) -> None:
    video = VideoFactory(owner=course.instructor)
    lesson = LessonFactory(section=course.sections.get(title="B"), kind="video", title="Film", video=video)
    services.delete_lesson(lesson=lesson, by=course.instructor, now=timezone.now())
    browser = _browser_of(course.instructor)
    refused = browser.delete(f"/api/v1/videos/{video.uid}/")
    assert (refused.status_code, refused.json()["code"]) == (409, "VIDEO_OF_DELETED_LESSON")
    Lesson.with_removed.filter(pk=lesson.pk).update(removed_at=timezone.now() - timedelta(days=31))
    assert browser.delete(f"/api/v1/videos/{video.uid}/").status_code == 204


def test_fields_of_a_lesson_are_one_change_that_can_be_undone(studio, course) -> None:
    lesson = course.lessons.get(title="one")

    def save(**values: Any) -> Any:
        known = studio.get(f"/api/v1/studio/lessons/{lesson.uid}/").json()["values"]
        fields = {name: {"value": value, "base": known[name]["version"]} for name, value in values.items()}
        body = {"client": "tab", "fields": fields}
        done = studio.patch(f"/api/v1/studio/lessons/{lesson.uid}/", body, content_type="application/json")
        return done.json()

    done = save(title="First", is_preview=True, opens_after_days=3)
    assert done["change"]["text"] == "Settings of “First” were changed."
    assert save(summary="Words alone.")["change"] is None
    # Days that somebody else has set stay: the author of the date doesn't know them.
    refused = save(opens_at="2027-01-11T08:00")
    assert [(one["state"], bool(one["problem"])) for one in refused["outcomes"]] == [("refused", True)]
    both = save(opens_at="2027-01-11T08:00", opens_after_days=None)
    assert {one["state"] for one in both["outcomes"]} == {"saved"}
    _undo(studio, course, both["change"])
    _undo(studio, course, done["change"])
    lesson.refresh_from_db()
    assert (lesson.title, lesson.is_preview, lesson.opens_at, lesson.opens_after_days) == ("one", False, None, None)
    assert lesson.summary == "Words alone."


@pytest.mark.long
def test_what_was_removed_a_month_ago_is_deleted_but_not_what_learners_did(course) -> None:
    by = course.instructor
    worked = course.lessons.get(title="one")
    LessonProgressFactory(enrollment=EnrollmentFactory(course=course), lesson=worked)
    quiz = QuizFactory(lesson__section=course.sections.get(title="B"))
    asked, kept = QuestionFactory(quiz=quiz), QuestionFactory(quiz=quiz)
    MissedCardFactory(question=kept)
    for question in (asked, kept):
        services.delete_question(question=question, by=by, now=NOW)
    services.delete_section(section=course.sections.get(title="A"), by=by, now=NOW)

    services.purge_removed(now=NOW + timedelta(days=29))
    assert Lesson.with_removed.filter(course=course).count() == 5
    services.purge_removed(now=NOW + timedelta(days=31))
    assert set(Lesson.with_removed.filter(course=course)) == {worked, course.lessons.get(title="four"), quiz.lesson}
    assert set(Question.with_removed.filter(quiz=quiz)) == {kept}
    assert Section.with_removed.filter(course=course).count() == 2
    assert not OutlineChange.objects.exists()
    assert Enrollment.objects.filter(progress__lesson=worked).exists()


_STEPS = ["add", "move", "sections", "remove", "title", "settings", "undo"]
_STEP = st.tuples(st.sampled_from(_STEPS), st.integers(0, 9), st.integers(0, 9))


@pytest.mark.long
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(_STEP, max_size=12))
def test_any_sequence_of_changes_and_undos_keeps_the_outline_whole(course, steps) -> None:
    by = course.instructor
    course = CourseFactory(instructor=by)
    for size in (3, 0, 2):
        section = SectionFactory(course=course)
        for _ in range(size):
            LessonFactory(section=section, update_counts=False)
    everything = set(course.lessons.all())
    now = NOW
    for kind, first, second in steps:
        now += timedelta(minutes=10)
        before = _state(course)
        change = _take_step(course, kind, first, second, by, now)
        assert _dense(course)
        present = set(Lesson.with_removed.filter(course=course))
        assert present >= everything if kind == "add" else present == everything
        everything = present
        if change is not None and second % 2:
            services.undo_change(change=change, by=by, now=now)
            assert _state(course) == before
            assert _dense(course)


def _state(course: Course) -> Any:
    sections = list(course.sections.order_by("position").values("pk", "title", "position"))
    columns = ("pk", "section", "position", "title", "slug", "is_optional", "opens_after_days", "number")
    return sections, list(course.lessons.order_by("section__position", "position").values(*columns))


def _dense(course: Course) -> bool:
    sections = list(course.sections.order_by("position"))
    rows = [[one.position for one in section.lessons.order_by("position")] for section in sections]
    return [one.position for one in sections] == list(range(1, len(sections) + 1)) and all(
        row == list(range(1, len(row) + 1)) for row in rows
    )


def _take_step(course: Course, kind: str, first: int, second: int, by: User, now: datetime) -> OutlineChange | None:
    lessons = list(course.lessons.order_by("pk"))
    sections = list(course.sections.order_by("pk"))
    some = [one.pk for one in lessons[first % 3 :: 2]]
    match kind:
        case "add" if sections and first < 6:
            section, batch = sections[second % len(sections)], UUID(int=1) if first % 2 else None
            way = {"kind": "text", "title": "New", "position": first, "batch": batch}
            services.add_lesson(section=section, by=by, now=now, **way)
            # What is added to a batch is undone with all of it.
            return change_made(course, by, now=now) if batch is None else None
        case "add":
            services.add_section(course=course, by=by, title="New", position=second, now=now)
            return change_made(course, by, now=now)
        case "move" if some and sections:
            target = sections[second % len(sections)].pk
            return services.move_items(course=course, by=by, lessons=some, section=target, position=first, now=now)
        case "sections" if sections:
            chosen = [sections[first % len(sections)].pk]
            return services.move_items(course=course, by=by, sections=chosen, position=second, now=now)
        case "remove" if sections and first < 3:
            return services.remove_items(course=course, by=by, sections=[sections[0].pk], now=now)
        case "remove":
            return services.remove_items(course=course, by=by, lessons=some[:1], now=now)
        case "title" if lessons:
            values = {lessons[first % len(lessons)].pk: {"title": f"Title {second}"}}
            return services.change_settings(course=course, by=by, values=values, now=now)
        case "settings" if some:
            settings_of = {pk: {"is_optional": bool(first % 2), "opens_after_days": second} for pk in some}
            return services.change_settings(course=course, by=by, values=settings_of, now=now)
        case "undo":
            made = list(OutlineChange.objects.filter(course=course, undone_at=None).order_by("pk"))
            if made:
                with suppress(UndoConflict):
                    services.undo_change(change=made[first % len(made)], by=by, now=now)
    return None
