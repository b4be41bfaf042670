"""Lessons, sections and courses are copied whole, without what learners did."""

import re
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest
from django.apps import apps
from django.test import Client
from django.utils import timezone

from apps.accounts.models import Role
from apps.courses import services
from apps.courses.errors import UndoConflict
from apps.courses.models import Course, CourseFileUse, Lesson, LessonDownload, Question, Quiz, Section
from apps.courses.services.outline_changes import digest_contents
from apps.learning.models import Attempt, Enrollment
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
from tests.factories.learning import AttemptFactory, EnrollmentFactory, LessonProgressFactory

pytestmark = [pytest.mark.django_db, pytest.mark.edits_in_place]

NOW = datetime(2026, 3, 15, 10, 0, tzinfo=UTC)


@pytest.fixture
def course() -> Course:
    """A course that uses everything: files, downloads, prerequisites, a quiz with own, linked and drawn questions."""
    course = CourseFactory(status="published", requires_order=True, title="Rivers", pricing="one_time", price=4900)
    by = course.instructor
    picture = CourseFileFactory(course=course)
    text = LessonFactory(section__course=course, title="Springs", is_preview=True)
    services.edit_lesson(
        lesson=text, by=by, title="Springs", summary="", body=f"![A map]({picture.address})", is_preview=True, now=NOW
    )
    LessonDownload.objects.create(lesson=text, file=CourseFileFactory(course=course), name="tables.pdf", position=1)
    section = SectionFactory(course=course, title="Deltas")
    film = LessonFactory(
        section=section, kind="video", video=VideoFactory(owner=by), opens_at=datetime(2027, 3, 20, 7, 0, tzinfo=UTC)
    )
    quiz = QuizFactory(lesson__section=section, pass_percent=80, lesson__opens_after_days=7, lesson__is_optional=True)
    QuestionFactory(quiz=quiz, rewatch_lesson=film, rewatch_at=12, explanation="See the film.")
    bank = services.open_bank(course=course)
    linked, tagged = QuestionFactory(quiz=bank, prompt="Linked?"), QuestionFactory(quiz=bank, prompt="Tagged?")
    QuestionFactory(quiz=bank, prompt="Unused?", rewatch_lesson=film, rewatch_at=3)
    services.set_tags(question=tagged, by=by, names=["silt"], now=NOW)
    services.link_question(quiz=quiz, question=linked, by=by, now=NOW)
    services.add_draw(quiz=quiz, by=by, tags=list(tagged.tags.all()), count=1, now=NOW)
    film.prerequisites.add(text)
    learner = EnrollmentFactory(course=course)
    LessonProgressFactory(enrollment=learner, lesson=text, completed_at=NOW)
    AttemptFactory(enrollment=learner, quiz=quiz, submitted_at=NOW)
    return Course.objects.get(pk=course.pk)


def _written(course: Course) -> Any:
    """Everything that authors wrote in a course, without the numbers of rows."""
    lessons = course.lessons.order_by("section__position", "position").select_related("section", "quiz")
    columns = (
        "slug",
        "title",
        "kind",
        "number",
        "duration",
        "is_preview",
        "is_optional",
        "body",
        "video_id",
        "opens_at",
    )
    return [
        {
            **{name: getattr(one, name) for name in columns},
            "section": one.section.title,
            "opens_after_days": one.opens_after_days,
            "prerequisites": sorted(one.prerequisites.values_list("number", flat=True)),
            "files": sorted(str(use.file.uid) for use in one.file_uses.filter(ended_at=None)),
            "downloads": [(row.name, row.file.upload_id, row.file.course == course) for row in one.downloads.all()],
            "quiz": _quiz(one.quiz) if one.kind == "quiz" else None,
        }
        for one in lessons
    ]


def _quiz(quiz: Quiz) -> Any:
    draws = [
        (row.position, row.count, row.question and row.question.prompt, sorted(tag.name for tag in row.tags.all()))
        for row in quiz.draws.order_by("position")
    ]
    return quiz.pass_percent, quiz.bank_count, _questions(quiz), draws


