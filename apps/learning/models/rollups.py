"""What jobs count of learners per day, lesson, question and enrollment (docs/adr/0069-rollups.md).

A roll-up holds nothing that other tables don't say: ``manage.py rebuild_rollups`` makes all of them again. Only
`CourseVisit` and `RestartedLesson` are sources: they are written when something happens.
"""

from django.conf import settings
from django.db import models

from apps.courses.models import Course, Lesson, Quiz
from apps.learning.models.enrollment import Enrollment

USER = settings.AUTH_USER_MODEL


class CourseDay(models.Model):
    """What happened in a course on one day (UTC). There is no row for a day on which all of it is zero."""

    FIGURES = (
        *("enrollments", "completions", "active_learners", "active_learners_30"),
        *("watched_seconds", "other_seconds", "ratings", "stars", "page_visitors"),
    )

    course = models.ForeignKey(Course, models.CASCADE, related_name="days")
    day = models.DateField()
    enrollments = models.PositiveIntegerField(default=0, help_text="Begun on this day, also those that ended since.")
    completions = models.PositiveIntegerField(default=0)
    active_learners = models.PositiveIntegerField(default=0)
    active_learners_30 = models.PositiveIntegerField(
        default=0, help_text="Different people active in the 30 days that end with this one."
    )
    watched_seconds = models.PositiveBigIntegerField(default=0)
    other_seconds = models.PositiveBigIntegerField(default=0, help_text="Spent on texts and quizzes.")
    ratings = models.PositiveIntegerField(default=0, help_text="Given on this day and shown now.")
    stars = models.PositiveIntegerField(default=0, help_text="Of these ratings, added up.")
    page_visitors = models.PositiveIntegerField(default=0, help_text="Browsers that read the course page.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["course", "day"], name="one_row_per_course_day")]

    def __str__(self) -> str:
        return f"{self.course_id} {self.day}"


class TeacherDay(models.Model):
    """How many different people were active in any course that somebody teaches, on one day (UTC).

    Who learns in two of the courses counts once, so these can't be added up from `CourseDay`.
    """

    FIGURES = ("active_learners", "active_learners_30")

    user = models.ForeignKey(USER, models.CASCADE, related_name="teacher_days")
    day = models.DateField()
    active_learners = models.PositiveIntegerField(default=0)
    active_learners_30 = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "day"], name="one_row_per_teacher_day")]

    def __str__(self) -> str:
        return f"{self.user_id} {self.day}"


class TeacherRollup(models.Model):
    """Which courses the `TeacherDay` rows of somebody are about: those in which anybody has ever enrolled.

    Who reads them compares: once somebody teaches other courses, the rows say nothing until they are counted again.
    """

    user = models.OneToOneField(USER, models.CASCADE, related_name="teacher_rollup")
    courses = models.JSONField(default=list, help_text="Primary keys, ascending.")

    def __str__(self) -> str:
        return f"{self.user_id}: {self.courses}"


class LessonRollup(models.Model):
    """What learners, also those whose enrollment ended, did in one lesson that the course has now."""

    FIGURES = (
        *("began", "completed", "reached", "left_early", "left_early_of", "bookmarks", "bookmark_learners"),
        *("median_seconds_to_complete", "retention", "retention_learners"),
    )

    lesson = models.OneToOneField(Lesson, models.CASCADE, related_name="rollup")
    began = models.PositiveIntegerField(default=0)
    completed = models.PositiveIntegerField(default=0)
    reached = models.PositiveIntegerField(default=0, help_text="Learners who began this lesson or a later one.")
    left_early = models.PositiveIntegerField(default=0, help_text="Began its video and left it within 15 s.")
    left_early_of = models.PositiveIntegerField(default=0, help_text="Began its video more than a day ago.")
    bookmarks = models.PositiveIntegerField(default=0, help_text="Moments of its video that learners marked.")
    bookmark_learners = models.PositiveIntegerField(default=0)
    median_seconds_to_complete = models.PositiveIntegerField(null=True)
    retention = models.BinaryField(
        null=True, help_text="Per second of its video, how many learners watched it: uint32, little-endian."
    )
    retention_learners = models.PositiveIntegerField(default=0, help_text="Who watched at least one second.")

    def __str__(self) -> str:
        return f"{self.lesson_id}: {self.began}"


