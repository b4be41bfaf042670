"""The catalogue: subjects, courses, sections, lessons, quiz definitions, and the review of courses."""

import uuid
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import ExpressionWrapper, F, Q
from django.utils.translation import gettext_lazy as _

from apps.files.models import Upload, VideoAsset


class Subject(models.Model):
    """A field of study. Its slug decides the pattern family and inks of its courses' plates."""

    slug = models.SlugField(max_length=40, unique=True)
    name = models.CharField(max_length=60)
    position = models.PositiveSmallIntegerField(default=0)

    class Meta:
        verbose_name = _("category")
        verbose_name_plural = _("categories")

    def __str__(self) -> str:
        return self.name


# As if five more people had given 4.2 stars each: one enthusiast does not beat a thousand.
EVEN_RATING = ExpressionWrapper((F("rating_sum") + 21.0) / (F("rating_count") + 5.0), output_field=models.FloatField())


class Availability(models.TextChoices):
    """What a learner is told of a course's status."""

    NOW = "now", _("Available Now")
    SOON = "soon", _("Coming Soon")
    PAST = "past", _("No Longer Available")


def availability_of(status: str, *, is_enrolled: bool) -> Availability:
    """What a person is told of a course with this status.

    A course that is a draft again, under review again, suspended or archived is closed to new learners, and those
    who hold a seat keep it: they are told so, whatever is planned for it. To all others a draft is still to come.
    """
    if status == Course.Status.PUBLISHED:
        return Availability.NOW
    if status in {Course.Status.DRAFT, Course.Status.REVIEW} and not is_enrolled:
        return Availability.SOON
    return Availability.PAST


class CourseQuerySet(models.QuerySet["Course"]):
    def listed(self) -> Self:
        """What the catalogue shows to everyone: published, archived, and drafts their teacher announces."""
        return self.filter(
            Q(status__in=[Course.Status.PUBLISHED, Course.Status.ARCHIVED])
            | Q(status__in=[Course.Status.DRAFT, Course.Status.REVIEW], is_announced=True)
        )

    def shown(self) -> Self:
        """What the catalogue shows until somebody asks for courses that are no longer available."""
        return self.listed().exclude(status=Course.Status.ARCHIVED)

    def published(self) -> Self:
        return self.filter(status=Course.Status.PUBLISHED)

    def taught_by(self, user_id: int) -> Self:
        return self.filter(instructor_id=user_id)