def _questions(quiz: Quiz) -> Any:
    return [
        (
            one.position, one.prompt, one.options, one.answer, one.explanation, one.rewatch_at,
            one.rewatch_lesson and one.rewatch_lesson.number, sorted(tag.name for tag in one.tags.all()),
        )
        for one in quiz.questions.order_by("position")
    ]  # fmt: skip


def test_a_course_is_copied_whole_and_once(course: Course) -> None:
    browser = Client()
    browser.force_login(course.instructor)
    before = Enrollment.objects.count(), Attempt.objects.count(), _written(course)
    body = {"key": str(uuid4()), "title": "Rivers 2027"}
    addresses = [
        browser.post(f"/api/v1/studio/courses/{course.uid}/copies/", body, content_type="application/json")
        for _ in range(2)
    ]

    assert [one.status_code for one in addresses] == [201, 201], addresses[0].content
    assert addresses[0].json()["uid"] == addresses[1].json()["uid"]
    copy = Course.objects.get(uid=addresses[0].json()["uid"])
    assert (copy.title, copy.status, copy.price, copy.requires_order) == ("Rivers 2027", "draft", 4900, True)
    assert _written(copy) == before[2]
    assert _questions(copy.question_bank) == _questions(course.question_bank)
    assert copy.files.count() == course.files.count()
    assert (copy.lesson_count, copy.required_count) == (3, 2)
    assert (Enrollment.objects.count(), Attempt.objects.count()) == before[:2]


def test_dates_keep_their_time_of_day_across_daylight_saving(course: Course, settings: Any) -> None:
    settings.TIME_ZONE = "Europe/Berlin"
    timezone.get_default_timezone.cache_clear()
    try:
        copy = services.duplicate_course(course=course, by=course.instructor, key=uuid4(), shift_days=10, now=NOW)
    finally:
        timezone.get_default_timezone.cache_clear()
    [dated] = copy.lessons.exclude(opens_at=None)
    assert dated.opens_at == datetime(2027, 3, 30, 6, 0, tzinfo=UTC)  # 8 in the morning, before and after


def test_duplicates_stand_behind_their_originals_and_can_be_undone(course: Course) -> None:
    by, before = course.instructor, _written(course)
    quiz = course.lessons.get(kind="quiz")
    change, copies = services.duplicate_items(
        course=course, by=by, sections=[course.sections.order_by("position")[0].pk], lessons=[quiz.pk], now=NOW
    )
    assert change is not None
    after = _written(course)
    assert [row["number"] for row in after] == ["1.1", "2.1", "3.1", "3.2", "3.3"]
    assert (after[1]["section"], after[1]["files"], after[1]["downloads"]) == (
        f"{before[0]['section']} (copy)",
        before[0]["files"],
        before[0]["downloads"],
    )
    assert after[4]["title"] == f"{quiz.title} (copy)"
    assert after[4]["quiz"] == after[3]["quiz"]
    assert len({row["slug"] for row in after}) == 5
    copied = Question.objects.get(quiz__lesson=copies.lessons[quiz.pk])
    assert copied.pk != quiz.quiz.questions.get().pk
    services.undo_change(change=change, by=by, now=NOW)
    assert _written(course) == before

    again, copies = services.duplicate_items(course=course, by=by, lessons=[quiz.pk], now=NOW)
    assert again is not None
    Lesson.objects.filter(pk=copies.lessons[quiz.pk].pk).update(body="Mine since")
    with pytest.raises(UndoConflict, match="edited since"):
        services.undo_change(change=again, by=by, now=NOW)