class QuestionRollup(models.Model):
    """How the first submitted attempt of each learner answered one question of a quiz."""

    FIGURES = ("responses", "unanswered", "difficulty", "discrimination", "options")

    quiz = models.ForeignKey(Quiz, models.CASCADE, related_name="question_rollups")
    question_uid = models.UUIDField()
    responses = models.PositiveIntegerField(default=0, help_text="Also unanswered ones; essays once they are marked.")
    unanswered = models.PositiveIntegerField(default=0)
    difficulty = models.FloatField(help_text="The mean share of the points that was earned, from 0 to 1.")
    discrimination = models.FloatField(
        null=True, help_text="How it correlates with the rest of the attempt, from -1 to 1."
    )
    options = models.JSONField(default=dict, help_text='How often each was chosen: {"a": 12}; of choices only.')

    class Meta:
        constraints = [models.UniqueConstraint(fields=["quiz", "question_uid"], name="one_rollup_per_question")]

    def __str__(self) -> str:
        return f"{self.question_uid}: {self.difficulty}"


class EnrollmentRollup(models.Model):
    """What lists of learners filter and sort by. Only active enrollments of accounts that exist have one."""

    FIGURES = ("risk", "risk_since", "risk_lesson_id", "quiz_percent", "seconds")

    class Risk(models.TextChoices):
        """Why somebody may not finish (``analytics.risk`` has the rules)."""

        QUIET = "quiet"
        STUCK = "stuck"
        FAILING = "failing"
        SLOW_START = "slow_start"

    enrollment = models.OneToOneField(Enrollment, models.CASCADE, related_name="rollup")
    risk = models.CharField(max_length=10, choices=Risk, blank=True)
    risk_since = models.DateTimeField(null=True)
    risk_lesson = models.ForeignKey(Lesson, models.SET_NULL, null=True, related_name="+")
    quiz_percent = models.PositiveSmallIntegerField(
        null=True, help_text="The mean of the best attempts at each quiz; null without a marked attempt."
    )
    seconds = models.PositiveBigIntegerField(default=0, help_text="All time spent in the course.")

    class Meta:
        indexes = [models.Index(fields=["risk", "enrollment"], condition=~models.Q(risk=""), name="rollup_at_risk")]

    def __str__(self) -> str:
        return f"{self.enrollment_id} {self.risk}"


class CourseVisit(models.Model):
    """How many browsers read a course page on one day (UTC): each counts once a day. Nothing says whose they were."""

    course = models.ForeignKey(Course, models.CASCADE, related_name="visits")
    day = models.DateField()
    visitors = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["course", "day"], name="one_row_of_visits_per_course_day")]

    def __str__(self) -> str:
        return f"{self.course_id} {self.day}: {self.visitors}"


class RestartedLesson(models.Model):
    """When a lesson began again because its video was replaced: what was watched before belongs to the former one."""

    lesson = models.OneToOneField(Lesson, models.CASCADE, related_name="restart")
    restarted_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.lesson_id} {self.restarted_at:%Y-%m-%d %H:%M}"


class RollupState(models.Model):
    """The one row says up to when the roll-ups are counted; without it, nothing was counted yet."""

    ONLY_PK = 1

    counted_until = models.DateTimeField(help_text="Days, and what lists of learners show.")
    lessons_counted_until = models.DateTimeField(help_text="Lessons and questions of courses with activity.")
    all_counted_until = models.DateTimeField(help_text="Everything: each night.")

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(pk=1), name="one_rollup_state")]

    def __str__(self) -> str:
        return f"{self.counted_until:%Y-%m-%d %H:%M}"
