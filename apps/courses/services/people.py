"""Who teaches a course: roles, shares and removal of co-instructors, and who its instructor is.

All hold the lock of the course, which every change of the course waits for: what somebody does while they are removed
comes before it, or is refused. Sales lock the shares that they read (`billing.services.revenue_shares`).
"""

from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Q, Sum

from apps.accounts import services as accounts
from apps.accounts.models import User
from apps.accounts.policies import be_verified
from apps.courses import people_policies, policies
from apps.courses.errors.people import CoInstructorGone, OfferGone, SharesTooHigh
from apps.courses.models import CoInstructor, CoInstructorInvitation, Course, OwnershipOffer, RevenueShare
from apps.courses.services.search import index_course
from studyplatform.kit.policies import enforce
from studyplatform.kit.sockets import wake

WHOLE = 100
STUDIO = "/dashboard/instructor/courses/"


def people_page(course: Course) -> str:
    """Return the address of the page about the people of a course."""
    return f"{STUDIO}{course.slug}/people"


def change_co_instructor(*, course: Course, by: User, user_id: int, role: str, percent: int, now: datetime) -> None:
    """Give a co-instructor another role or share. It holds for what is sold from now on.

    :raises OnlyForInstructor: the user is not the instructor of the course.
    :raises CoInstructorGone: this person is no co-instructor, or was removed meanwhile.
    :raises SharesTooHigh: all shares together are more than 100 %.
    """
    with transaction.atomic():
        course = lock_course(course, by)
        member = _member(course, user_id)
        role = CoInstructor.Role(role).value
        if member.role != role:
            member.role = role
            member.save(update_fields=["role"])
            accounts.notify(
                "courses.co_instructor_role",
                member.user,
                f"{STUDIO}{course.slug}/edit",
                f"{member.pk} {now.isoformat()}",
                course=course.title,
                role=str(member.get_role_display()),
            )
        set_share(course, member.user, percent, now=now)
        index_course(course_id=course.pk)


def remove_co_instructor(*, course: Course, by: User, user_id: int, now: datetime) -> None:
    """End the rights and the share of a co-instructor at once. What they earned before stays theirs. Idempotent.

    :raises OnlyForInstructor: the user is neither the instructor nor the co-instructor, who may leave.
    """
    with transaction.atomic():
        course = lock_people(course)
        enforce(people_policies.remove_co_instructor(by, course, user_id))
        member = CoInstructor.objects.active().select_related("user").filter(course=course, user=user_id).first()
        if member is None:
            return
        _end(member, by=by, now=now)
        index_course(course_id=course.pk)
        about: dict[str, Any] = {"course": course.title, "name": member.user.display_name}
        if by.pk == user_id:
            accounts.notify(
                "courses.co_instructor_left", course.instructor, people_page(course), member.uid.hex, **about
            )
        else:
            accounts.notify("courses.co_instructor_removed", member.user, STUDIO, member.uid.hex, **about)


def end_co_teaching(*, user_id: int, now: datetime) -> None:
    """End what a deleted account had in courses of others, and delete the invitations that name its address."""
    with transaction.atomic():
        pks = CoInstructor.objects.active().filter(user=user_id).values("course")
        for course in [lock_people(one) for one in Course.objects.filter(pk__in=pks).order_by("pk")]:
            for member in CoInstructor.objects.active().filter(course=course, user=user_id):
                _end(member, by=None, now=now)
            index_course(course_id=course.pk)
        OwnershipOffer.objects.filter(offered_to=user_id, state=OwnershipOffer.State.PENDING).update(
            state=OwnershipOffer.State.WITHDRAWN, answered_at=now
        )
        CoInstructorInvitation.objects.filter(answered_by=user_id).delete()


def _end(member: CoInstructor, *, by: User | None, now: datetime) -> None:
    member.removed_at, member.removed_by = now, by
    member.save(update_fields=["removed_at", "removed_by"])
    set_share(member.course, member.user, 0, now=now)
    offers = OwnershipOffer.objects.filter(course=member.course_id, offered_to=member.user_id)
    offers.filter(state=OwnershipOffer.State.PENDING).update(state=OwnershipOffer.State.WITHDRAWN, answered_at=now)
    for name in ("studio", "messages"):
        wake(name)


def offer_course(*, course: Course, by: User, user_id: int, now: datetime) -> OwnershipOffer:
    """Offer the course to one of its co-instructors. It changes hands when they accept; an earlier offer ends.

    :raises OnlyForInstructor: the user is not the instructor of the course.
    :raises CoInstructorGone: this person is no co-instructor.
    """
    with transaction.atomic():
        course = lock_course(course, by)
        member = _member(course, user_id)
        enforce(people_policies.be_offered_course(member.user))
        pending = OwnershipOffer.objects.filter(course=course, state=OwnershipOffer.State.PENDING)
        pending.update(state=OwnershipOffer.State.WITHDRAWN, answered_at=now)
        offer = OwnershipOffer.objects.create(course=course, offered_by=by, offered_to=member.user, offered_at=now)
        accounts.notify(
            "courses.ownership_offered",
            member.user,
            people_page(course),
            offer.uid.hex,
            course=course.title,
            name=by.display_name,
        )
    return offer


def withdraw_offer(*, course: Course, by: User, now: datetime) -> None:
    """Withdraw the offer of a course, if there is one. Idempotent.

    :raises OnlyForInstructor: the user is not the instructor of the course.
    """
    with transaction.atomic():
        course = lock_course(course, by)
        OwnershipOffer.objects.filter(course=course, state=OwnershipOffer.State.PENDING).update(
            state=OwnershipOffer.State.WITHDRAWN, answered_at=now
        )