def test_everything_that_is_written_in_a_copy_keeps_it_from_being_taken_back(course: Course) -> None:
    """A digest that forgets a table would let the undo of a duplicate delete what was written there since."""
    quiz = Quiz.objects.get(lesson__course=course)
    pk = quiz.lesson.pk
    tagged = quiz.draws.exclude(tags=None).get()
    seen = {digest_contents([pk])[str(pk)]}
    for change in (
        lambda: Quiz.objects.filter(pk=quiz.pk).update(pass_percent=55),
        lambda: Quiz.objects.filter(pk=quiz.pk).update(intro="Read first."),
        lambda: Lesson.objects.filter(pk=pk).update(is_optional=False, opens_after_days=None),
        lambda: quiz.lesson.prerequisites.add(course.lessons.get(title="Springs")),
        lambda: quiz.questions.update(all_or_nothing=True),
        lambda: LessonDownload.objects.create(
            lesson=quiz.lesson, file=CourseFileFactory(course=course), name="x.pdf", position=1
        ),
        lambda: LessonDownload.objects.filter(lesson=quiz.lesson).update(name="y.pdf"),
        lambda: tagged.tags.clear(),
        lambda: tagged.delete(),
    ):
        change()
        seen.add(digest_contents([pk])[str(pk)])
    assert len(seen) == 10
    # What services count is not written by anybody.
    Lesson.objects.filter(pk=pk).update(duration=1, number="9.9")
    Quiz.objects.filter(pk=quiz.pk).update(bank_count=9)
    assert digest_contents([pk])[str(pk)] in seen


@pytest.mark.long
def test_the_pages_duplicate_without_scripts(course: Course) -> None:
    browser = Client()
    browser.force_login(course.instructor)
    own = f"/dashboard/instructor/courses/{course.slug}"
    lesson, section = course.lessons.get(title="Springs"), course.sections.get(title="Deltas")
    browser.post(f"{own}/lectures/{lesson.slug}/duplicate")
    page = browser.post(f"{own}/outline/sections/{section.uid}/duplicate", follow=True).content.decode()
    assert "“Deltas (copy)” was added." in page
    assert [row["title"] for row in _written(course)][:2] == ["Springs", "Springs (copy)"]
    assert course.sections.count() == 3

    form = browser.get(f"{own}/duplicate").content.decode()
    [key] = re.findall(r'name="key" value="([0-9a-f-]{36})"', form)
    wrong = browser.post(f"{own}/duplicate", {"key": key, "title": "", "shift_days": "x"})
    assert wrong.status_code == 422
    for _ in range(2):
        assert browser.post(f"{own}/duplicate", {"key": key, "title": "Again", "shift_days": "7"}).status_code == 302
    assert Course.objects.get(title="Again").lessons.count() == course.lessons.count()


def test_lessons_move_to_another_course_of_the_instructor(course: Course) -> None:
    by = course.instructor
    target = SectionFactory(course__instructor=by, title="Here").course
    LessonFactory(section=target.sections.get(), title="First")
    browser = Client()
    browser.force_login(by)
    address = f"/api/v1/studio/courses/{target.uid}/outline/insert/"
    found = browser.get(address, {"q": "spring"}).json()["results"]
    assert [one["title"] for one in found] == ["Springs"]
    [place] = browser.get(f"/api/v1/studio/courses/{course.uid}/outline/targets/", {"q": "here"}).json()["results"]
    assert (place["uid"], [one["title"] for one in place["sections"]]) == (str(target.uid), ["Here"])
    rows = list(course.lessons.order_by("section__position", "position"))
    uids = [str(one.uid) for one in reversed(rows)]
    body = {"lessons": uids, "section": str(target.sections.get().uid), "position": 1, "is_move": True}
    done = browser.post(address, body, content_type="application/json")

    assert done.status_code == 201, done.content
    written = _written(target)
    assert [row["title"] for row in written] == [*(one.title for one in reversed(rows)), "First"]
    assert written[0]["quiz"] == (80, 2, [(1, "Which of the two?", rows[2].quiz.questions.get().options, {"id": "b"},
        "See the film.", 12, "1.2", [])], [(1, 1, "Linked?", []), (2, 1, None, ["silt"])])  # fmt: skip
    assert sorted(_prompts(target)) == ["Linked?", "Tagged?"]
    assert written[2]["files"]
    assert written[2]["downloads"][0][2]
    assert not course.lessons.exists()
    with pytest.raises(NotFound):  # removed by somebody else while this waited
        services.insert_lessons(
            course=target, by=by, lessons=rows[:1], section=target.sections.get(), position=1, now=NOW
        )
    # Both courses can take it back by themselves, and the learner's work is where it was.
    removal = {"course": str(course.uid), "change": str(course.outline_changes.get().uid)}
    assert done.json()["removals"] == [removal]
    for one in (course, target):
        change = one.outline_changes.get()
        services.undo_change(change=change, by=by, now=timezone.now())
    assert course.lessons.count() == 3
    assert target.lessons.count() == 1
    assert Attempt.objects.filter(quiz__lesson=rows[2]).exists()

    body = {"lessons": uids, "section_title": "From rivers", "position": 1}
    done = browser.post(address, body, content_type="application/json")
    assert [row["section"] for row in _written(target)] == ["Here", *["From rivers"] * 3]
    browser.post(f"/api/v1/studio/courses/{target.uid}/changes/{done.json()['change']['uid']}/undo/")
    assert target.sections.count() == 1


