"""Nobody gets a passage of a lesson that they may not open, whatever was bought, refunded, locked or withdrawn.

Hypothesis draws sequences of what happens to two courses and their people. After each, everyone asks, and what they get
is compared with ``policies.open_lesson``, the rule of the lesson's page.
"""

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.utils import timezone
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as sequences
from hypothesis import strategies as st

from apps.accounts.models import Role, User
from apps.accounts.policies import AnyUser
from apps.courses.models import Course, Lesson, Quiz
from apps.courses.policies import is_staff_of
from apps.learning import policies
from apps.learning.models import Attempt, Enrollment, LessonProgress
from apps.learning.outline import blocker_of
from apps.learning.queries.outline import outline_of, standing_of
from apps.learning.quizzes.attempts import QuizAttempts
from apps.learning.services import follow_access, revoke_enrollment
from apps.tutor.models import Passage
from apps.tutor.retrieval import index
from apps.tutor.retrieval.search import About, Question, scope_of, scopes_of, search, search_all
from studyplatform.kit.caching.lru import clear_caches
from tests.factories.accounts import UserFactory
from tests.factories.courses import CourseFactory, LessonFactory, QuestionFactory, QuizFactory, SectionFactory
from tests.factories.learning import AttemptFactory, LessonProgressFactory

pytestmark = pytest.mark.django_db
LESSONS = 3  # of each course, and a quiz after them

learner, course, lesson = st.integers(0, 1), st.integers(0, 1), st.integers(0, LESSONS)
STEPS = st.one_of(
    st.tuples(st.just("grant"), learner, course),
    st.tuples(st.just("grant"), learner, course),
    st.tuples(st.just("revoke"), learner, course),
    st.tuples(st.just("status"), course, st.sampled_from(Course.Status.values)),
    st.tuples(st.just("order"), course, st.booleans()),
    st.tuples(st.just("preview"), course, lesson, st.booleans()),
    st.tuples(st.just("complete"), learner, course, lesson),
    st.tuples(st.just("start"), learner, course),
    st.tuples(st.just("submit"), learner, course, st.booleans()),
    st.tuples(st.just("reveal"), course, st.sampled_from(Quiz.Reveal.values), st.integers(0, 2)),
    st.tuples(st.just("block"), learner, st.booleans()),
    st.tuples(st.just("hand_over"), course, st.booleans()),
    st.tuples(st.just("delete"), course, lesson),
)


