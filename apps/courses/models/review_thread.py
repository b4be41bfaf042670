"""What reviewers, authors and outside experts say about places of a course, and the reviewers' checklist."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from apps.courses.models.course import Course
from apps.courses.models.review import Submission
from studyplatform.kit.names import NameField

REVIEW_PICTURES_FOLDER = "review-pictures"
MAX_REVIEW_PICTURE_BYTES = 20 * 2**20


class ReviewThread(models.Model):
    """A comment on one place of a course, with its answers (docs/adr/0065).

    It belongs to the live course, never to a working copy, and names its lesson by the uid that the lesson has in the
    live course. Where it stood is copied as text, so that it can be read once the lesson or its text is gone.
    """

    class Place(models.TextChoices):
        COURSE = "course", _("Course page")
        LESSON = "lesson", _("Whole lesson")
        SECOND = "second", _("Second of the video")
        PARAGRAPH = "paragraph", _("Paragraph")
        QUESTION = "question", _("Question")

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    course = models.ForeignKey(Course, models.CASCADE, related_name="review_threads")
    submission = models.ForeignKey(
        Submission,
        models.SET_NULL,
        null=True,
        related_name="threads",
        help_text="The one that was pending when it was opened.",
    )
    place = models.CharField(max_length=9, choices=Place.choices)
    lesson_uid = models.UUIDField(null=True, help_text="Of the lesson in the live course; empty for the course page.")
    lesson_number = models.CharField(max_length=8, blank=True, help_text="At that time.")
    lesson_title = NameField(max_length=120, blank=True, help_text="At that time.")
    second = models.PositiveIntegerField(null=True)
    paragraph = models.PositiveSmallIntegerField(null=True, help_text="Counted from 1, at that time.")
    question_uid = models.UUIDField(null=True)
    quote = models.CharField(max_length=300, blank=True, help_text="How the paragraph or question began.")
    digest = models.CharField(max_length=12, blank=True, help_text="Of its Markdown, by which a change is noticed.")
    is_required = models.BooleanField(default=False, help_text="Whether a reviewer asks for a change.")
    opened_at = models.DateTimeField()
    changed_at = models.DateTimeField()
    resolved_at = models.DateTimeField(null=True)
    resolved_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=(
                    Q(place="course", lesson_uid=None, second=None, paragraph=None, question_uid=None)
                    | Q(place="lesson", lesson_uid__isnull=False, second=None, paragraph=None, question_uid=None)
                    | Q(place="second", lesson_uid__isnull=False, second__isnull=False, paragraph=None)
                    | Q(place="paragraph", lesson_uid__isnull=False, paragraph__isnull=False, second=None)
                    | Q(place="question", lesson_uid__isnull=False, question_uid__isnull=False, second=None)
                ),
                name="review_thread_has_one_place",
            ),
            models.CheckConstraint(
                condition=Q(resolved_at=None, resolved_by=None) | Q(resolved_at__isnull=False),
                name="review_thread_resolved_by_somebody",
            ),
        ]
        indexes = [
            models.Index(fields=["course", "lesson_uid"], name="review_threads_of_lesson"),
            models.Index(fields=["course", "resolved_at", "-changed_at"], name="review_threads_open"),
        ]

    def __str__(self) -> str:
        return f"{self.course_id} {self.lesson_number or self.place}"

    @property
    def is_resolved(self) -> bool:
        return self.resolved_at is not None


class ReviewComment(models.Model):
    """One text of a thread: of a user, or of an outside expert, of whom only a name is known. Never edited."""

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    thread = models.ForeignKey(ReviewThread, models.CASCADE, related_name="comments")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    link = models.ForeignKey("courses.ReviewLink", models.SET_NULL, null=True, related_name="comments")
    expert_name = NameField(max_length=80, blank=True)
    text = models.TextField(help_text="Markdown.")
    written_at = models.DateTimeField()
    picture_key = models.CharField(max_length=24, blank=True, help_text="The name of its file, without the ending.")
    picture_width = models.PositiveIntegerField(null=True, help_text="Pixels.")
    picture_height = models.PositiveIntegerField(null=True, help_text="Pixels.")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(author__isnull=False, expert_name="", link=None) | (Q(author=None) & ~Q(expert_name="")),
                name="review_comment_has_an_author",
            ),
            models.CheckConstraint(
                condition=Q(picture_key="", picture_width=None, picture_height=None)
                | (~Q(picture_key="") & Q(picture_width__gte=1, picture_height__gte=1)),
                name="review_comment_picture_has_size",
            ),
        ]
        indexes = [models.Index(fields=["thread", "written_at", "id"], name="review_comments_in_order")]

    def __str__(self) -> str:
        return self.text[:60]

    @property
    def picture_name(self) -> str:
        """The name of its picture in storage; empty if it has none."""
        return f"{REVIEW_PICTURES_FOLDER}/{self.picture_key}.webp" if self.picture_key else ""


class ReviewTick(models.Model):
    """A point of the checklist that a reviewer has checked in one submission."""

    submission = models.ForeignKey(Submission, models.CASCADE, related_name="ticks")
    point = models.CharField(max_length=20, help_text="A name of `review_checklist.POINTS`.")
    ticked_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    ticked_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["submission", "point"], name="one_tick_per_point")]

    def __str__(self) -> str:
        return f"{self.submission_id} {self.point}"
