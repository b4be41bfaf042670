"""Topics and their tags."""

from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Exists, F, OuterRef, Q
from django.utils.translation import gettext_lazy as _

from apps.accounts.policies import AnyUser
from apps.courses.models import Lesson, Right, taught_by
from apps.forum.models.boards import Board, readable_boards
from apps.forum.models.readers import Reader, reader_of
from studyplatform.kit.names import NameField

MOST_TAGS = 5


class State(models.TextChoices):
    """The state of a post. A topic has the state of its opening post."""

    VISIBLE = "visible", _("Visible")
    HELD = "held", _("Pending review")
    HIDDEN = "hidden", _("Hidden")
    DELETED = "deleted", _("Deleted")


def moderated_boards(user: AnyUser | Reader, prefix: str = "") -> Q | None:
    """The condition that a user moderates a board: admins all, instructors those of their courses. None: no board."""
    reader = reader_of(user)
    if not reader.is_moderator:
        return None
    return Q() if reader.is_admin else taught_by(reader.pk, Right.TEACH, f"{prefix}course__")


class Tag(models.Model):
    """A keyword of topics."""

    slug = models.SlugField(max_length=40, unique=True, allow_unicode=True)
    name = NameField(max_length=40)

    def __str__(self) -> str:
        return self.name


class TopicQuerySet(models.QuerySet["Topic"]):
    def public(self) -> Self:
        """Visible topics, whatever their board."""
        return self.filter(state=State.VISIBLE)

    def listed_for(self, user: AnyUser | Reader) -> Self:
        """The visible topics of the boards that a user may read."""
        return self.public().filter(readable_boards(user, "board__"))

    def seen_by(self, user: AnyUser | Reader) -> Self:
        """The topics that a user may open: visible ones, their own, and all of the boards that they moderate.

        A merged topic is opened by nobody: its posts are in another one.
        """
        state = Q(state=State.VISIBLE)
        reader = reader_of(user)
        if not reader.is_visitor:
            state |= Q(author=reader.pk, state__in=[State.HELD, State.HIDDEN])
            state |= Q(author=reader.pk, changed_by=reader.pk)
            moderated = moderated_boards(reader, "board__")
            if moderated is not None:
                state = state | moderated if moderated else Q()
        return self.filter(readable_boards(reader, "board__"), merged_into=None).filter(state)


class Topic(models.Model):
    """A question or discussion on a board. Its text is its opening post.

    Services keep the numbers of visible posts while they hold the lock of the row.
    """

    class Kind(models.TextChoices):
        QUESTION = "question", _("Question")
        DISCUSSION = "discussion", _("Discussion")
        SHARE = "share", _("Share")
        ANNOUNCEMENT = "announcement", _("Announcement")

    board = models.ForeignKey(Board, models.PROTECT, related_name="topics")
    kind = models.CharField(max_length=12, choices=Kind.choices)
    title = NameField(max_length=120)
    excerpt = models.CharField(max_length=240, blank=True, help_text="The beginning of the opening post as plain text.")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="topics")
    lesson = models.ForeignKey(Lesson, models.SET_NULL, null=True, related_name="topics")
    second = models.PositiveIntegerField(null=True, help_text="Of the lesson's video.")
    tags = models.ManyToManyField(Tag, related_name="topics", blank=True)
    state = models.CharField(max_length=8, choices=State.choices)
    accepted = models.ForeignKey("forum.Post", models.SET_NULL, null=True, related_name="+")
    last_number = models.PositiveIntegerField(
        default=0, help_text="The number of the newest post that was ever visible."
    )
    reply_count = models.PositiveIntegerField(default=0, help_text="Visible posts after the opening one.")
    score = models.PositiveIntegerField(default=0, help_text="Votes for the opening post.")
    created_at = models.DateTimeField()
    published_at = models.DateTimeField(null=True, help_text="When it became visible; null while it is held.")
    first_reply_at = models.DateTimeField(null=True, help_text="When its first visible reply by someone else appeared.")
    last_post_at = models.DateTimeField(help_text="When its newest visible post became visible.")
    last_poster = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    pinned_at = models.DateTimeField(null=True)
    locked_at = models.DateTimeField(null=True)
    changed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", help_text="Who hid or deleted it."
    )
    stamp = models.PositiveIntegerField(
        default=0, help_text="Grows with each change of the topic or of a post that was ever visible."
    )
    merged_into = models.ForeignKey("self", models.SET_NULL, null=True, related_name="+")

    objects = TopicQuerySet.as_manager()

    class Meta:
        indexes = [
            # The orders of the lists: each page reads only its own rows.
            models.Index(F("last_post_at").desc(), F("id").desc(), name="topic_latest", condition=Q(state="visible")),
            models.Index("board", F("last_post_at").desc(), name="topic_of_board", condition=Q(state="visible")),
            models.Index(
                F("last_post_at").desc(),
                name="topic_unanswered",
                condition=Q(state="visible", kind="question", accepted=None, reply_count=0),
            ),
            models.Index(
                F("last_post_at").desc(), name="topic_solved", condition=Q(state="visible", accepted__isnull=False)
            ),
            models.Index(
                "board",
                name="topic_waiting",
                condition=Q(state="visible", kind="question", accepted=None, first_reply_at=None, locked_at=None),
            ),
            models.Index("lesson", "second", name="topic_of_lesson", condition=Q(state="visible")),
            models.Index("author", F("created_at").desc(), name="topic_of_author"),
            models.Index("board", name="topic_pinned", condition=Q(pinned_at__isnull=False)),
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def is_visible(self) -> bool:
        return self.state == State.VISIBLE

    @property
    def is_question(self) -> bool:
        return self.kind == Topic.Kind.QUESTION

    @property
    def is_locked(self) -> bool:
        return self.locked_at is not None

    @property
    def path(self) -> str:
        """Its address on this site."""
        return f"/forum/topics/{self.pk}"


def tagged(slug: str) -> Q:
    """The condition that a topic has a tag."""
    return Q(Exists(Topic.tags.through.objects.filter(topic=OuterRef("pk"), tag__slug=slug)))