class World:
    """Two courses of two instructors, two learners, an admin and a visitor."""

    def __init__(self) -> None:
        self.teachers = [UserFactory(role=Role.INSTRUCTOR) for _ in range(2)]
        self.learners = [UserFactory() for _ in range(2)]
        self.admin = UserFactory(role=Role.ADMIN)
        self.courses = [CourseFactory(instructor=teacher, status="published") for teacher in self.teachers]
        for one in self.courses:
            section = SectionFactory(course=one)
            for number in range(LESSONS):
                self._write(LessonFactory(section=section, course=one, position=number))
            check = LessonFactory(section=section, course=one, kind="quiz", position=LESSONS)
            self._write(check, QuestionFactory(quiz=QuizFactory(lesson=check)).pk)

    def _write(self, lesson: Lesson, question: int | None = None) -> None:
        Passage.objects.create(
            course=lesson.course,
            lesson=lesson,
            kind="text",
            position=0,
            text=f"A river bends {lesson.pk}.",
            words="bend",
        )
        if question is not None:
            told = f"The river bends because {lesson.pk}."
            kind = Passage.Kind.EXPLANATION
            Passage.objects.create(
                course=lesson.course, lesson=lesson, question_id=question, kind=kind, position=1, text=told
            )

    def lessons(self, course: int) -> list[Lesson]:
        return list(self.courses[course].lessons.order_by("position"))

    def enrollment(self, learner: int, course: int) -> Enrollment | None:
        return Enrollment.objects.filter(user=self.learners[learner], course=self.courses[course]).first()

    def grant(self, who: int, where: int) -> None:
        follow_access(self.learners[who], self.courses[where], timezone.now())

    def revoke(self, who: int, where: int) -> None:
        revoke_enrollment(self.learners[who], self.courses[where], timezone.now())

    def status(self, where: int, status: str) -> None:
        Course.objects.filter(pk=self.courses[where].pk).update(status=status)

    def order(self, where: int, on: bool) -> None:
        Course.objects.filter(pk=self.courses[where].pk).update(requires_order=on)

    def preview(self, where: int, number: int, on: bool) -> None:
        Lesson.objects.filter(course=self.courses[where], position=number).update(is_preview=on)

    def complete(self, who: int, where: int, number: int) -> None:
        enrollment = self.enrollment(who, where)
        found = Lesson.objects.filter(course=self.courses[where], position=number).first()
        if enrollment and found and not LessonProgress.objects.filter(enrollment=enrollment, lesson=found).exists():
            LessonProgressFactory(enrollment=enrollment, lesson=found, completed_at=timezone.now())

    def start(self, who: int, where: int) -> None:
        enrollment = self.enrollment(who, where)
        quiz = Quiz.objects.filter(lesson__course=self.courses[where]).first()
        if enrollment and quiz and not Attempt.objects.filter(enrollment=enrollment, submitted_at=None).exists():
            AttemptFactory(enrollment=enrollment, quiz=quiz)

    def submit(self, who: int, where: int, is_passed: bool) -> None:
        opened = Attempt.objects.filter(
            enrollment__user=self.learners[who], quiz__lesson__course=self.courses[where], submitted_at=None
        )
        opened.update(submitted_at=timezone.now(), is_passed=is_passed)

    def reveal(self, where: int, rule: str, most: int) -> None:
        Quiz.objects.filter(lesson__course=self.courses[where]).update(reveal=rule, max_attempts=most)

    def block(self, who: int, on: bool) -> None:
        User.objects.filter(pk=self.learners[who].pk).update(is_active=not on)

    def hand_over(self, where: int, to_other: bool) -> None:
        teacher = self.teachers[1 - where if to_other else where]
        Course.objects.filter(pk=self.courses[where].pk).update(instructor=teacher)

    def delete(self, where: int, number: int) -> None:
        gone = {"course": self.courses[where], "position": number}
        found = Lesson.objects.filter(**gone).first()
        if found is not None:
            Attempt.objects.filter(quiz__lesson=found).delete()
            LessonProgress.objects.filter(lesson=found).delete()
            found.delete()

    def everyone(self) -> list[AnyUser]:
        people = [*self.teachers, *self.learners, self.admin]
        return [*User.objects.filter(pk__in=[one.pk for one in people]), AnonymousUser()]


def may_read(user: AnyUser, passage: Passage) -> bool:
    """What the pages of the lesson and of its quiz show."""
    course = Course.objects.get(pk=passage.course_id)
    lesson = Lesson.objects.select_related("course").get(pk=passage.lesson_id)
    if isinstance(user, User) and not user.is_active:
        user = AnonymousUser()  # a blocked user cannot be signed in
    standing = standing_of(user, course)
    blocker = blocker_of(course, outline_of(course), standing, lesson.pk)
    if policies.open_lesson(user, lesson, standing, blocker) is not None:
        return False
    if passage.kind != Passage.Kind.EXPLANATION:
        return True
    if standing.enrollment is None:
        return is_staff_of(user, course)
    attempts = tuple(standing.enrollment.attempts.filter(quiz__lesson=lesson).order_by("number"))
    shown = QuizAttempts(Quiz.objects.get(lesson=lesson), attempts, timezone.now())
    return (shown.shows_answers or standing.is_staff) and shown.open_attempt is None


def check(steps: list[tuple]) -> None:
    with transaction.atomic():
        clear_caches()
        world = World()
        for name, *arguments in steps:
            getattr(world, name)(*arguments)
        index._kept = index._Kept()
        passages = list(Passage.objects.all())
        everyone = world.everyone()
        scopes = scopes_of([About(user) for user in everyone])
        together = search_all([Question("why does a river bend", scope) for scope in scopes], limit=50)
        for user, scope, same in zip(everyone, scopes, together, strict=True):
            assert scope == scope_of(user), (user, steps)
            found = {part.pk for one in search("why does a river bend", scope, limit=50) for part in one.parts}
            allowed = {one.pk for one in passages if may_read(user, one)}
            assert found == allowed == {part.pk for one in same for part in one.parts}, (user, steps)
        transaction.set_rollback(True)


@given(st.lists(STEPS, max_size=8))
@sequences(
    max_examples=8,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
def test_nobody_gets_a_passage_that_they_may_not_open(steps):
    check(steps)


@pytest.mark.long
@given(st.lists(STEPS, min_size=4, max_size=30))
@sequences(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
def test_nobody_gets_a_passage_after_any_sequence(steps):
    check(steps)
