"""Messages to many learners: whom they won't reach, and how far one has come."""

from dataclasses import dataclass
from uuid import UUID

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet

from apps.accounts.models import User
from apps.courses.models import Right, taught_by
from apps.forum.models import Block, BulkMessage, BulkRecipient
from apps.learning.models import Enrollment
from studyplatform.kit.errors import NotFound

MAX_NAMES_SHOWN = 50


def writable(user: User, rows: QuerySet[Enrollment]) -> QuerySet[Enrollment]:
    """Return those of the enrollments in whose courses the user writes messages: an admin doesn't as such."""
    return rows.filter(taught_by(user.pk, Right.TEACH, "course__")).exclude(user=user)


def unreachable(user: User, rows: QuerySet[Enrollment]) -> QuerySet[Enrollment]:
    """Return those of the enrollments whose learners would get no message: the account is blocked, or one of the two
    blocked the other.
    """
    teachers = Q(blocked=user) | Q(blocked=OuterRef("course__instructor"))
    by_learner = Block.objects.filter(teachers, blocker=OuterRef("user"))
    by_teacher = Block.objects.filter(
        Q(blocker=user) | Q(blocker=OuterRef("course__instructor")), blocked=OuterRef("user")
    )
    has_block = Q(Exists(by_learner)) | Q(Exists(by_teacher))
    return rows.filter(Q(user__is_active=False) | has_block | Q(user=F("course__instructor")))


@dataclass(frozen=True)
class Recipients:
    """How many messages a text that differs from course to course would be, and to how many people."""

    messages: int
    people: int


def count_recipients(rows: QuerySet[Enrollment]) -> Recipients:
    """Count whom the enrollments are of. One query."""
    return Recipients(**rows.aggregate(messages=Count("pk"), people=Count("user", distinct=True)))


def people_of(rows: QuerySet[Enrollment]) -> QuerySet[User]:
    """Return those whom the enrollments are of, each once, by name."""
    return User.objects.filter(pk__in=rows.order_by().values("user")).order_by("first_name", "last_name", "pk")


def bulk_message_of(user: User, uid: UUID) -> BulkMessage:
    """Return a bulk message that the user sent.

    :raises NotFound: there is none.
    """
    found = BulkMessage.objects.filter(sender=user, uid=uid).first()
    if found is None:
        raise NotFound
    return found


def count_handled(bulk: BulkMessage) -> tuple[int, int]:
    """Return how many people have a message, and how many lack one that they should get. One query."""
    user, is_refused = "enrollment__user", ~Q(refusal="")
    counted = BulkRecipient.objects.filter(bulk_message=bulk, handled_at__isnull=False).aggregate(
        reached=Count(user, distinct=True, filter=~is_refused), missed=Count(user, distinct=True, filter=is_refused)
    )
    return counted["reached"], counted["missed"]


def refused_in(bulk: BulkMessage) -> list[BulkRecipient]:
    """Return the first recipients who got no message, with the code of the reason. One query."""
    rows = BulkRecipient.objects.filter(bulk_message=bulk).exclude(refusal="")
    return list(rows.select_related("enrollment__user", "enrollment__course").order_by("pk")[:MAX_NAMES_SHOWN])
