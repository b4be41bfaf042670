"""Conversations between a learner and the instructor of a course, and announcements to its learners."""

import uuid
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from apps.accounts.models import User
from apps.courses.models import Course, Right, Section, taught_by
from apps.files.models import Upload
from studyplatform.kit.names import NameField


class ConversationQuerySet(models.QuerySet["Conversation"]):
    def as_learner(self, user_id: int) -> Self:
        return self.filter(learner_id=user_id)

    def as_instructor(self, user_id: int) -> Self:
        return self.filter(taught_by(user_id, Right.TEACH, "course__")).exclude(learner_id=user_id)


class Conversation(models.Model):
    """What a learner and those who teach a course write each other.

    The instructor's side belongs to those who teach the course at present. Services change the counters while they hold
    a lock on the row.
    """

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    course = models.ForeignKey(Course, models.PROTECT, related_name="conversations")
    learner = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="conversations")
    created_at = models.DateTimeField()
    last_number = models.PositiveIntegerField(default=0, help_text="Number of the newest message.")
    last_message_at = models.DateTimeField()
    last_excerpt = models.CharField(max_length=160, blank=True, help_text="The newest message as plain text.")
    is_last_by_learner = models.BooleanField(default=False)
    read_by_learner = models.PositiveIntegerField(default=0, help_text="Number up to which the learner has read.")
    read_by_instructor = models.PositiveIntegerField(default=0)
    unread_by_learner = models.PositiveIntegerField(default=0, help_text="Messages by the other side after that.")
    unread_by_instructor = models.PositiveIntegerField(default=0)
    changed_at = models.DateTimeField(help_text="When something was written or read; sockets look for it.")

    objects = ConversationQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["course", "learner"], name="one_conversation_per_learner"),
            models.CheckConstraint(
                condition=Q(read_by_learner__lte=F("last_number"), read_by_instructor__lte=F("last_number")),
                name="conversation_read_up_to_the_last",
            ),
        ]
        indexes = [
            models.Index(fields=["learner", "-last_message_at"], name="conversation_of_learner"),
            models.Index(fields=["course", "-last_message_at"], name="conversation_of_course"),
            models.Index(fields=["learner"], condition=Q(unread_by_learner__gt=0), name="conversation_new_to_learner"),
            models.Index(
                fields=["course"], condition=Q(unread_by_instructor__gt=0), name="conversation_new_to_teacher"
            ),
            models.Index(fields=["changed_at"], name="conversation_changed"),
        ]

    def __str__(self) -> str:
        return f"#{self.pk} {self.learner_id}→{self.course_id}"


class Message(models.Model):
    """One message. It is never edited, so a report shows what was written."""

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    key = models.UUIDField(
        default=uuid.uuid4, unique=True, help_text="Made by the form: the same form sent twice is one message."
    )
    conversation = models.ForeignKey(Conversation, models.CASCADE, related_name="messages")
    number = models.PositiveIntegerField(help_text="1 for the first message of the conversation, without gaps.")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    is_by_learner = models.BooleanField()
    source = models.TextField(help_text="Markdown.")
    html = models.TextField(help_text="Rendered when it was written.")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["conversation", "number"], name="one_message_per_number")]

    def __str__(self) -> str:
        return f"#{self.pk} {self.conversation_id}/{self.number}"


class MessageFile(models.Model):
    """A file attached to a message. The row keeps the content, whatever happens in the library of its owner."""

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    message = models.ForeignKey(Message, models.CASCADE, related_name="files")
    upload = models.ForeignKey(Upload, models.PROTECT, related_name="+")
    name = models.CharField(max_length=255)
    position = models.PositiveSmallIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["message", "position"], name="one_message_file_per_position")]

    def __str__(self) -> str:
        return f"#{self.pk} {self.name}"


