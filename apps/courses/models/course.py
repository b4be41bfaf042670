"""Subjects and courses."""

import uuid
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import ExpressionWrapper, F, Q, QuerySet
from django.utils.translation import gettext_lazy as _

from apps.courses.models.co_instructor import Right, taught_by
from studyplatform.kit.names import NameField


def site_currency() -> str:
    """The currency of the site, in which new courses are priced."""
    return str(settings.CURRENCY)


class Subject(models.Model):
    """A category. Its slug decides the pattern family and the inks of its courses' plates."""

    slug = models.SlugField(max_length=40, unique=True)
    name = NameField(max_length=60)
    position = models.PositiveSmallIntegerField(default=0)

    class Meta:
        verbose_name = _("category")
        verbose_name_plural = _("categories")

    def __str__(self) -> str:
        return self.name


# A Bayesian mean: as if five more learners had given 4.2 stars each, so that a single rating doesn't come first.
EVEN_RATING = ExpressionWrapper((F("rating_sum") + 21.0) / (F("rating_count") + 5.0), output_field=models.FloatField())


class Availability(models.TextChoices):
    """A course's status as learners see it."""

    NOW = "now", _("Available Now")
    SOON = "soon", _("Coming Soon")
    PAST = "past", _("No Longer Available")


def availability_of(status: str, *, is_enrolled: bool) -> Availability:
    """Return how a course's status appears to a user.

    Drafts and courses under review are coming soon, but for enrolled learners they are closed: the course was
    published before. Suspended and archived courses are closed to everyone.
    """
    if status == Course.Status.PUBLISHED:
        return Availability.NOW
    if status in {Course.Status.DRAFT, Course.Status.REVIEW} and not is_enrolled:
        return Availability.SOON
    return Availability.PAST


class CourseQuerySet(models.QuerySet["Course"]):
    def listed(self) -> Self:
        """Courses that everyone may see: published, archived, and announced drafts."""
        return self.filter(
            Q(status__in=[Course.Status.PUBLISHED, Course.Status.ARCHIVED])
            | Q(status__in=[Course.Status.DRAFT, Course.Status.REVIEW], is_announced=True)
        )

    def shown(self) -> Self:
        """Courses that the catalog shows by default: the listed ones without archived ones."""
        return self.listed().exclude(status=Course.Status.ARCHIVED)

    def published(self) -> Self:
        return self.filter(status=Course.Status.PUBLISHED)

    def taught_by(self, user_id: int, right: Right = Right.VIEW) -> Self:
        """Courses in which somebody has a right: as the instructor, or as a co-instructor."""
        return self.filter(taught_by(user_id, right))


AllCourses = models.Manager.from_queryset(CourseQuerySet)


class CourseManager(AllCourses["Course"]):
    """The courses without working copies, which only their authors and reviewers see."""

    def get_queryset(self) -> QuerySet["Course"]:
        return super().get_queryset().filter(next_version_of=None)


