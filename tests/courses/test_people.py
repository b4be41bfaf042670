"""Invitations, roles, shares, removal, and who is the instructor of a course."""

from datetime import UTC, datetime, timedelta

import pytest

from apps.accounts.errors import EmailNotVerified, RoleRequired
from apps.accounts.models import Notification, Role, User
from apps.courses.errors.people import (
    AlreadyCoInstructor,
    CoInstructorGone,
    InvitationExpired,
    InvitationOfAnother,
    InvitationUnknown,
    OfferGone,
    OnlyForInstructor,
    SharesTooHigh,
    TooManyCoInstructors,
)
from apps.courses.models import CoInstructor, CoInstructorInvitation, Course, OwnershipOffer, RevenueShare, Right
from apps.courses.policies import has_right
from apps.courses.services import invitations
from apps.courses.services import people as services
from studyplatform.kit.errors import AppError
from tests.factories.accounts import UserFactory
from tests.factories.co_instructors import CoInstructorFactory, RevenueShareFactory
from tests.factories.courses import CourseFactory

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 3, 15, 10, 0, tzinfo=UTC)
LATER = NOW + timedelta(days=2)


@pytest.fixture
def course(ada):
    return CourseFactory(instructor=ada)


@pytest.fixture
def tokens(monkeypatch):
    """The tokens of the links that were sent, in order."""
    sent = []

    def make(_length):
        sent.append(f"token-{len(sent)}")
        return sent[-1]

    monkeypatch.setattr(invitations.secrets, "token_urlsafe", make)
    return sent


def invite(course, email="bo@example.com", role="edit", percent=25):
    return invitations.invite_co_instructor(
        course=course, by=course.instructor, email=email, role=role, percent=percent, now=NOW
    )


def answer(token, user, *, accepts=True, now=NOW):
    return invitations.answer_invitation(token=token, by=user, accepts=accepts, now=now)


def share_of(course, user):
    row = RevenueShare.objects.filter(course=course, user=user, until=None).first()
    return row.percent if row else 0


def test_who_accepts_an_invitation_has_its_role_and_share(course, tokens, mailoutbox):
    invite(course, email=" Bo@Example.com ")
    bo = UserFactory(email="bo@example.com", role=Role.INSTRUCTOR)
    answer(tokens[0], bo)
    assert has_right(bo, course, Right.EDIT)
    assert share_of(course, bo) == 25
    assert Notification.objects.filter(user=course.instructor, kind="courses.co_instructor_joined").exists()
    with pytest.raises(InvitationUnknown):
        answer(tokens[0], bo)


def test_the_link_gives_nothing_to_another_account_or_an_unproved_address(course, tokens):
    invite(course)
    with pytest.raises(InvitationOfAnother):
        answer(tokens[0], UserFactory(email="eve@example.com"))
    with pytest.raises(EmailNotVerified):
        answer(tokens[0], UserFactory(email="bo@example.com", email_verified_at=None))
    assert not CoInstructor.objects.exists()


def test_a_link_expires_is_replaced_and_revoked(course, tokens):
    invitation = invite(course)
    bo = UserFactory(email="bo@example.com", role=Role.INSTRUCTOR)
    with pytest.raises(InvitationExpired):
        answer(tokens[0], bo, now=NOW + timedelta(days=14))
    invitations.resend_invitation(invitation=invitation, by=course.instructor, now=NOW + timedelta(days=14))
    with pytest.raises(InvitationUnknown):
        answer(tokens[0], bo, now=NOW + timedelta(days=14))
    invitations.revoke_invitation(invitation=invitation, by=course.instructor, now=LATER)
    for token in (*tokens, "", "x" * 200):
        with pytest.raises(InvitationUnknown):
            answer(token, bo)
    with pytest.raises(InvitationUnknown):
        invitations.revoke_invitation(invitation=invitation, by=course.instructor, now=LATER)