def answer_offer(*, course: Course, by: User, accepts: bool, now: datetime) -> None:
    """Accept a course that was offered, or decline it. The former instructor stays as a co-instructor who edits.

    What was sold before stays with those who had it at the sale.

    :raises OfferGone: nothing is offered to the user any longer.
    """
    with transaction.atomic():
        course = lock_people(course)
        enforce(policies.manage_course(by, course))
        offers = OwnershipOffer.objects.select_for_update().filter(course=course, offered_to=by)
        offer = offers.filter(state=OwnershipOffer.State.PENDING).first()
        if offer is None or (accepts and not _may_offer(offer, course)):
            raise OfferGone
        if accepts:
            enforce(people_policies.be_offered_course(by))
            _hand_over(course, to=by, offer=offer, now=now)
        else:
            offer.state, offer.answered_at = OwnershipOffer.State.DECLINED, now
            offer.save(update_fields=["state", "answered_at"])
        if offer.offered_by is not None:
            kind = "courses.ownership_accepted" if accepts else "courses.ownership_declined"
            accounts.notify(
                kind, offer.offered_by, people_page(course), offer.uid.hex, course=course.title, name=by.display_name
            )


def _may_offer(offer: OwnershipOffer, course: Course) -> bool:
    return offer.offered_by is not None and policies.own_course(offer.offered_by, course) is None


def transfer_course(*, course: Course, by: User, to: User, now: datetime) -> None:
    """Give a course to one of its co-instructors at once: only admins do.

    :raises CoInstructorGone: the new instructor is no co-instructor of the course.
    """
    with transaction.atomic():
        course = lock_people(course)
        enforce(people_policies.transfer_course(by))
        member = _member(course, to.pk)
        enforce(people_policies.be_offered_course(member.user))
        former = course.instructor
        given = OwnershipOffer(course=course, offered_by=by, offered_to=member.user, offered_at=now)
        _hand_over(course, to=member.user, offer=given, now=now)
        about: dict[str, Any] = {"course": course.title, "name": member.user.display_name}
        key = f"{course.pk} {now.isoformat()}"
        accounts.notify_all("courses.ownership_accepted", [former, member.user], people_page(course), key, **about)


def _hand_over(course: Course, *, to: User, offer: OwnershipOffer, now: datetime) -> None:
    former = course.instructor
    member = CoInstructor.objects.active().filter(course=course, user=to).get()
    _end(member, by=to, now=now)
    pending = OwnershipOffer.objects.filter(course=course, state=OwnershipOffer.State.PENDING).exclude(pk=offer.pk)
    pending.update(state=OwnershipOffer.State.WITHDRAWN, answered_at=now)  # a former instructor offers nothing
    offer.state, offer.answered_at, offer.former_instructor = OwnershipOffer.State.ACCEPTED, now, former
    offer.save()
    course.instructor = to
    course.version += 1
    course.save(update_fields=["instructor", "version"])
    Course.with_working_copies.filter(next_version_of=course).update(instructor=to)
    CoInstructor.objects.create(course=course, user=former, role=CoInstructor.Role.EDIT, invited_by=to, joined_at=now)
    index_course(course_id=course.pk)


def lock_course(course: Course, by: User) -> Course:
    """Lock a course to change its people.

    :raises OnlyForInstructor: the user is not its instructor.
    """
    locked = lock_people(course)
    enforce(policies.own_course(by, locked))
    return locked


def lock_people(course: Course) -> Course:
    """Lock the live course and its working copy, in which authors may write at this moment; return the live one."""
    both = Q(pk=course.live_id) | Q(next_version_of=course.live_id)
    rows = Course.with_working_copies.select_for_update(of=("self",)).select_related("instructor").filter(both)
    return next(row for row in rows.order_by("pk") if row.pk == course.live_id)


def set_share(course: Course, user: User, percent: int, *, now: datetime) -> None:
    """Set what percent of the instructor's part is a co-instructor's from now on. The caller has locked the course.

    :raises SharesTooHigh: all shares together are more than 100 %.
    """
    present = RevenueShare.objects.select_for_update(no_key=True).filter(course=course, user=user, until=None).first()
    if (present.percent if present else 0) == percent:
        return
    if percent > free_percent(course, without=user):
        raise SharesTooHigh(free=free_percent(course, without=user))
    if present is not None:
        present.until = now
        present.save(update_fields=["until"])
    if percent:
        RevenueShare.objects.create(course=course, user=user, percent=percent, since=now)


def free_percent(course: Course, *, without: User | None = None, without_invitation: int | None = None) -> int:
    """Return what percent of the instructor's part is nobody else's, and not promised in an invitation. Two queries."""
    shares = RevenueShare.objects.filter(course=course, until=None)
    if without is not None:
        shares = shares.exclude(user=without)
    promised = CoInstructorInvitation.objects.filter(course=course, state=CoInstructorInvitation.State.PENDING)
    if without_invitation is not None:
        promised = promised.exclude(pk=without_invitation)
    sums = [rows.aggregate(sum=Sum("percent"))["sum"] or 0 for rows in (shares, promised)]
    return max(0, WHOLE - sum(sums))


def _member(course: Course, user_id: int) -> CoInstructor:
    member = CoInstructor.objects.active().select_related("user").filter(course=course, user=user_id).first()
    if member is None:
        raise CoInstructorGone
    return member


def gets_money(user: User) -> bool:
    """Return whether an account gets its share: it may teach, its email is proved, and it isn't blocked."""
    return user.is_active and user.can_teach and be_verified(user) is None
