"""Boards: general ones, and one for each course."""

from typing import Self

from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.utils.translation import gettext_lazy as _

from apps.accounts.models import Role
from apps.accounts.policies import AnyUser
from apps.courses.models import CoInstructor, Course, Right, taught_by
from apps.forum.models.readers import Reader, reader_of
from apps.learning.models import Enrollment
from studyplatform.kit.names import NameField

OPEN_TO_ALL = [Course.Status.PUBLISHED, Course.Status.ARCHIVED]


def readable_boards(user: AnyUser | Reader, prefix: str = "") -> Q:
    """The condition that a user may read a board; ``prefix`` leads to the board, for example ``"topic__board__"``.

    General boards and those of published and archived courses are open to everyone, the others to the course's staff
    and to enrolled learners.
    """
    open_to_all = Q(**{f"{prefix}course": None}) | Q(**{f"{prefix}course__status__in": OPEN_TO_ALL})
    reader = reader_of(user)
    if reader.is_visitor:
        return open_to_all
    if reader.is_admin:
        return Q()
    enrolled = Enrollment.objects.active().of(reader.pk).filter(course=OuterRef(f"{prefix}course"))
    taught = taught_by(reader.pk, Right.VIEW, f"{prefix}course__") if reader.is_teacher else Q()
    return open_to_all | taught | Q(Exists(enrolled))


def readers_of(board: "Board") -> Q:
    """The condition that a user may read a board: :func:`readable_boards` from the other side."""
    course = board.course
    if course is None or course.status in OPEN_TO_ALL:
        return Q()
    enrolled = Enrollment.objects.active().filter(user=OuterRef("pk"), course=course)
    with_them = CoInstructor.objects.having(Right.VIEW).filter(course=course.pk).values("user")
    teaches = (Q(pk=course.instructor_id) | Q(pk__in=with_them)) & Q(role__in=[Role.INSTRUCTOR, Role.ADMIN])
    return Q(role=Role.ADMIN) | teaches | Q(Exists(enrolled))


class BoardQuerySet(models.QuerySet["Board"]):
    def seen_by(self, user: AnyUser) -> Self:
        """The boards that a user may read."""
        return self.filter(readable_boards(user))


class Board(models.Model):
    """A place for topics. The board of a course is created when the course is first published."""

    slug = models.SlugField(max_length=80, unique=True)
    title = NameField(_("title"), max_length=120)
    about = NameField(_("about"), max_length=220, blank=True)
    position = models.PositiveSmallIntegerField(_("position"), default=0)
    icon = models.CharField(_("icon"), max_length=40, default="messages-square", help_text="A name of lucide.dev.")
    course = models.OneToOneField(Course, models.CASCADE, null=True, blank=True, related_name="board")
    topics_by_admins_only = models.BooleanField(
        _("topics by admins only"), default=False, help_text=_("Everyone can reply, but only admins can open topics.")
    )

    objects = BoardQuerySet.as_manager()

    class Meta:
        ordering = ["position", "title"]

    def __str__(self) -> str:
        return self.title

    @property
    def is_open(self) -> bool:
        """Whether every visitor may read it."""
        return self.course is None or self.course.status in OPEN_TO_ALL
