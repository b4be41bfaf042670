"""Who teaches a course, for the page about its people."""

from dataclasses import dataclass

from django.db.models import QuerySet

from apps.accounts.models import Role, User
from apps.courses.models import CoInstructor, CoInstructorInvitation, Course, OwnershipOffer, RevenueShare, Right
from apps.courses.services.people import WHOLE, gets_money


@dataclass(frozen=True)
class TeachingRow:
    """A co-instructor. ``percent`` is agreed; it goes to the instructor while ``gets_money`` is false."""

    member: CoInstructor
    user: User
    percent: int
    gets_money: bool


@dataclass(frozen=True)
class People:
    """Who teaches a course. ``own_percent``: what the instructor has of their part, with what others don't get yet."""

    persons: list[TeachingRow]
    invitations: list[CoInstructorInvitation]
    offer: OwnershipOffer | None
    own_percent: int


def people_of_course(course: Course) -> People:
    """Return the co-instructors of a course by name, its open invitations, and whom it is offered to. Four queries."""
    shares = dict(RevenueShare.objects.filter(course=course, until=None).values_list("user", "percent"))
    members = CoInstructor.objects.active().filter(course=course).select_related("user")
    persons = [
        TeachingRow(member, member.user, shares.get(member.user_id, 0), gets_money(member.user)) for member in members
    ]
    invitations = CoInstructorInvitation.objects.filter(course=course, state=CoInstructorInvitation.State.PENDING)
    offers = OwnershipOffer.objects.filter(course=course, state=OwnershipOffer.State.PENDING)
    return People(
        persons=sorted(persons, key=lambda one: (one.user.display_name.casefold(), one.user.pk)),
        invitations=list(invitations.order_by("invited_at", "pk")),
        offer=offers.select_related("offered_to", "offered_by").first(),
        own_percent=WHOLE - sum(one.percent for one in persons if one.gets_money),
    )


def shown_co_instructors() -> QuerySet[CoInstructor]:
    """Return the co-instructors that everyone sees: those who answer learners, with accounts that may teach."""
    teaching = CoInstructor.objects.having(Right.TEACH)
    return teaching.filter(user__is_active=True, user__role__in=[Role.INSTRUCTOR, Role.ADMIN])


def named_with(course: Course) -> list[User]:
    """Return those who are named beside the instructor of a course, by name. One query."""
    rows = shown_co_instructors().filter(course=course.live_id).select_related("user")
    return sorted((row.user for row in rows), key=lambda user: (user.display_name.casefold(), user.pk))