def test_an_expired_invitation_is_replaced_by_another_role_and_share(course, tokens):
    invite(course, role="view", percent=80)
    bo = UserFactory(email="bo@example.com", role=Role.INSTRUCTOR)
    after = NOW + invitations.VALID_FOR
    with pytest.raises(AlreadyCoInstructor):
        invite(course, percent=90)
    invitations.invite_co_instructor(
        course=course, by=course.instructor, email="Bo@example.com", role="edit", percent=90, now=after
    )
    with pytest.raises(InvitationUnknown):
        answer(tokens[0], bo, now=after)
    answer(tokens[1], bo, now=after)
    assert (CoInstructor.objects.get().role, share_of(course, bo)) == ("edit", 90)


def test_declining_frees_the_share(course, tokens):
    invite(course, percent=80)
    with pytest.raises(SharesTooHigh):
        invite(course, email="cy@example.com", percent=21)
    answer(tokens[0], UserFactory(email="bo@example.com"), accepts=False)
    invite(course, email="cy@example.com", percent=100)
    assert not CoInstructor.objects.exists()


def test_nobody_is_invited_twice(course, tokens):
    invite(course)
    for email in ("BO@example.com", course.instructor.email):
        with pytest.raises(AlreadyCoInstructor):
            invite(course, email=email)
    answer(tokens[0], UserFactory(email="bo@example.com"))
    with pytest.raises(AlreadyCoInstructor):
        invite(course)


def test_a_course_has_a_limited_number_of_co_instructors(course):
    for number in range(invitations.MAX_PEOPLE):
        invite(course, email=f"p{number}@example.com", percent=0)
    with pytest.raises(TooManyCoInstructors):
        invite(course, percent=0)


def test_only_the_instructor_and_admins_change_people(course, sam, tokens):
    editor = CoInstructorFactory(course=course).user
    other = CoInstructorFactory(course=course).user
    invitation = invite(course)
    about = {"course": course, "now": NOW}
    for call in (
        lambda: invitations.invite_co_instructor(by=editor, email="x@example.com", role="view", **about),
        lambda: invitations.resend_invitation(invitation=invitation, by=editor, now=NOW),
        lambda: invitations.revoke_invitation(invitation=invitation, by=editor, now=NOW),
        lambda: services.change_co_instructor(by=editor, user_id=editor.pk, role="edit", percent=50, **about),
        lambda: services.remove_co_instructor(by=editor, user_id=other.pk, **about),
        lambda: services.offer_course(by=editor, user_id=editor.pk, **about),
        lambda: services.withdraw_offer(by=editor, **about),
    ):
        with pytest.raises(OnlyForInstructor):
            call()
    with pytest.raises(AppError):
        services.transfer_course(by=course.instructor, to=editor, **about)
    services.remove_co_instructor(by=sam, user_id=other.pk, **about)
    assert not has_right(other, course, Right.VIEW)


def test_changing_a_share_ends_the_former_one(course):
    bo = CoInstructorFactory(course=course, role="edit").user
    change = {"course": course, "by": course.instructor, "user_id": bo.pk}
    services.change_co_instructor(**change, role="edit", percent=20, now=NOW)
    services.change_co_instructor(**change, role="teach", percent=20, now=LATER)
    services.change_co_instructor(**change, role="teach", percent=30, now=LATER)
    rows = RevenueShare.objects.order_by("pk").values_list("percent", "since", "until")
    assert list(rows) == [(20, NOW, LATER), (30, LATER, None)]
    assert not has_right(bo, course, Right.EDIT)
    with pytest.raises(SharesTooHigh):
        services.change_co_instructor(**change, role="teach", percent=101, now=LATER)


