"""Quizzes as they are defined: rules, questions and answers."""

import uuid
from fractions import Fraction

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from apps.courses.models.course import Course
from apps.courses.models.live import LiveManager, Removable, Versioned
from apps.courses.models.outline import Lesson
from studyplatform.kit.names import NameField
from studyplatform.kit.text.comparison import Strictness
from studyplatform.kit.text.numbers import write_number


class Quiz(models.Model):
    """A quiz's rules. Its questions contain the answers, which are sent to a browser only as ``reveal`` allows."""

    class Reveal(models.TextChoices):
        PASSED = "passed", _("After a pass or the last attempt")
        ALWAYS = "always", _("After every attempt")
        NEVER = "never", _("Never")

    # Of a question bank it is None. Who reads quizzes reads those of lessons, and need not ask.
    lesson: "models.OneToOneField[Lesson | None, Lesson]" = models.OneToOneField(  # type: ignore[misc]
        Lesson, models.CASCADE, null=True, related_name="quiz"
    )
    course = models.OneToOneField(
        Course,
        models.CASCADE,
        null=True,
        related_name="question_bank",
        help_text="Of a question bank: no lesson has it, and the course's quizzes draw from it.",
    )
    intro = models.TextField(blank=True)
    pass_percent = models.PositiveSmallIntegerField(default=70)
    max_attempts = models.PositiveSmallIntegerField(default=0, help_text="0 = unlimited.")
    time_limit = models.PositiveIntegerField(default=0, help_text="Seconds; 0: none.")
    reveal = models.CharField(
        max_length=6, choices=Reveal.choices, default=Reveal.PASSED, help_text="When the correct answers are shown."
    )
    retry_wait = models.PositiveIntegerField(
        default=60, help_text="Seconds between attempts after the second, where attempts are unlimited; 0: none."
    )

    draw_count = models.PositiveSmallIntegerField(
        default=0, help_text="How many questions each attempt draws at random; 0: all of them."
    )
    shuffle_questions = models.BooleanField(default=False, help_text="Each attempt asks them in its own order.")
    shuffle_options = models.BooleanField(default=False, help_text="Each attempt lists the choices in its own order.")

    bank_count = models.PositiveSmallIntegerField(
        default=0, help_text="How many questions each attempt gets from the question bank; kept by services."
    )

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(pass_percent__lte=100), name="quiz_pass_percent_range"),
            models.CheckConstraint(
                condition=Q(lesson__isnull=False, course__isnull=True) | Q(lesson__isnull=True, course__isnull=False),
                name="quiz_of_lesson_or_bank_of_course",
            ),
        ]

    def __str__(self) -> str:
        return f"Quiz of {self.lesson_id}" if self.lesson_id else f"Question bank of course {self.course_id}"

    @property
    def of_course(self) -> Course:
        """The course of the quiz's lesson, or that of a question bank."""
        return self.course if self.course is not None else self.lesson.course

    def asks(self, pool: int) -> int:
        """Return how many of its own questions, of which there are ``pool``, one attempt asks."""
        return min(self.draw_count or pool, pool)


