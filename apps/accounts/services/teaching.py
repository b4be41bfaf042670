"""Becoming an instructor: a student requests it with a reason, an admin decides with an answer."""

from datetime import datetime, timedelta
from uuid import UUID

from django.db import IntegrityError, transaction

from apps.accounts.errors import TeachingAlreadyDecided, TeachingAlreadyRequested
from apps.accounts.models import Role, TeachingRequest, User
from apps.accounts.policies import administer
from apps.accounts.services.notifications import notify, notify_all
from apps.accounts.services.people import change_role
from studyplatform.kit.errors import NotFound
from studyplatform.kit.policies import enforce

AGAIN_AFTER = timedelta(days=7)


def request_to_teach(*, user: User, reason: str, now: datetime) -> TeachingRequest:
    """Submit a request and notify the admins.

    :raises TeachingAlreadyRequested: one is pending, one was declined within a week, or the user teaches already.
    """
    if not can_request_to_teach(user, now):
        raise TeachingAlreadyRequested
    try:
        with transaction.atomic():
            request = TeachingRequest.objects.create(user=user, reason=reason, created_at=now)
            notify_all(
                "account.teaching_asked",
                User.objects.filter(role=Role.ADMIN, is_active=True),
                "/dashboard/admin/teaching",
                key=request.uid.hex,
                now=now,
                name=user.display_name,
                reason=reason,
            )
    except IntegrityError:  # sent twice at the same moment
        raise TeachingAlreadyRequested from None
    return request


def can_request_to_teach(user: User, now: datetime) -> bool:
    """Whether a request may be submitted now."""
    last = TeachingRequest.objects.filter(user=user).order_by("-created_at").first()
    if user.can_teach or (last is not None and last.state == TeachingRequest.State.PENDING):
        return False
    return last is None or last.decided_at is None or last.decided_at <= now - AGAIN_AFTER


def decide_teaching_request(*, uid: UUID, by: User, is_approved: bool, answer: str, now: datetime) -> TeachingRequest:
    """Approve or decline a request; the user is notified on the site and by email.

    :raises NotAuthenticated, RoleRequired: ``by`` is no admin.
    :raises NotFound: no such request.
    :raises TeachingAlreadyDecided: another admin has decided.
    """
    enforce(administer(by))
    with transaction.atomic():
        request = TeachingRequest.objects.select_for_update(of=("self",)).select_related("user").filter(uid=uid).first()
        if request is None:
            raise NotFound
        if request.state != TeachingRequest.State.PENDING:
            raise TeachingAlreadyDecided
        request.state = TeachingRequest.State.APPROVED if is_approved else TeachingRequest.State.DECLINED
        request.answer, request.decided_by, request.decided_at = answer, by, now
        request.save()
        if is_approved and request.user.role == Role.STUDENT:
            change_role(user=request.user, role=Role.INSTRUCTOR, is_told=False)
        kind, link = (
            ("account.teaching_approved", "/dashboard/instructor/")
            if is_approved
            else ("account.teaching_declined", "/settings/teaching")
        )
        notify(kind, request.user, link, key=request.uid.hex, now=now, answer=answer)
    return request