class Course(models.Model):
    """A course, or the working copy of one.

    A course that was published is changed by versions (docs/adr/0064-a-published-course-has-a-next-version.md): what
    its authors write goes into a working copy, a course of its own whose ``next_version_of`` is the live one. Only the
    studio and the review know of working copies: ``objects`` and what belongs to another row
    (``user.courses_taught``) leave them out, ``with_working_copies`` has them. Foreign keys lead to both.
    """

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
        Status.DRAFT: {Status.REVIEW, Status.PUBLISHED},  # an unpublished course by an approved version
        Status.REVIEW: {Status.DRAFT, Status.PUBLISHED},
        Status.PUBLISHED: {Status.DRAFT, Status.SUSPENDED, Status.ARCHIVED},
        Status.SUSPENDED: {Status.PUBLISHED, Status.DRAFT, Status.ARCHIVED},
        Status.ARCHIVED: {Status.PUBLISHED},
    }

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    slug = models.SlugField(max_length=80, unique=True)
    title = NameField(max_length=120)
    summary = NameField(max_length=220, blank=True)
    description = models.TextField(blank=True, help_text="Markdown.")
    subject = models.ForeignKey(Subject, models.PROTECT, related_name="courses", verbose_name=_("category"))
    instructor = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="courses_taught")
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.DRAFT)
    is_announced = models.BooleanField(default=False, help_text='A draft shown as "Coming Soon".')
    difficulty = models.CharField(max_length=12, choices=Difficulty.choices, default=Difficulty.BEGINNER)
    language = models.CharField(max_length=12, default="en", help_text="BCP 47.")
    pricing = models.CharField(max_length=10, choices=Pricing.choices, default=Pricing.FREE)
    price = models.PositiveIntegerField(default=0, help_text="Minor units; the list price of a one-time purchase.")
    currency = models.CharField(max_length=3, default=site_currency, help_text="ISO 4217, lowercase.")
    outcomes = models.JSONField(default=list, help_text="What a learner will be able to do: a list of sentences.")
    before_you_begin = models.TextField(blank=True, help_text="Markdown.")
    prerequisites = models.ManyToManyField("self", symmetrical=False, blank=True, related_name="leads_to")
    requires_order = models.BooleanField(default=False, help_text="A lesson opens when those before it are complete.")
    plate_variant = models.PositiveSmallIntegerField(default=0)
    plate = models.TextField(blank=True, help_text="The course's artwork, SVG drawn from its slug and subject.")
    version = models.PositiveIntegerField(
        default=1, help_text="Raised when the outline changes; keys cached fragments."
    )
    # Services update these, so that lists need no aggregation.
    lesson_count = models.PositiveIntegerField(default=0)
    required_count = models.PositiveIntegerField(default=0, help_text="Lessons that are not optional.")
    duration = models.PositiveIntegerField(default=0, help_text="Seconds of all lessons.")
    rating_count = models.PositiveIntegerField(default=0)
    rating_sum = models.PositiveIntegerField(default=0)
    learner_count = models.PositiveIntegerField(default=0)
    copied_from = models.ForeignKey("self", models.SET_NULL, null=True, blank=True, related_name="copies")
    copy_key = models.UUIDField(
        null=True, blank=True, editable=False, help_text="Names the request to duplicate it, so that it is made once."
    )
    next_version_of = models.OneToOneField(
        "self",
        models.CASCADE,
        null=True,
        blank=True,
        related_name="working_copy",
        help_text="Of a working copy: the live course whose next version it becomes.",
    )
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    published_at = models.DateTimeField(null=True, blank=True)

    objects = CourseManager()
    with_working_copies = AllCourses()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(next_version_of=None)
                | Q(published_at=None, is_announced=False, status__in=["draft", "review"]),
                name="working_copy_is_hidden",
            ),
            models.UniqueConstraint(fields=["copied_from", "copy_key"], name="one_copy_per_key"),
            models.CheckConstraint(
                condition=Q(pricing="one_time", price__gt=0) | (~Q(pricing="one_time") & Q(price=0)),
                name="only_one_time_courses_have_a_price",
            ),
        ]
        indexes = [
            # The orders of the catalog: with an index, a page reads only its 24 rows.
            models.Index(F("learner_count").desc(), "id", name="course_by_learners"),
            models.Index(F("published_at").desc(), "id", name="course_by_date"),
            models.Index("duration", "id", name="course_by_length"),
            models.Index(EVEN_RATING.desc(), "id", name="course_by_rating"),
            models.Index(fields=["instructor", "-updated_at"], name="course_of_instructor"),
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def is_working_copy(self) -> bool:
        return self.next_version_of_id is not None

    @property
    def live(self) -> "Course":
        """The course that learners see: of a working copy that whose next version it becomes, else the course."""
        return self if self.next_version_of is None else self.next_version_of

    @property
    def live_id(self) -> int:
        """The primary key of `live`."""
        return self.next_version_of_id or self.pk

    @property
    def is_versioned(self) -> bool:
        """Whether it is changed by versions only: it was published once."""
        return self.published_at is not None

    @property
    def rating(self) -> float:
        """The mean of all ratings; 0 without ratings."""
        return self.rating_sum / self.rating_count if self.rating_count else 0.0

    @property
    def is_open(self) -> bool:
        """Whether new learners may enroll."""
        return self.status == self.Status.PUBLISHED

    def availability_for(self, *, is_enrolled: bool) -> Availability:
        """Return how the course's status appears to a user who is or isn't enrolled."""
        return availability_of(self.status, is_enrolled=is_enrolled)