class Question(Versioned, Removable):
    """One question.

    ``options`` is shown to everyone, ``answer`` is known only to the server:

    single    options [{"id", "text"}]                       answer {"id": "b", "shares": {"c": "1/2"}}
              (shares of the points that other choices earn; often there are none)
    multiple  options [{"id", "text"}]                       answer {"ids": ["a", "c"]}
    truth     options []                                     answer {"value": true}
    numeric   options {"unit": "m"}                          answer {"value": "3.2", "tolerance": "0.1"} (or "5%")
    text      options []                                     answer {"accepted": ["osmosis"], "ignores_accents": true,
                                                                     "is_case_sensitive": true, "language": "en",
                                                                     "has_wildcards": true,
                                                                     "partly": [{"text": "diffusion", "share": "1/2"}]}
    ordering  options [{"id", "text"}] (as shown: shuffled)  answer {"ids": ["c", "a", "b"]}
    matching  options {"left": [{"id","text"}], "right": [{"id","text"}]}  answer {"pairs": {"a": "2", "b": "1"}}
              (several left sides may have one partner, and a right side none)
    gaps      options {"gaps": [{"number": 1, "kind", "points", "options"}]}  answer {"gaps": {"1": answer}}
              in the order of the marks in the prompt ("[[1]]"); each field is a single, text or numeric one
    essay     options {"limit": 5000} (code points)          answer {}: the course's staff marks it
    """

    class Kind(models.TextChoices):
        SINGLE = "single", _("Single choice")
        MULTIPLE = "multiple", _("Multiple choice")
        TRUTH = "truth", _("True or false")
        NUMERIC = "numeric", _("Number")
        TEXT = "text", _("Short text")
        ORDERING = "ordering", _("Ordering")
        MATCHING = "matching", _("Matching")
        GAPS = "gaps", _("Text with gaps")
        ESSAY = "essay", _("Essay")

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    quiz = models.ForeignKey(Quiz, models.CASCADE, related_name="questions")
    position = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=8, choices=Kind.choices)
    prompt = models.TextField(help_text="Markdown.")
    options = models.JSONField(default=list)
    answer = models.JSONField()
    points = models.PositiveSmallIntegerField(default=1)
    explanation = models.TextField(blank=True, help_text="Shown with a right answer, or with the right answers.")
    remarks = models.JSONField(default=dict, help_text="Per wrong option id: what choosing it would have meant.")
    all_or_nothing = models.BooleanField(default=False, help_text="A partly right answer earns no points.")
    is_withdrawn = models.BooleanField(default=False, help_text="Kept, but asked in no new attempt and not practiced.")
    tags: "models.ManyToManyField[QuestionTag, models.Model]" = models.ManyToManyField(
        "QuestionTag", blank=True, related_name="questions"
    )
    rewatch_lesson = models.ForeignKey(Lesson, models.SET_NULL, null=True, blank=True, related_name="+")
    rewatch_at = models.PositiveIntegerField(null=True, blank=True, help_text="Second of that lesson's video.")

    objects = LiveManager()
    with_removed = models.Manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["quiz", "position"], condition=Q(removed_at=None), name="one_question_per_position"
            ),
        ]

    def __str__(self) -> str:
        return self.prompt[:60]

    @property
    def gaps(self) -> "list[Question]":
        """The fields of a text with gaps, in the order of the text: each as a question of its own kind with its points.

        ``position`` is the number of its mark. They are not rows of the database.
        """
        if self.kind != Question.Kind.GAPS:
            return []
        return [
            Question(
                uid=self.uid,
                position=field["number"],
                kind=field["kind"],
                points=field["points"],
                options=field["options"],
                answer=self.answer["gaps"][str(field["number"])],
            )
            for field in self.options["gaps"]
        ]

    @property
    def unit(self) -> str:
        """The unit of a numeric question; "" without one."""
        return str(self.options.get("unit", "")) if isinstance(self.options, dict) else ""

    @property
    def tolerance(self) -> str:
        """How far from the value a number may be, as its author wrote it: "0.1" or "5%"; "" for not at all."""
        tolerance = str(self.answer.get("tolerance") or "")
        share = tolerance.endswith("%")
        return f"{write_number(Fraction(tolerance.rstrip('%')))}{'%' if share else ''}" if tolerance else ""

    @property
    def accepted_range(self) -> tuple[Fraction, Fraction]:
        """The lowest and the highest number that are right. Exact: there is no rounding at the edges."""
        value, tolerance = Fraction(str(self.answer["value"])), self.tolerance or "0"
        within = abs(value) * Fraction(tolerance[:-1]) / 100 if tolerance.endswith("%") else Fraction(tolerance)
        return value - within, value + within

    @property
    def strictness(self) -> Strictness:
        """How a short text is compared with the accepted ones. Accents count unless the author forgives them."""
        return Strictness(
            ignores_accents=bool(self.answer.get("ignores_accents")),
            is_case_sensitive=bool(self.answer.get("is_case_sensitive")),
            language=str(self.answer.get("language") or ""),
            has_wildcards=bool(self.answer.get("has_wildcards")),
        )


class QuestionTag(models.Model):
    """A tag of questions in a bank. ``key`` is its name without case, by which it is found."""

    bank = models.ForeignKey(Quiz, models.CASCADE, related_name="tags")
    name = NameField(max_length=40)
    key = models.CharField(max_length=80)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["bank", "key"], name="one_tag_per_key")]

    def __str__(self) -> str:
        return self.name


class QuizDraw(Versioned):
    """What each attempt at a quiz gets from the question bank of its course.

    It is one question, which is then called linked, or ``count`` of those that have all of the ``tags``.
    """

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    quiz = models.ForeignKey(Quiz, models.CASCADE, related_name="draws")
    position = models.PositiveSmallIntegerField()
    question = models.ForeignKey(Question, models.CASCADE, null=True, related_name="draws")
    tags = models.ManyToManyField(QuestionTag, related_name="draws")
    count = models.PositiveSmallIntegerField(default=1)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["quiz", "position"], name="one_draw_per_position"),
            models.UniqueConstraint(fields=["quiz", "question"], name="one_link_per_question"),
            models.CheckConstraint(
                condition=Q(count__gte=1) & (Q(question__isnull=True) | Q(count=1)), name="draw_count_range"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.count} of quiz {self.quiz_id}"