class Course(models.Model):
    class Status(models.TextChoices):
        DRAFT = "draft", _("Draft")
        REVIEW = "review", _("Under review")
        PUBLISHED = "published", _("Published")
        SUSPENDED = "suspended", _("Suspended")
        ARCHIVED = "archived", _("Archived")

    class Difficulty(models.TextChoices):
        BEGINNER = "beginner", _("Beginner")
        INTERMEDIATE = "intermediate", _("Intermediate")
        ADVANCED = "advanced", _("Advanced")

    class Pricing(models.TextChoices):
        FREE = "free", _("Free")
        ONE_TIME = "one_time", _("One-time price")
        PREMIUM = "premium", _("Included in Premium")

    TRANSITIONS: dict[str, set[str]] = {
        Status.DRAFT: {Status.REVIEW},
        Status.REVIEW: {Status.DRAFT, Status.PUBLISHED},
        Status.PUBLISHED: {Status.DRAFT, Status.SUSPENDED, Status.ARCHIVED},
        Status.SUSPENDED: {Status.PUBLISHED, Status.DRAFT, Status.ARCHIVED},
        Status.ARCHIVED: {Status.PUBLISHED},
    }

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    slug = models.SlugField(max_length=80, unique=True)
    title = models.CharField(max_length=120)
    summary = models.CharField(max_length=220, blank=True)
    description = models.TextField(blank=True, help_text="Markdown.")
    subject = models.ForeignKey(Subject, models.PROTECT, related_name="courses", verbose_name=_("category"))
    instructor = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="courses_taught")
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.DRAFT)
    is_announced = models.BooleanField(default=False, help_text='A draft shown as "Coming Soon".')
    difficulty = models.CharField(max_length=12, choices=Difficulty.choices, default=Difficulty.BEGINNER)
    language = models.CharField(max_length=12, default="en", help_text="BCP 47.")
    pricing = models.CharField(max_length=10, choices=Pricing.choices, default=Pricing.FREE)
    price = models.PositiveIntegerField(default=0, help_text="Minor units; the list price of a one-time purchase.")
    currency = models.CharField(max_length=3, default="usd")
    outcomes = models.JSONField(default=list, help_text="What a learner will be able to do: a list of sentences.")
    before_you_begin = models.TextField(blank=True, help_text="Markdown.")
    prerequisites = models.ManyToManyField("self", symmetrical=False, blank=True, related_name="leads_to")
    requires_order = models.BooleanField(default=False, help_text="A lesson opens when those before it are complete.")
    plate_variant = models.PositiveSmallIntegerField(default=0)
    plate = models.TextField(blank=True, help_text="The course's artwork, SVG drawn from its slug and subject.")
    version = models.PositiveIntegerField(
        default=1, help_text="Raised when the outline changes; keys cached fragments."
    )
    # Kept by services, so that lists need no aggregation.
    lesson_count = models.PositiveIntegerField(default=0)
    duration = models.PositiveIntegerField(default=0, help_text="Seconds of all lessons.")
    rating_count = models.PositiveIntegerField(default=0)
    rating_sum = models.PositiveIntegerField(default=0)
    learner_count = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    published_at = models.DateTimeField(null=True, blank=True)

    objects = CourseQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(pricing="one_time", price__gt=0) | (~Q(pricing="one_time") & Q(price=0)),
                name="only_one_time_courses_have_a_price",
            ),
        ]
        indexes = [
            # The orders of the catalogue: a page of it reads its 24 rows and no others.
            models.Index(F("learner_count").desc(), "id", name="course_by_learners"),
            models.Index(F("published_at").desc(), "id", name="course_by_date"),
            models.Index("duration", "id", name="course_by_length"),
            models.Index(EVEN_RATING.desc(), "id", name="course_by_rating"),
            models.Index(fields=["instructor", "-updated_at"], name="course_of_instructor"),
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def rating(self) -> float:
        """The mean of all ratings, 0 when there is none."""
        return self.rating_sum / self.rating_count if self.rating_count else 0.0

    @property
    def is_open(self) -> bool:
        """Whether new learners may enroll."""
        return self.status == self.Status.PUBLISHED

    def availability_for(self, *, is_enrolled: bool) -> Availability:
        """What a learner with or without a seat is told of its status."""
        return availability_of(self.status, is_enrolled=is_enrolled)


class Section(models.Model):
    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    course = models.ForeignKey(Course, models.CASCADE, related_name="sections")
    title = models.CharField(max_length=120)
    position = models.PositiveSmallIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["course", "position"], name="one_section_per_position"),
        ]

    def __str__(self) -> str:
        return self.title


class Lesson(models.Model):
    """A video, a text, a quiz or a file to download. ``position`` counts within the section."""

    class Kind(models.TextChoices):
        VIDEO = "video", _("Video")
        TEXT = "text", _("Text")
        QUIZ = "quiz", _("Quiz")
        FILE = "file", _("File")

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    course = models.ForeignKey(Course, models.CASCADE, related_name="lessons")
    section = models.ForeignKey(Section, models.CASCADE, related_name="lessons")
    slug = models.SlugField(max_length=80)
    title = models.CharField(max_length=120)
    kind = models.CharField(max_length=6, choices=Kind.choices)
    position = models.PositiveSmallIntegerField()
    number = models.CharField(max_length=8, blank=True, help_text='As shown, e.g. "2.4"; kept by services.')
    summary = models.CharField(max_length=220, blank=True)
    duration = models.PositiveIntegerField(default=0, help_text="Seconds: of the video, or the time reading takes.")
    is_preview = models.BooleanField(default=False, help_text="Open to everyone.")
    body = models.TextField(blank=True, help_text="Markdown: a text lesson, or what stands beside a video.")
    video = models.ForeignKey(VideoAsset, models.SET_NULL, null=True, blank=True, related_name="lessons")
    file = models.OneToOneField(
        Upload,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="lesson",
        help_text="What a file lesson hands out. While it does, the upload cannot be deleted.",
    )
    prerequisites = models.ManyToManyField(
        "self",
        symmetrical=False,
        blank=True,
        related_name="needed_by",
        help_text="Lessons of the same course that must be complete first; services keep out circles.",
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["course", "slug"], name="one_lesson_per_slug"),
            models.UniqueConstraint(fields=["section", "position"], name="one_lesson_per_position"),
        ]
        indexes = [models.Index(fields=["course", "section", "position"], name="lesson_order")]

    def __str__(self) -> str:
        return self.title


