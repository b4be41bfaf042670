"""Seats for teams: what one user buys for others (docs/adr/0055). Amounts stand in the order of each pack."""

import uuid
from datetime import datetime
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from apps.billing.models.orders import Order
from apps.billing.models.payments import Refund
from apps.courses.models import Course
from studyplatform.kit.names import NameField

MAX_TEAM_NAME_LENGTH = 200


class TeamQuerySet(models.QuerySet["Team"]):
    def of(self, user_id: int) -> Self:
        return self.filter(owner_id=user_id)

    def with_seats(self) -> Self:
        """Those that have or had seats: an order that was never paid by card makes none."""
        return self.filter(pk__in=SeatPack.objects.begun().values("team"))


class Team(models.Model):
    """People who learn on seats that their team's owner bought. The owner alone manages it."""

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    name = NameField(max_length=MAX_TEAM_NAME_LENGTH)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="teams")
    domain = models.CharField(max_length=253, blank=True, help_text='Of its email addresses, such as "school.example".')
    is_domain_open = models.BooleanField(
        default=False, help_text="Whether anyone with an address of the domain may take a free seat."
    )
    created_at = models.DateTimeField()

    objects = TeamQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(is_domain_open=False) | ~Q(domain=""), name="open_domain_is_named"),
        ]
        indexes = [models.Index(fields=["owner", "-created_at"], name="team_of_owner")]

    def __str__(self) -> str:
        return self.name

    @property
    def title(self) -> str:
        """What people read: the name, which is erased with the account of the owner."""
        return self.name or str(_("A team"))


class SeatPackQuerySet(models.QuerySet["SeatPack"]):
    def begun(self) -> Self:
        """Those that have or had seats: not those that wait for their payment, or were given up before it."""
        return self.filter(starts_at__isnull=False)

    def opening(self, now: datetime) -> Self:
        """Those whose seats open courses at this moment."""
        return self.filter(state=SeatPack.State.OPEN, starts_at__lte=now)


class SeatPack(models.Model):
    """Seats that were bought in one order: for Premium until a day, or for a course for good.

    Premium seats that are added later, and those that renew others, are packs of their own. A pack waits until its
    order is paid by card or its invoice is issued; it is paused while that invoice is overdue.
    """

    class Kind(models.TextChoices):
        PREMIUM = "premium", _("Premium")
        COURSE = "course", _("Course")

    class State(models.TextChoices):
        WAITING = "waiting", _("Waiting for payment")
        OPEN = "open", _("Open")
        PAUSED = "paused", _("Paused")
        ENDED = "ended", _("Ended")

    class End(models.TextChoices):
        OVER = "over", _("Its year is over")
        RETURNED = "returned", _("Payment returned")
        CANCELED = "canceled", _("Order canceled")

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    team = models.ForeignKey(Team, models.PROTECT, related_name="packs")
    order = models.OneToOneField(Order, models.PROTECT, related_name="seat_pack")
    kind = models.CharField(max_length=8, choices=Kind.choices)
    course = models.ForeignKey(Course, models.PROTECT, null=True, related_name="seat_packs")
    seats = models.PositiveSmallIntegerField(help_text="How many were bought.")
    renews = models.ForeignKey(
        "self", models.PROTECT, null=True, related_name="renewals", help_text="Whose holders move to it."
    )
    extends = models.ForeignKey(
        "self", models.PROTECT, null=True, related_name="extensions", help_text="With which it ends."
    )
    starts_at = models.DateTimeField(null=True, help_text="From when its seats open courses.")
    ends_at = models.DateTimeField(null=True, help_text="Empty for a course.")
    state = models.CharField(max_length=7, choices=State.choices, default=State.WAITING)
    paused_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    end_reason = models.CharField(max_length=8, choices=End.choices, blank=True)
    created_at = models.DateTimeField()

    objects = SeatPackQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(kind="premium", course=None) | Q(kind="course", course__isnull=False),
                name="seats_are_for_premium_or_a_course",
            ),
            models.CheckConstraint(condition=Q(seats__gte=1), name="pack_has_seats"),
            models.CheckConstraint(
                condition=Q(state="waiting")
                | Q(kind="course", starts_at__isnull=False, ends_at=None)
                | Q(kind="premium", starts_at__isnull=False, ends_at__gt=F("starts_at"))
                | Q(state="ended", starts_at=None),
                name="open_pack_says_when",
            ),
            models.CheckConstraint(
                condition=Q(state="ended", ended_at__isnull=False) | (~Q(state="ended") & Q(ended_at=None)),
                name="ended_pack_says_when",
            ),
            models.UniqueConstraint(
                fields=["renews"], condition=Q(state__in=["open", "paused"]), name="one_open_renewal_per_pack"
            ),
        ]
        indexes = [
            models.Index(fields=["team", "state"], name="pack_of_team"),
            models.Index(fields=["state", "ends_at"], name="pack_by_end"),
        ]

    def __str__(self) -> str:
        return f"{self.seats} × {self.kind} of {self.team_id}: {self.state}"

    def is_opening(self, now: datetime) -> bool:
        """Return whether its seats open courses at this moment."""
        return self.state == self.State.OPEN and self.starts_at is not None and self.starts_at <= now


