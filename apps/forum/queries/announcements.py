"""Announcements as their senders and their recipients read them."""

import re
import uuid
from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.courses.models import CoInstructor, Course, Right, Section
from apps.forum import message_policies as policies
from apps.forum.models import Announcement, AnnouncementCopy
from apps.forum.queries.messages import PIECE, Piece
from apps.learning.models import Enrollment
from studyplatform.kit.errors import NotFound


def announcements_for(user: User, *, cursor: str = "") -> Piece:
    """What instructors told the user, the newest first, `PIECE` at a time. One query."""
    rows = AnnouncementCopy.objects.of(user).select_related("announcement__course", "announcement__sender")
    if re.fullmatch(r"\d{1,18}", cursor):
        rows = rows.filter(pk__lt=int(cursor))
    found = list(rows.order_by("-pk")[: PIECE + 1])
    return Piece(found[:PIECE], str(found[PIECE - 1].pk) if len(found) > PIECE else "")


def unread_announcements(user: User) -> int:
    return AnnouncementCopy.objects.of(user).unread().count()


def announcement_for(user: User, uid: uuid.UUID) -> AnnouncementCopy:
    """The user's copy of an announcement.

    :raises NotFound: it does not exist, or was not for the user.
    """
    rows = AnnouncementCopy.objects.of(user).select_related("user", "announcement__course", "announcement__sender")
    row = rows.filter(announcement__uid=uid).first()
    if row is None:
        raise NotFound
    return row


def announcements_by(user: User, *, cursor: str = "") -> Piece:
    """What the user announced, the newest first, `PIECE` at a time. One query."""
    rows = Announcement.objects.filter(sender=user).select_related("course", "section")
    if re.fullmatch(r"\d{1,18}", cursor):
        rows = rows.filter(pk__lt=int(cursor))
    found = list(rows.order_by("-pk")[: PIECE + 1])
    return Piece(found[:PIECE], str(found[PIECE - 1].pk) if len(found) > PIECE else "")


def courses_to_announce(user: User) -> list[Course]:
    """The courses to whose learners the user can send announcements, by title."""
    rows = Course.objects.taught_by(user.pk, Right.TEACH).filter(status__in=policies.OPEN_TO_ANNOUNCEMENTS)
    return list(rows.order_by("title", "pk"))


@dataclass(frozen=True)
class Recipients:
    """A choice of recipients: its value in the form, its words, and how many they are."""

    value: str
    label: str
    count: int


def recipients(course: Course, audience: str, section: Section | None = None) -> QuerySet[Enrollment]:
    """The enrollments of an announcement's recipients, without those of blocked accounts and of its instructor."""
    found = Enrollment.objects.active().filter(course=course, user__is_active=True).exclude(user=course.instructor_id)
    found = found.exclude(user__in=CoInstructor.objects.active().filter(course=course).values("user"))
    match Announcement.Audience(audience):
        case Announcement.Audience.EVERYONE:
            return found
        case Announcement.Audience.FINISHED:
            return found.exclude(completed_at=None)
        case Announcement.Audience.SECTION if section is not None:
            earlier = Q(last_lesson=None) | Q(last_lesson__section__position__lte=section.position)
            return found.filter(earlier, completed_at=None)
        case _:
            return found.filter(completed_at=None)


def recipients_of(course: Course) -> list[Recipients]:
    """The choices of recipients for an announcement to the course. Three queries."""
    audiences = Announcement.Audience
    count = recipients(course, audiences.EVERYONE).aggregate(
        all=Count("pk"), studying=Count("pk", filter=Q(completed_at=None))
    )
    by_section: dict[int | None, int] = dict(
        recipients(course, audiences.STUDYING)
        .order_by()
        .values("last_lesson__section__position")
        .annotate(count=Count("pk"))
        .values_list("last_lesson__section__position", "count")
    )
    sections = list(Section.objects.filter(course=course).order_by("position"))
    choices = [Recipients(audiences.STUDYING, _("Everyone studying"), count["studying"])]
    reached = by_section.get(None, 0)
    for number, section in enumerate(sections, 1):
        reached += by_section.get(section.position, 0)
        label = _("In section %(number)s or earlier") % {"number": number}
        choices.append(Recipients(f"{audiences.SECTION}-{section.pk}", label, reached))
    choices.append(Recipients(audiences.FINISHED, _("Finished"), count["all"] - count["studying"]))
    choices.append(Recipients(audiences.EVERYONE, _("Everyone enrolled"), count["all"]))
    return choices