def test_questions_that_say_the_same_stay_two_in_copies(course: Course) -> None:
    by, bank = course.instructor, course.question_bank
    quiz = course.lessons.get(kind="quiz").quiz
    twin = services.duplicate_question(question=bank.questions.get(prompt="Linked?"), by=by, now=NOW)
    services.link_question(quiz=quiz, question=twin, by=by, now=NOW)
    section = SectionFactory(course__instructor=by)
    copied = services.duplicate_course(course=course, by=by, key=uuid4(), now=NOW)
    for _time in range(2):
        services.insert_lessons(
            course=section.course, by=by, lessons=[quiz.lesson], section=section, position=1, now=NOW
        )

    # The second time, the bank has them already.
    assert sorted(_prompts(section.course)) == ["Linked?", "Linked?", "Tagged?"]
    quizzes = [one.quiz for one in [*section.lessons.all(), copied.lessons.get(kind="quiz")]]
    for one in quizzes:
        links = set(one.draws.exclude(question=None).values_list("question__prompt", "question_id"))
        assert [prompt for prompt, _pk in links] == ["Linked?", "Linked?"]
        assert one.bank_count == 3


@pytest.mark.long
def test_a_question_with_another_explanation_is_not_the_same(course: Course) -> None:
    by = course.instructor
    section = SectionFactory(course__instructor=by)
    bank = services.open_bank(course=section.course)
    original = course.question_bank.questions.get(prompt="Linked?")
    QuestionFactory(quiz=bank, prompt="Linked?", explanation="Another one.")
    QuestionFactory(quiz=bank, prompt="Linked?", is_withdrawn=True)
    quiz = course.lessons.get(kind="quiz")
    services.insert_lessons(course=section.course, by=by, lessons=[quiz], section=section, position=1, now=NOW)
    copy = section.lessons.get().quiz.draws.exclude(question=None).get().question
    assert (copy.explanation, copy.is_withdrawn) == (original.explanation, False)


def _prompts(course: Course) -> list[str]:
    return list(Question.objects.filter(quiz__course=course).values_list("prompt", flat=True))


@pytest.mark.long
def test_lessons_of_others_cannot_be_inserted(course: Course) -> None:
    stranger = SectionFactory(course__instructor=UserFactory(role=Role.INSTRUCTOR))
    for user in (stranger.course.instructor, UserFactory(role=Role.ADMIN)):
        browser = Client()
        browser.force_login(user)
        address = f"/api/v1/studio/courses/{stranger.course.uid}/outline/insert/"
        body = {"lessons": [str(course.lessons.all()[0].uid)], "section": str(stranger.uid), "position": 1}
        assert browser.post(address, body, content_type="application/json").status_code == 404
        assert browser.get(address).json()["count"] == 0
    other = f"/api/v1/studio/courses/{course.uid}/copies/"
    browser.force_login(stranger.course.instructor)
    assert browser.post(other, {"key": str(uuid4())}, content_type="application/json").status_code == 403


