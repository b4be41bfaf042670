"""Who teaches a course beside its instructor, what they may do, and what part of the instructor's money is theirs."""

import uuid
from enum import StrEnum
from typing import Any, Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


class Right(StrEnum):
    """What somebody may do in a course. The instructor has all of them."""

    VIEW = "view"
    """Read the studio and the figures."""
    TEACH = "teach"
    """Answer learners, mark, announce, and moderate the board."""
    EDIT = "edit"
    """Change texts, outline and media, and submit."""
    OWN = "own"
    """Prices, people, and the course as a whole: only its instructor."""


class CoInstructorRole(models.TextChoices):
    EDIT = "edit", _("Edit")
    TEACH = "teach", _("Teach")
    VIEW = "view", _("View")


RIGHTS_OF_ROLE: dict[str, frozenset[Right]] = {
    CoInstructorRole.EDIT: frozenset({Right.VIEW, Right.TEACH, Right.EDIT}),
    CoInstructorRole.TEACH: frozenset({Right.VIEW, Right.TEACH}),
    CoInstructorRole.VIEW: frozenset({Right.VIEW}),
}


def roles_with(right: Right) -> list[str]:
    """Return the roles that include a right."""
    return [role for role, rights in RIGHTS_OF_ROLE.items() if right in rights]


class CoInstructorQuerySet(models.QuerySet["CoInstructor"]):
    def active(self) -> Self:
        return self.filter(removed_at=None)

    def having(self, right: Right) -> Self:
        """Those who have a right now."""
        return self.active().filter(role__in=roles_with(right))


class CoInstructor(models.Model):
    """Somebody who teaches a course beside its instructor, from ``joined_at`` until ``removed_at``."""

    Role = CoInstructorRole

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    course = models.ForeignKey("courses.Course", models.CASCADE, related_name="co_instructors")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="courses_co_taught")
    role = models.CharField(max_length=5, choices=CoInstructorRole)
    invited_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    joined_at = models.DateTimeField()
    removed_at = models.DateTimeField(null=True, blank=True)
    removed_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")

    objects = CoInstructorQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["course", "user"], condition=Q(removed_at=None), name="one_active_co_instructor_per_user"
            )
        ]
        indexes = [models.Index(fields=["user", "course"], name="co_instructors_of_user")]

    def __str__(self) -> str:
        return f"{self.user_id} {self.role} {self.course_id}"


class RevenueShare(models.Model):
    """What percent of the instructor's part of a course's sales was somebody's, from ``since`` until ``until``.

    The instructor has the rest. A change of the percent ends one row and begins another, so that Premium is divided by
    what was agreed on each day.
    """

    course = models.ForeignKey("courses.Course", models.CASCADE, related_name="revenue_shares")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    percent = models.PositiveSmallIntegerField(help_text="Of the instructor's part.")
    since = models.DateTimeField()
    until = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["course", "user"], condition=Q(until=None), name="one_present_share_per_user"
            ),
            models.CheckConstraint(condition=Q(percent__gte=1, percent__lte=100), name="share_is_a_percent"),
        ]

    def __str__(self) -> str:
        return f"{self.user_id}: {self.percent} % of {self.course_id}"


class CoInstructorInvitation(models.Model):
    """An invitation by email to teach a course. Its link is stored as a hash only."""

    class State(models.TextChoices):
        PENDING = "pending", _("Waiting")
        ACCEPTED = "accepted", _("Accepted")
        DECLINED = "declined", _("Declined")
        REVOKED = "revoked", _("Revoked")

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    course = models.ForeignKey("courses.Course", models.CASCADE, related_name="co_instructor_invitations")
    email = models.EmailField(max_length=254, help_text="In lowercase.")
    role = models.CharField(max_length=5, choices=CoInstructorRole)
    percent = models.PositiveSmallIntegerField(default=0, help_text="Of the instructor's part of the revenue.")
    token_hash = models.CharField(max_length=64, unique=True)
    invited_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    invited_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    mail_uid = models.UUIDField(null=True, blank=True, help_text="The job that delivers its email.")
    state = models.CharField(max_length=8, choices=State, default=State.PENDING)
    answered_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    answered_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["course", "email"], condition=Q(state="pending"), name="one_pending_invitation_per_email"
            ),
            models.CheckConstraint(condition=Q(percent__gte=0, percent__lte=100), name="invited_share_is_a_percent"),
        ]

    def __str__(self) -> str:
        return f"{self.email} {self.role} {self.course_id}"


class OwnershipOffer(models.Model):
    """A course that its instructor offers to one of its co-instructors: it changes hands when they accept.

    One that an admin gave to somebody at once is accepted from the beginning. So the accepted ones tell who was the
    instructor at each moment.
    """

    class State(models.TextChoices):
        PENDING = "pending", _("Waiting")
        ACCEPTED = "accepted", _("Accepted")
        DECLINED = "declined", _("Declined")
        WITHDRAWN = "withdrawn", _("Withdrawn")

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    course = models.ForeignKey("courses.Course", models.CASCADE, related_name="ownership_offers")
    offered_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    offered_to = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    offered_at = models.DateTimeField()
    state = models.CharField(max_length=9, choices=State, default=State.PENDING)
    answered_at = models.DateTimeField(null=True, blank=True)
    former_instructor = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="The instructor until it was accepted.",
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["course"], condition=Q(state="pending"), name="one_pending_offer_of_a_course"
            )
        ]

    def __str__(self) -> str:
        return f"{self.course_id} to {self.offered_to_id}: {self.state}"


def having_right(right: Right, prefix: str) -> Q:
    """Return the condition that a joined row, such as that of "course__co_instructors__", has a right now.

    What narrows the same row belongs into the same call of ``filter``.
    """
    return Q(**{f"{prefix}removed_at": None, f"{prefix}role__in": roles_with(right)})


def courses_co_taught(user_id: Any, right: Right) -> models.QuerySet[CoInstructor, int]:
    """Return the ids of the courses in which somebody has a right as a co-instructor; ``user_id``: may be an OuterRef.

    Their instructor is never one of them.
    """
    return CoInstructor.objects.having(right).filter(user=user_id).values_list("course", flat=True)


def taught_by(user_id: Any, right: Right, course: str = "") -> Q:
    """Return the condition that somebody has a right in a course; ``course``: its name in the query and "__".

    A working copy has the people of its live course.
    """
    owns = Q(**{f"{course}instructor": user_id})
    if right is Right.OWN:
        return owns
    joined = courses_co_taught(user_id, right)
    return owns | Q(**{f"{course}pk__in": joined}) | Q(**{f"{course}next_version_of__in": joined})
