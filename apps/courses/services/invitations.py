"""Invitations by email to teach a course: sent, sent again, revoked, accepted and declined.

Who has the link and an account whose proved email is the invited one accepts it: the rights go to nobody else, even
if the email is forwarded. Somebody without an account registers with this address first.
"""

import hashlib
import secrets
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils.formats import date_format
from django.utils.timezone import localtime

from apps.accounts import services as accounts
from apps.accounts.models import User
from apps.courses import people_policies
from apps.courses.errors.people import (
    AlreadyCoInstructor,
    InvitationExpired,
    InvitationOfAnother,
    InvitationUnknown,
    SharesTooHigh,
    TooManyCoInstructors,
)
from apps.courses.models import CoInstructor, CoInstructorInvitation, Course
from apps.courses.services.people import free_percent, lock_course, lock_people, people_page, set_share
from apps.courses.services.search import index_course
from studyplatform.kit import mail
from studyplatform.kit.policies import enforce
from studyplatform.kit.web import rate_limits

VALID_FOR = timedelta(days=14)
MAX_PEOPLE = 10
"""Co-instructors of a course and open invitations together: the ledger has entries for this many."""
MAX_TOKEN_LENGTH = 100
State = CoInstructorInvitation.State


def hash_token(token: str) -> str:
    """Return the hash by which an invitation is stored and found; "" for what can't be a token."""
    return hashlib.sha256(f"co-instructor {token}".encode()).hexdigest() if 0 < len(token) <= MAX_TOKEN_LENGTH else ""


def invite_co_instructor(
    *, course: Course, by: User, email: str, role: str, percent: int = 0, now: datetime
) -> CoInstructorInvitation:
    """Invite somebody by email. Whether the address has an account is not said.

    An invitation of the address that has expired is replaced, with its role and share.

    :raises OnlyForInstructor: the user is not the instructor of the course.
    :raises AlreadyCoInstructor: the address is the instructor's, a co-instructor's, or was invited before.
    :raises SharesTooHigh: all shares together are more than 100 %.
    :raises TooManyCoInstructors: there are `MAX_PEOPLE` already.
    :raises RateLimitExceeded: too many emails by this user.
    """
    email = email.strip().lower()
    with transaction.atomic():
        course = lock_course(course, by)
        members = CoInstructor.objects.active().filter(course=course)
        pending = CoInstructorInvitation.objects.filter(course=course, state=State.PENDING)
        pending.filter(email=email, expires_at__lte=now).update(state=State.REVOKED, answered_at=now)
        is_there = email == course.instructor.email.lower() or members.filter(user__email__iexact=email).exists()
        if is_there or pending.filter(email=email).exists():
            raise AlreadyCoInstructor(email=email)
        if members.count() + pending.count() >= MAX_PEOPLE:
            raise TooManyCoInstructors(most=MAX_PEOPLE)
        free = free_percent(course)
        if percent > free:
            raise SharesTooHigh(free=free)
        rate_limits.consume("co-instructor-invitation", str(by.pk), now=now)
        invitation = CoInstructorInvitation(
            course=course, email=email, role=CoInstructor.Role(role).value, percent=percent
        )
        _send(invitation, by, now)
    return invitation


def resend_invitation(*, invitation: CoInstructorInvitation, by: User, now: datetime) -> None:
    """Send an open invitation again with another link, which is valid for as long as a new one's.

    :raises InvitationUnknown: it was answered or revoked.
    """
    with transaction.atomic():
        locked = _locked(invitation, by)
        rate_limits.consume("co-instructor-invitation", str(by.pk), now=now)
        _send(locked, by, now)


def revoke_invitation(*, invitation: CoInstructorInvitation, by: User, now: datetime) -> None:
    """Revoke an open invitation: its link no longer works.

    :raises InvitationUnknown: it was answered or revoked before.
    """
    with transaction.atomic():
        locked = _locked(invitation, by)
        locked.state, locked.answered_at = State.REVOKED, now
        locked.save(update_fields=["state", "answered_at"])


def invitation_by_token(token: str, *, now: datetime) -> CoInstructorInvitation:
    """Return the open invitation of a link.

    :raises InvitationUnknown: there is no such invitation, or it was answered or revoked.
    :raises InvitationExpired: its time is over.
    """
    rows = CoInstructorInvitation.objects.select_related("course__subject", "course__instructor", "invited_by")
    found = rows.filter(token_hash=hash_token(token), state=State.PENDING).first()
    if found is None:
        raise InvitationUnknown
    if found.expires_at <= now:
        raise InvitationExpired
    return found


def answer_invitation(*, token: str, by: User, accepts: bool, now: datetime) -> CoInstructorInvitation:
    """Accept an invitation, which makes the user a co-instructor, or decline it.

    :raises InvitationUnknown, InvitationExpired: as `invitation_by_token`.
    :raises InvitationOfAnother: it is for another address.
    :raises EmailNotVerified: nobody has proved yet that the address is the user's.
    """
    found = invitation_by_token(token, now=now)
    with transaction.atomic():
        course = lock_people(found.course)
        found = CoInstructorInvitation.objects.select_for_update().get(pk=found.pk)
        if found.state != State.PENDING:
            raise InvitationUnknown
        if found.email != by.email.lower():
            raise InvitationOfAnother(email=found.email)
        enforce(people_policies.answer_invitation(by))
        found.state = State.ACCEPTED if accepts else State.DECLINED
        found.answered_by, found.answered_at = by, now
        found.save(update_fields=["state", "answered_by", "answered_at"])
        if accepts:
            _join(course, found, by, now)
        kind = "courses.co_instructor_joined" if accepts else "courses.co_instructor_declined"
        about: dict[str, Any] = {"course": course.title, "name": by.display_name}
        accounts.notify(kind, course.instructor, people_page(course), found.uid.hex, **about)
    return found


def _join(course: Course, invitation: CoInstructorInvitation, user: User, now: datetime) -> None:
    if course.instructor_id == user.pk:  # the course has changed hands since
        return
    member, _is_new = CoInstructor.objects.get_or_create(
        course=course,
        user=user,
        removed_at=None,
        defaults={"role": invitation.role, "invited_by": invitation.invited_by, "joined_at": now},
    )
    set_share(course, member.user, invitation.percent, now=now)
    index_course(course_id=course.pk)


def _locked(invitation: CoInstructorInvitation, by: User) -> CoInstructorInvitation:
    lock_course(invitation.course, by)
    rows = CoInstructorInvitation.objects.select_for_update(of=("self",)).select_related("course__instructor")
    found = rows.filter(pk=invitation.pk, state=State.PENDING).first()
    if found is None:
        raise InvitationUnknown
    return found


def _send(invitation: CoInstructorInvitation, by: User, now: datetime) -> None:
    token = secrets.token_urlsafe(24)
    invitation.token_hash, invitation.invited_by = hash_token(token), by
    invitation.invited_at, invitation.expires_at = now, now + VALID_FOR
    sent = mail.send(
        "co-instructor",
        to=invitation.email,
        link=f"/teach/{token}",
        sender=by.display_name,
        course=invitation.course.title,
        role=invitation.role,
        percent=invitation.percent,
        until=date_format(localtime(invitation.expires_at), "j F Y"),
    )
    invitation.mail_uid = sent.uid
    invitation.save()