@pytest.mark.long
def test_a_large_course_is_copied_in_a_bounded_number_of_queries(django_assert_max_num_queries: Any) -> None:
    course = CourseFactory()
    section = SectionFactory(course=course)
    Lesson.objects.bulk_create(
        Lesson(course=course, section=section, kind="text", title=f"{at}", slug=f"s-{at}", position=at, body="x")
        for at in range(1, 301)
    )
    with django_assert_max_num_queries(75):
        copy = services.duplicate_course(course=course, by=course.instructor, key=uuid4(), now=NOW)
    assert copy.lessons.count() == 300
    assert copy.created_at == NOW


# Every table that refers to what is copied: "copied", or why it is not.
RELATIONS = {
    "courses.Section.course": "copied",
    "courses.Lesson.course": "copied",
    "courses.Lesson.section": "copied",
    "courses.Lesson_prerequisites.from_lesson": "copied",
    "courses.Lesson_prerequisites.to_lesson": "copied",
    "courses.Quiz.lesson": "copied",
    "courses.Quiz.course": "copied",
    "courses.Question.quiz": "copied",
    "courses.Question.rewatch_lesson": "copied",
    "courses.Question_tags.question": "copied",
    "courses.Question_tags.questiontag": "copied",
    "courses.QuestionTag.bank": "copied",
    "courses.QuizDraw.quiz": "copied",
    "courses.QuizDraw.question": "copied",
    "courses.QuizDraw_tags.quizdraw": "copied",
    "courses.QuizDraw_tags.questiontag": "copied",
    "courses.CourseFile.course": "copied",
    "courses.CourseFileUse.file": "copied",
    "courses.CourseFileUse.lesson": "copied",
    "courses.LessonDownload.lesson": "copied",
    "courses.LessonDownload.file": "copied",
    "courses.CoursePicture.course": "copied",
    "courses.Course_prerequisites.from_course": "copied",
    "tutor.CourseTutor.course": "copied",
    "courses.Course_prerequisites.to_course": "which courses lead to the original",
    "courses.Course.copied_from": "of the copy itself",
    "courses.Course.next_version_of": "the copy is a course of its own",
    "courses.CourseVersion.course": "history",
    "courses.DiscardedVersion.course": "history",
    "courses.VersionDraft.course": "of a working copy, which the copy is not",
    "courses.SearchDocument.course": "made for each course",
    "courses.OutlineChange.course": "history",
    "courses.IgnoredFinding.course": "decided for the original; the copy is checked by itself",
    "courses.CoInstructor.course": "the copy is its instructor's alone",
    "courses.CoInstructorInvitation.course": "the copy is its instructor's alone",
    "courses.RevenueShare.course": "the copy is its instructor's alone",
    "courses.OwnershipOffer.course": "the copy is its instructor's alone",
    "courses.QuestionImport.course": "history",
    "courses.QuestionImport.quiz": "history",
    "courses.FieldEdit.course": "history",
    "courses.Submission.course": "history",
    "courses.ReviewThread.course": "history",
    "courses.ReviewLink.course": "history",
    "courses.ReviewLink.shown_course": "history",
    "courses.Appeal.course": "history",
    "courses.StatusChange.course": "history",
    "courses.PathCourse.course": "a path names its courses",
}


def test_every_table_about_courses_is_copied_or_listed() -> None:
    roots = {Course, Section, Lesson, Quiz, Question, *(apps.get_model("courses", name) for name in ("QuestionTag",
        "QuizDraw", "CourseFile"))}  # fmt: skip
    found = {
        f"{model._meta.label}.{one.name}"
        for model in apps.get_models(include_auto_created=True)
        for one in model._meta.concrete_fields
        if one.related_model in roots
    }
    authored = {name for name in found if name.startswith("courses.")} | {"tutor.CourseTutor.course"}
    assert authored == set(RELATIONS)
    # What learners, buyers and readers have stands in the other apps, and is never copied.
    assert found - authored
    assert CourseFileUse.objects.count() == 0