class Quiz(models.Model):
    """A quiz's rules. Its questions carry the answers, which reach a browser only as ``reveal`` allows."""

    class Reveal(models.TextChoices):
        PASSED = "passed", _("After a pass or the last attempt")
        ALWAYS = "always", _("After every attempt")
        NEVER = "never", _("Never")

    lesson = models.OneToOneField(Lesson, models.CASCADE, related_name="quiz")
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

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(pass_percent__lte=100), name="quiz_pass_percent_range")]

    def __str__(self) -> str:
        return f"Quiz of {self.lesson_id}"


class Question(models.Model):
    """One question.

    ``options`` is what everyone sees, ``answer`` what only the server knows:

    single    options [{"id", "text"}]                       answer {"id": "b"}
    multiple  options [{"id", "text"}]                       answer {"ids": ["a", "c"]}
    truth     options []                                     answer {"value": true}
    numeric   options {"unit": "m"}                          answer {"value": 3.2, "tolerance": 0.1}
    text      options []                                     answer {"accepted": ["osmosis"]} (case and accents fold)
    ordering  options [{"id", "text"}] (as shown: shuffled)  answer {"ids": ["c", "a", "b"]}
    matching  options {"left": [{"id","text"}], "right": [{"id","text"}]}  answer {"pairs": {"a": "2", "b": "1"}}
    """

    class Kind(models.TextChoices):
        SINGLE = "single", _("Single choice")
        MULTIPLE = "multiple", _("Multiple choice")
        TRUTH = "truth", _("True or false")
        NUMERIC = "numeric", _("Number")
        TEXT = "text", _("Short text")
        ORDERING = "ordering", _("Ordering")
        MATCHING = "matching", _("Matching")

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
    rewatch_lesson = models.ForeignKey(Lesson, models.SET_NULL, null=True, blank=True, related_name="+")
    rewatch_at = models.PositiveIntegerField(null=True, blank=True, help_text="Second of that lesson's video.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["quiz", "position"], name="one_question_per_position"),
        ]

    def __str__(self) -> str:
        return self.prompt[:60]


class Submission(models.Model):
    """One submission of a course for review; a course keeps the history of them."""

    class Outcome(models.TextChoices):
        PENDING = "pending", _("Pending")
        APPROVED = "approved", _("Approved")
        CHANGES_REQUESTED = "changes_requested", _("Changes requested")
        REJECTED = "rejected", _("Needs revision")
        WITHDRAWN = "withdrawn", _("Withdrawn")

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    course = models.ForeignKey(Course, models.CASCADE, related_name="submissions")
    submitted_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    submitted_at = models.DateTimeField()
    outcome = models.CharField(max_length=20, choices=Outcome.choices, default=Outcome.PENDING)
    note = models.TextField(blank=True, help_text="From the instructor to the reviewer.")
    comment = models.TextField(blank=True, help_text="From the reviewer to the instructor.")
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    decided_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["course"], condition=Q(outcome="pending"), name="one_pending_submission_per_course"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.course_id} {self.outcome}"


class StatusChange(models.Model):
    """One step in a course's life: who moved it, when, and why. Kept; never edited."""

    course = models.ForeignKey(Course, models.CASCADE, related_name="status_changes")
    was = models.CharField(max_length=10, choices=Course.Status.choices)
    became = models.CharField(max_length=10, choices=Course.Status.choices)
    changed_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    changed_at = models.DateTimeField()
    reason = models.TextField(blank=True)

    class Meta:
        indexes = [models.Index(fields=["course", "-changed_at"], name="course_status_history")]

    def __str__(self) -> str:
        return f"{self.course_id} {self.was}→{self.became}"


class SearchDocument(models.Model):
    """What full-text search reads of a course: one row per course, written by ``services.search`` alone.

    All text is folded (lower case, no accents), so that both databases find "resume" in "résumé".
    The migration adds what the ORM does not know: on SQLite a full-text table kept by triggers on this
    one (a migration that rebuilds this table must make them again), on PostgreSQL a generated column.
    """

    course = models.OneToOneField(Course, models.CASCADE, primary_key=True, related_name="search_document")
    title = models.TextField()
    terms = models.TextField(help_text="Subject, instructor and outcomes.")
    lessons = models.TextField(help_text="The titles of sections and lessons.")
    body = models.TextField(help_text="Summary and description.")

    def __str__(self) -> str:
        return self.title