def test_removal_ends_rights_share_and_offer_at_once(course):
    bo = CoInstructorFactory(course=course).user
    RevenueShareFactory(course=course, user=bo, percent=40)
    services.offer_course(course=course, by=course.instructor, user_id=bo.pk, now=NOW)
    for _ in range(2):
        services.remove_co_instructor(course=course, by=course.instructor, user_id=bo.pk, now=LATER)
    assert not has_right(bo, course, Right.VIEW)
    assert share_of(course, bo) == 0
    assert OwnershipOffer.objects.get().state == OwnershipOffer.State.WITHDRAWN
    with pytest.raises(AppError):
        services.answer_offer(course=course, by=bo, accepts=True, now=LATER)
    with pytest.raises(CoInstructorGone):
        services.change_co_instructor(
            course=course, by=course.instructor, user_id=bo.pk, role="edit", percent=1, now=LATER
        )
    assert Notification.objects.filter(user=bo, kind="courses.co_instructor_removed").count() == 1


def test_a_co_instructor_leaves(course):
    bo = CoInstructorFactory(course=course).user
    services.remove_co_instructor(course=course, by=bo, user_id=bo.pk, now=NOW)
    assert not has_right(bo, course, Right.VIEW)
    assert Notification.objects.filter(user=course.instructor, kind="courses.co_instructor_left").exists()


def test_a_course_changes_hands_when_the_other_accepts(course):
    ada, bo = course.instructor, CoInstructorFactory(course=course, role="view").user
    RevenueShareFactory(course=course, user=bo, percent=40)
    services.offer_course(course=course, by=ada, user_id=bo.pk, now=NOW)
    assert Course.objects.get().instructor == ada
    services.answer_offer(course=course, by=bo, accepts=True, now=LATER)
    course.refresh_from_db()
    assert course.instructor == bo
    assert not has_right(ada, course, Right.OWN)
    assert has_right(ada, course, Right.EDIT)
    assert share_of(course, bo) == share_of(course, ada) == 0
    with pytest.raises(OfferGone):
        services.answer_offer(course=course, by=bo, accepts=True, now=LATER)


def test_an_offer_is_declined_or_replaced(course):
    bo, cy = (CoInstructorFactory(course=course).user for _ in range(2))
    for user in (bo, cy):
        services.offer_course(course=course, by=course.instructor, user_id=user.pk, now=NOW)
    with pytest.raises(OfferGone):
        services.answer_offer(course=course, by=bo, accepts=True, now=LATER)
    services.answer_offer(course=course, by=cy, accepts=False, now=LATER)
    assert Course.objects.get().instructor == course.instructor


def test_only_who_may_teach_takes_over_a_course(course, sam):
    bo = CoInstructorFactory(course=course, user__role=Role.STUDENT).user
    with pytest.raises(RoleRequired):
        services.offer_course(course=course, by=course.instructor, user_id=bo.pk, now=NOW)
    cy = CoInstructorFactory(course=course).user
    services.transfer_course(course=course, by=sam, to=cy, now=NOW)
    assert Course.objects.get().instructor == cy


def test_an_offer_ends_with_the_ownership_of_who_made_it(course, sam):
    bo, cy = (CoInstructorFactory(course=course).user for _ in range(2))
    services.offer_course(course=course, by=course.instructor, user_id=bo.pk, now=NOW)
    services.transfer_course(course=course, by=sam, to=cy, now=NOW)
    former = OwnershipOffer.objects.get(offered_to=bo)
    assert former.state == OwnershipOffer.State.WITHDRAWN
    OwnershipOffer.objects.filter(pk=former.pk).update(state=OwnershipOffer.State.PENDING)  # of before the update
    with pytest.raises(OfferGone):
        services.answer_offer(course=course, by=bo, accepts=True, now=LATER)
    assert Course.objects.get().instructor == cy


def test_a_deleted_account_teaches_nothing_any_longer(course, tokens):
    invite(course)
    bo = UserFactory(email="bo@example.com", role=Role.INSTRUCTOR)
    answer(tokens[0], bo)
    services.end_co_teaching(user_id=bo.pk, now=LATER)
    assert not CoInstructor.objects.active().exists()
    assert not CoInstructorInvitation.objects.exists()
    assert share_of(course, User.objects.get(pk=bo.pk)) == 0