class SeatQuerySet(models.QuerySet["Seat"]):
    def usable(self) -> Self:
        """Those that were not given back."""
        return self.filter(closed_at=None)

    def free(self) -> Self:
        """Those that nobody holds and nobody is invited to."""
        return self.usable().filter(holder=None, email="")

    def opening_premium(self, now: datetime) -> Self:
        """Those that open Premium to their holders at this moment."""
        packs = SeatPack.objects.opening(now).filter(kind=SeatPack.Kind.PREMIUM)
        return self.usable().filter(holder__isnull=False, pack__in=packs)


class Seat(models.Model):
    """One seat of a pack: free, with an invitation, held by a user, or closed because its money went back."""

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    pack = models.ForeignKey(SeatPack, models.PROTECT, related_name="rows")
    position = models.PositiveSmallIntegerField(help_text="From 1.")
    holder = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="seats")
    assigned_at = models.DateTimeField(null=True, help_text="Since when the holder has it.")
    email = models.EmailField(blank=True, help_text="Who is invited; in lower case.")
    invite_hash = models.CharField(max_length=64, null=True, unique=True, help_text="An invitation is found by it.")
    invited_at = models.DateTimeField(null=True)
    encrypted_invite = models.TextField(blank=True, help_text="The key of the link, to send it again.")
    mail_uid = models.UUIDField(null=True, help_text="The job that delivers the email of the invitation.")
    refund = models.ForeignKey(Refund, models.PROTECT, null=True, related_name="seats", help_text="Its money back.")
    closed_at = models.DateTimeField(null=True)

    objects = SeatQuerySet.as_manager()

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["pack", "position"], name="one_seat_per_position"),
            models.UniqueConstraint(
                fields=["pack", "holder"], condition=Q(holder__isnull=False), name="one_seat_per_holder"
            ),
            models.UniqueConstraint(fields=["pack", "email"], condition=~Q(email=""), name="one_seat_per_invitation"),
            models.CheckConstraint(
                condition=Q(holder=None, assigned_at=None) | Q(holder__isnull=False, assigned_at__isnull=False),
                name="held_seat_says_since_when",
            ),
            models.CheckConstraint(
                condition=Q(email="", invite_hash=None, invited_at=None)
                | (~Q(email="") & Q(holder=None, invite_hash__isnull=False, invited_at__isnull=False)),
                name="invited_seat_is_free",
            ),
            models.CheckConstraint(
                condition=Q(closed_at=None) | Q(holder=None, email=""), name="closed_seat_is_nobodys"
            ),
        ]
        indexes = [models.Index(fields=["holder"], name="seat_of_holder", condition=Q(holder__isnull=False))]

    def __str__(self) -> str:
        return f"{self.pack_id}.{self.position}"


class SeatUse(models.Model):
    """From when until when a user held a seat. It is ended, never deleted: Premium is shared by it."""

    seat = models.ForeignKey(Seat, models.PROTECT, related_name="uses")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="seat_uses")
    given_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+", help_text="Empty: taken by the user."
    )
    email = models.EmailField(blank=True, help_text="By which the team knows them: never another one of theirs.")
    invite_hash = models.CharField(max_length=64, blank=True, help_text="Of the invitation that they accepted.")
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["seat"], condition=Q(ended_at=None), name="one_present_use_per_seat"),
            models.CheckConstraint(
                condition=Q(ended_at=None) | Q(ended_at__gte=F("started_at")), name="use_ends_after_it_starts"
            ),
        ]
        indexes = [
            models.Index(fields=["user", "started_at"], name="seat_use_of_user"),
            models.Index(fields=["invite_hash"], name="seat_use_of_invite", condition=~Q(invite_hash="")),
        ]

    def __str__(self) -> str:
        return f"{self.seat_id}: {self.user_id}"
