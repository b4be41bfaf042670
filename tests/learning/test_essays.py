"""Essays: attempts that wait for marks, who gives them, and what follows."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from apps.accounts.models import Notification
from apps.courses import services as courses
from apps.courses.errors import QuestionInvalid
from apps.courses.models import Course, Lesson, Question
from apps.courses.questions import Answers
from apps.learning import exports, services
from apps.learning.errors import EssayMarkedMeanwhile, EssayPointsInvalid, QuizTimeOver
from apps.learning.models import Attempt, Certificate, Enrollment, EssayAnswer, EssayMark, LessonProgress, PracticeCard
from apps.learning.queries import marking
from apps.learning.queries.quizzes import attempt_page_out
from studyplatform.kit.errors import NotFound, ValidationFailed
from tests.factories.courses import LessonFactory, QuestionFactory, QuizFactory, SectionFactory
from tests.factories.learning import EnrollmentFactory

pytestmark = pytest.mark.edits_in_place

NOW = timezone.now().replace(microsecond=0)
TEXT = "The river bends\n  because the outer bank wears away."


@pytest.fixture
def told(django_capture_on_commit_callbacks):
    """Run what follows from a change after its commit."""

    def run(step, *args, **kwargs):
        with django_capture_on_commit_callbacks(execute=True):
            return step(*args, **kwargs)

    return run


@pytest.fixture
def quiz(course, enrollment):
    """Three choices of which a learner gets 2/3, and an essay of 4 points: 6 of 7 with it, passed at 80 percent."""
    lesson = LessonFactory(section=SectionFactory(course=course), kind=Lesson.Kind.QUIZ, title="Bends")
    quiz = QuizFactory(lesson=lesson, pass_percent=80)
    steps = [{"id": one, "text": one} for one in "abc"]
    QuestionFactory(quiz=quiz, kind="ordering", options=steps, answer={"ids": ["a", "b", "c"]}, points=3)
    QuestionFactory(
        quiz=quiz, kind="essay", prompt="Why does a river *bend*?", options={"limit": 60}, answer={}, points=4,
        explanation="Banks wear away outside.",
    )  # fmt: skip
    return quiz


def submit(user, quiz, text=TEXT, *, order=("a", "b", "c"), at=NOW, **late):
    attempt = services.open_attempt(user=user, lesson_uid=quiz.lesson.uid, now=at - timedelta(minutes=5))
    attempt.enrollment.user = user
    first, essay = Attempt.objects.get(pk=attempt.pk).asked[0]["uid"], attempt.asked[1]["uid"]
    answers = {first: {"ids": list(order)}, essay: {"text": text}}
    return services.submit_attempt(user=user, attempt=attempt, answers=answers, now=at)[0]


def mark(by, attempt, points, comment="", revision=0, at=NOW):
    essay = EssayAnswer.objects.get(attempt=attempt)
    return services.mark_essay(by=by, essay=essay, earned=Decimal(points), comment=comment, revision=revision, now=at)


def test_an_attempt_waits_until_its_essay_is_marked(leo, ada, quiz, browser_of, told):
    attempt = told(submit, leo, quiz)
    assert (attempt.waiting, attempt.percent, attempt.is_passed, str(attempt.score)) == (1, 42, False, "3.00")
    assert not LessonProgress.objects.exclude(completed_at=None).exists()
    shown = attempt_page_out(attempt, now=NOW)["result"]
    assert (shown["waiting"], shown["best_percent"], shown["headline"]) == (1, 0, "Waiting for your instructor")
    assert [one["verdict"] for one in shown["questions"]] == ["right", "waiting"]
    page = browser_of(leo).get(f"/learn/{quiz.lesson.course.slug}/{quiz.lesson.slug}").content.decode()
    assert "Waiting for your instructor" in page
    assert "The score isn&#39;t known yet" in page or "The score isn't known yet" in page
    assert Notification.objects.get(user=ada, kind="learning.essays_waiting").params == {
        "course": quiz.lesson.course.title
    }
    assert '<span class="vh"> waiting</span>' in browser_of(ada).get("/dashboard/instructor/marking/").content.decode()

    elsewhere = LessonFactory(section=quiz.lesson.section, kind="text", slug="elsewhere", position=9)
    Enrollment.objects.update(last_lesson=elsewhere, last_activity_at=NOW - timedelta(days=9))

    told(mark, ada, attempt, "2.75", "Say more about the inside.")

    attempt.refresh_from_db()
    there = Enrollment.objects.get(user=leo)  # who marks doesn't move the learner
    assert (there.last_lesson, there.last_activity_at) == (elsewhere, NOW - timedelta(days=9))
    assert (attempt.waiting, attempt.percent, attempt.is_passed, str(attempt.score)) == (0, 82, True, "5.75")
    assert LessonProgress.objects.get(lesson=quiz.lesson).completed_at == NOW
    notice = Notification.objects.get(user=leo, kind="learning.essays_marked")
    assert notice.params == {"quiz": "Bends", "percent": 82}
    page = browser_of(leo).get(notice.link).content.decode()
    assert "Say more about the inside." in page
    assert "2.75 of 4 points" in page
    assert "Partly correct" not in page
    assert "The river bends\n  because" in page
    assert not PracticeCard.objects.exists()  # nobody marks an essay in practice


@pytest.mark.parametrize("text", ["", "  \r\n ", "\u200b\u2060", "\u3164"])
def test_an_empty_essay_has_no_points_at_once(leo, quiz, text):
    attempt = submit(leo, quiz, text)

    assert (attempt.waiting, attempt.percent, EssayAnswer.objects.count()) == (0, 42, 0)
    assert attempt.results[1]["verdict"] == "open"


def test_the_limit_counts_code_points_and_a_line_end_once(leo, quiz):
    with pytest.raises(ValidationFailed) as refusal:
        submit(leo, quiz, "𝒙" * 61)
    [[said]] = refusal.value.in_fields.values()
    assert said == {"code": "max_length", "message": "This answer is longer than 60 characters."}
    assert submit(leo, quiz, "𝒙" * 29 + "\r\n" + "𝒙" * 30).waiting == 1


def test_what_arrives_after_the_time_limit_waits_for_nobody(leo, quiz):
    quiz.time_limit = 60
    quiz.save()
    with pytest.raises(QuizTimeOver):
        submit(leo, quiz)
    assert (Attempt.objects.get().waiting, EssayAnswer.objects.count()) == (0, 0)


def test_only_staff_mark_within_the_points_and_never_over_a_mark_they_have_not_seen(leo, ada, eve, sam, quiz):
    attempt = submit(leo, quiz)
    for stranger in (leo, eve):
        with pytest.raises(NotFound):
            mark(stranger, attempt, "1")
    for points in ("-1", "4.25", "0.1", "NaN"):
        with pytest.raises(EssayPointsInvalid):
            mark(ada, attempt, points)

    mark(sam, attempt, "1", "Short.")
    with pytest.raises(EssayMarkedMeanwhile):
        mark(ada, attempt, "3")
    assert mark(sam, attempt, "1", "Short.").revision == 1  # sent twice
    mark(ada, attempt, "3", revision=1)

    rows = EssayMark.objects.order_by("revision").values_list("earned", "comment", "marked_by__username")
    assert [(str(earned), *rest) for earned, *rest in rows] == [("1.00", "Short.", "sam"), ("3.00", "", "ada")]


def test_a_changed_mark_counts_again_exactly_and_takes_nothing_back(leo, ada, quiz, course, told):
    attempt = submit(leo, quiz, order=("a", "c", "b"))  # a third of 3 points
    mark(ada, attempt, "4")
    attempt.refresh_from_db()
    assert (attempt.percent, attempt.is_passed) == (71, False)
    Lesson.objects.exclude(pk=quiz.lesson_id).delete()
    type(quiz).objects.update(pass_percent=100)  # the rule of the day on which it was submitted counts

    other = submit(leo, quiz, at=NOW + timedelta(minutes=1))
    Attempt.objects.filter(pk=other.pk).update(pass_percent=80)
    mark(ada, other, "3", at=NOW + timedelta(minutes=2))
    assert Certificate.objects.count() == 1
    told(mark, ada, other, "0", "A copy.", revision=1, at=NOW + timedelta(minutes=3))

    other.refresh_from_db()
    assert (other.percent, other.is_passed, other.results[1]["verdict"]) == (42, False, "wrong")
    assert LessonProgress.objects.get(lesson=quiz.lesson).completed_at is not None
    assert Certificate.objects.get().revoked_at is None
    assert Notification.objects.get(user=leo, kind="learning.mark_changed").params["percent"] == 42


def test_essays_are_marked_as_they_were_asked(leo, ada, quiz, course):
    attempt = submit(leo, quiz)
    question = quiz.questions.get(kind="essay")
    draft = courses.QuestionDraft(kind="truth", prompt="Another?", answers=Answers(truth=True), points=9)
    courses.edit_question(question=question, by=ada, draft=draft, now=NOW)
    courses.delete_question(question=question, by=ada, now=NOW)
    Course.objects.filter(pk=course.pk).update(status=Course.Status.ARCHIVED)

    case = marking.case_of(ada, EssayAnswer.objects.get().pk)
    assert (case.question.prompt, case.essay.points, case.text) == ("Why does a river *bend*?", 4, TEXT)
    mark(ada, attempt, "4")
    attempt.refresh_from_db()
    assert attempt.percent == 100


def test_what_nobody_may_read_anymore_leaves_the_list_and_is_erased_with_the_account(leo, ada, sam, quiz, enrollment):
    attempt = submit(leo, quiz)
    parts = {part.path: list(part.rows) for part in exports.of_learning(leo)}
    assert parts["learning/essays.json"][0]["points"] == 4
    enrollment.revoked_at = NOW
    enrollment.save()
    assert not marking.essays_for(ada).exists()
    with pytest.raises(NotFound):
        mark(ada, attempt, "4")
    enrollment.revoked_at = None
    enrollment.save()
    assert marking.essays_for(sam).count() == 1

    services.forget_essays(user_id=leo.pk)
    services.forget_essays(user_id=leo.pk)

    attempt.refresh_from_db()
    assert (attempt.waiting, EssayAnswer.objects.count()) == (0, 0)
    assert TEXT not in f"{attempt.answers} {attempt.results}"


def test_an_instructor_marks_one_answer_after_the_other(
    ada, eve, quiz, course, browser_of, django_assert_max_num_queries, monkeypatch
):
    monkeypatch.setattr(marking, "PAGE_SIZE", 2)
    attempts = [submit(EnrollmentFactory(course=course).user, quiz, f"Answer {n}") for n in range(3)]
    browser, address = browser_of(ada), "/dashboard/instructor/marking/"
    with django_assert_max_num_queries(10):
        page = browser.get(address).content.decode()
    assert page.count('class="table__title"') == 2
    assert "Answer 0" in page
    assert browser.get(f"{address}?page=2").content.decode().count('class="table__title"') == 1
    essays = list(EssayAnswer.objects.order_by("pk"))
    form = {"essay": essays[0].pk, "after": essays[1].pk, "revision": 0, "points": "2,5", "comment": "Good."}

    refused = browser.post(address, form | {"points": "five"})
    assert refused.status_code == 400
    assert "Good." in refused.content.decode()
    assert "from 0 to 4" in browser.post(address, form | {"points": "5"}).content.decode()
    browser_of(eve).post(address, form)
    assert not EssayMark.objects.exists()
    saved = browser.post(f"{address}?quiz={quiz.lesson_id}", form)
    assert saved["Location"].endswith(f"item={essays[1].pk}")
    assert "Answer 1" in browser.get(saved["Location"]).content.decode()
    conflict = browser.post(address, form | {"points": "1"}).content.decode()
    assert "Someone" in conflict or "Their mark" in conflict
    assert 'name="revision" value="1"' in conflict
    marked = browser.get(f"{address}?tab=marked").content.decode()
    assert "2.5 of 4" in marked
    assert Attempt.objects.get(pk=attempts[0].pk).waiting == 0
    assert "Nothing to mark" in browser_of(eve).get(address).content.decode()


def test_a_quiz_has_a_limited_number_of_essays(ada, quiz, monkeypatch):
    monkeypatch.setattr("apps.courses.services.quizzes.MAX_ESSAYS", 1)
    with pytest.raises(QuestionInvalid) as refusal:
        courses.duplicate_question(question=quiz.questions.get(kind="essay"), by=ada, now=NOW)
    assert "up to 1 essays" in refusal.value.problem
    assert quiz.questions.filter(kind=Question.Kind.ESSAY).count() == 1