class Block(models.Model):
    """One user wants no messages from another: then neither of them can write to the other."""

    blocker = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="blocks")
    blocked = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["blocker", "blocked"], name="one_block_per_pair"),
            models.CheckConstraint(condition=~Q(blocker=F("blocked")), name="block_is_of_another"),
        ]

    def __str__(self) -> str:
        return f"{self.blocker_id} blocks {self.blocked_id}"


class MessageReport(models.Model):
    """A message that its recipient reported. Admins read that message, and nothing else of the conversation."""

    class Reason(models.TextChoices):
        HARASSMENT = "harassment", _("Insults or threats")
        SPAM = "spam", _("Advertising or spam")
        UNSAFE = "unsafe", _("Asks for money or private data")
        OTHER = "other", _("Something else")

    class State(models.TextChoices):
        OPEN = "open", _("Waiting")
        UPHELD = "upheld", _("Upheld")
        DISMISSED = "dismissed", _("Dismissed")

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    message = models.ForeignKey(Message, models.CASCADE, related_name="reports")
    reporter = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    reason = models.CharField(max_length=10, choices=Reason.choices)
    note = models.CharField(max_length=500, blank=True)
    created_at = models.DateTimeField()
    state = models.CharField(max_length=9, choices=State.choices, default=State.OPEN)
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    decided_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["message", "reporter"], name="one_report_per_message")]
        indexes = [models.Index(fields=["created_at"], condition=Q(state="open"), name="message_report_open")]

    def __str__(self) -> str:
        return f"#{self.pk} {self.reason} {self.state}"


class Announcement(models.Model):
    """What an instructor told the learners of a course. A job delivers it."""

    class Audience(models.TextChoices):
        STUDYING = "studying", _("Everyone studying")
        SECTION = "section", _("In a section or earlier")
        FINISHED = "finished", _("Finished")
        EVERYONE = "everyone", _("Everyone enrolled")

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    key = models.UUIDField(
        default=uuid.uuid4, unique=True, help_text="Made by the form: the same form sent twice is one announcement."
    )
    course = models.ForeignKey(Course, models.PROTECT, related_name="announcements")
    sender = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    audience = models.CharField(max_length=8, choices=Audience.choices)
    section = models.ForeignKey(Section, models.SET_NULL, null=True, related_name="+")
    subject = NameField(max_length=120)
    source = models.TextField(help_text="Markdown.")
    html = models.TextField(help_text="Rendered when it was written.")
    is_mailed = models.BooleanField(default=True, help_text="Also email learners who opted in.")
    created_at = models.DateTimeField()
    expected = models.PositiveIntegerField(help_text="Number of recipients when it was sent.")
    last_enrollment = models.BigIntegerField(default=0, help_text="How far the job has come, by the enrollment's id.")
    sent_count = models.PositiveIntegerField(default=0)
    read_count = models.PositiveIntegerField(default=0)
    done_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["course", "-created_at"], name="announcement_newest")]

    def __str__(self) -> str:
        return f"#{self.pk} {self.subject}"

    @property
    def read_percent(self) -> int:
        """Rounded down, so that 100 means everyone."""
        return 100 * self.read_count // self.sent_count if self.sent_count else 0


class AnnouncementCopyQuerySet(models.QuerySet["AnnouncementCopy"]):
    def of(self, user: User) -> Self:
        return self.filter(user=user)

    def unread(self) -> Self:
        return self.filter(read_at=None)


class AnnouncementCopy(models.Model):
    """An announcement in the messages of one recipient."""

    announcement = models.ForeignKey(Announcement, models.CASCADE, related_name="copies")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    read_at = models.DateTimeField(null=True)

    objects = AnnouncementCopyQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["announcement", "user"], name="one_copy_per_recipient")]
        indexes = [
            models.Index(fields=["user", "-id"], name="announcement_copy_newest"),
            models.Index(fields=["user"], condition=Q(read_at=None), name="announcement_copy_unread"),
        ]

    def __str__(self) -> str:
        return f"{self.announcement_id} for {self.user_id}"
