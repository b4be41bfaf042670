"""The people of a course: invite co-instructors, their roles and shares, removal, leaving, and another instructor."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from apps.accounts.guards import open_to_everyone, signed_in_user, teaches
from apps.accounts.models import User
from apps.courses.errors.people import InvitationOfAnother
from apps.courses.models import CoInstructor, CoInstructorInvitation, Course
from apps.courses.pages.authoring import about
from apps.courses.pages.staffed import course_for_staff
from apps.courses.people_form import InvitationForm, RoleForm
from apps.courses.queries.people import people_of_course
from apps.courses.services import invitations
from apps.courses.services import people as services
from studyplatform.kit.errors import AppError, NotAuthenticated, NotFound, ValidationFailed
from studyplatform.kit.web import rate_limits


@teaches
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def people(request: HttpRequest, slug: str) -> HttpResponse:
    """Who teaches the course. A POST invites somebody."""
    course, user = course_for_staff(request, slug).live, signed_in_user(request)
    form = InvitationForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            invitations.invite_co_instructor(course=course, by=user, now=timezone.now(), **form.values())
        except AppError as refusal:
            if refusal.status == NotFound.status:
                raise
            form.add_error("percent" if refusal.code == "SHARES_TOO_HIGH" else "email", refusal.detail)
        else:
            messages.success(request, _("The invitation to %s is on its way.") % form.cleaned_data["email"])
            return redirect("courses:studio-people", course.slug)
    return _show(request, course, user, form)


def _show(request: HttpRequest, course: Course, user: User, form: InvitationForm) -> HttpResponse:
    found = people_of_course(course)
    context: dict[str, Any] = {
        **about(course, user),
        "people": found,
        "form": form,
        "free": services.free_percent(course),
        "roles": CoInstructor.Role.choices,
        "me": next((one for one in found.persons if one.user.pk == user.pk), None),
        "now": timezone.now(),
    }
    return render(request, "courses/studio/people.html", context, status=422 if form.errors else 200)


def _finish(request: HttpRequest, course: Course, act: Callable[[], str]) -> HttpResponse:
    """Do what a button of the page asks for and say what it says; a refusal is shown on the page too."""
    try:
        messages.success(request, act())
    except AppError as refusal:
        messages.error(request, refusal.detail, extra_tags=refusal.code)
    return redirect("courses:studio-people", course.slug)


@teaches
@require_POST
def co_instructor_change(request: HttpRequest, slug: str, uid: UUID) -> HttpResponse:
    """Give a co-instructor another role or share."""
    course, user = course_for_staff(request, slug).live, signed_in_user(request)
    member, form = _member(course, uid), RoleForm(request.POST)

    def change() -> str:
        if not form.is_valid():
            raise ValidationFailed
        given = form.cleaned_data
        role, percent = given["role"], given["percent"]
        services.change_co_instructor(
            course=course, by=user, user_id=member.user_id, role=role, percent=percent, now=timezone.now()
        )
        return _("Saved. The share holds for what is sold from now on.")

    return _finish(request, course, change)


@teaches
@require_POST
def co_instructor_remove(request: HttpRequest, slug: str, uid: UUID) -> HttpResponse:
    """Remove a co-instructor; one of them may leave."""
    course, user = course_for_staff(request, slug).live, signed_in_user(request)
    member = _member(course, uid)
    if member.user_id == user.pk:
        services.remove_co_instructor(course=course, by=user, user_id=user.pk, now=timezone.now())
        messages.success(request, _("You no longer teach “%s”.") % course.title)
        return redirect("courses:studio-list")

    def remove() -> str:
        services.remove_co_instructor(course=course, by=user, user_id=member.user_id, now=timezone.now())
        return _("%s no longer teaches the course.") % member.user.display_name

    return _finish(request, course, remove)


@teaches
@require_POST
def co_instructor_offer(request: HttpRequest, slug: str, uid: UUID) -> HttpResponse:
    """Offer the course to a co-instructor; an admin gives it to them at once."""
    course, user = course_for_staff(request, slug).live, signed_in_user(request)
    member = _member(course, uid)
    name = member.user.display_name

    def offer() -> str:
        if user.is_admin and course.instructor_id != user.pk:
            services.transfer_course(course=course, by=user, to=member.user, now=timezone.now())
            return _("%s is the instructor of the course now.") % name
        services.offer_course(course=course, by=user, user_id=member.user_id, now=timezone.now())
        return _("The course is offered to %s. You stay its instructor until they accept.") % name

    return _finish(request, course, offer)


@teaches
@require_POST
def offer_answer(request: HttpRequest, slug: str) -> HttpResponse:
    """Accept or decline the course that is offered to oneself, or withdraw one's own offer."""
    course, user, now = course_for_staff(request, slug).live, signed_in_user(request), timezone.now()

    def answer() -> str:
        match request.POST.get("answer"):
            case "withdraw":
                services.withdraw_offer(course=course, by=user, now=now)
                return _("The offer is withdrawn.")
            case "accept":
                services.answer_offer(course=course, by=user, accepts=True, now=now)
                return _("You are the instructor of the course now.")
            case "decline":
                services.answer_offer(course=course, by=user, accepts=False, now=now)
                return _("You declined the course.")
            case _other:
                raise ValidationFailed

    return _finish(request, course, answer)


@teaches
@require_POST
def invitation_send(request: HttpRequest, slug: str, uid: UUID) -> HttpResponse:
    """Send an open invitation again, with a new link."""
    course, user = course_for_staff(request, slug).live, signed_in_user(request)
    invitation = _invitation(course, uid)

    def send() -> str:
        invitations.resend_invitation(invitation=invitation, by=user, now=timezone.now())
        return _("The invitation to %s is on its way again. The former link no longer works.") % invitation.email

    return _finish(request, course, send)


@teaches
@require_POST
def invitation_revoke(request: HttpRequest, slug: str, uid: UUID) -> HttpResponse:
    """Revoke an open invitation."""
    course, user = course_for_staff(request, slug).live, signed_in_user(request)
    invitation = _invitation(course, uid)

    def revoke() -> str:
        invitations.revoke_invitation(invitation=invitation, by=user, now=timezone.now())
        return _("The invitation to %s no longer works.") % invitation.email

    return _finish(request, course, revoke)


@open_to_everyone
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """An invitation for the one who has its link. A POST answers it."""
    now = timezone.now()
    rate_limits.consume_for_address(request, "co-instructor-page", now=now)
    user = request.user if isinstance(request.user, User) else None
    refusal: AppError | None = None
    try:
        found = invitations.invitation_by_token(token, now=now)
    except AppError as refused:
        return render(request, "courses/invitation.html", {"refusal": refused}, status=refused.status)
    if request.method == "POST":
        if user is None:
            raise NotAuthenticated
        accepts = request.POST.get("answer") == "accept"
        try:
            invitations.answer_invitation(token=token, by=user, accepts=accepts, now=now)
        except AppError as refused:
            refusal = refused
        else:
            return _after_answer(request, found, user, accepts=accepts)
    elif user is not None and user.email.lower() != found.email:
        refusal = InvitationOfAnother(email=found.email)
    context = {"invitation": found, "course": found.course, "token": token, "refusal": refusal, "account": user}
    return render(
        request,
        "courses/invitation.html",
        context,
        status=refusal.status if refusal and request.method == "POST" else 200,
    )


def _after_answer(
    request: HttpRequest, invitation: CoInstructorInvitation, user: User, *, accepts: bool
) -> HttpResponse:
    course = invitation.course
    if not accepts:
        messages.success(request, _("You declined the invitation to “%s”.") % course.title)
        return redirect("/")
    if not user.can_teach:
        messages.info(request, _("You joined “%s”. Ask for permission to teach: then its studio opens.") % course.title)
        return redirect("/settings/teaching")
    messages.success(request, _("You teach “%s” now.") % course.title)
    return redirect("courses:studio-edit", course.slug)


def _member(course: Course, uid: UUID) -> CoInstructor:
    member = CoInstructor.objects.active().select_related("user").filter(course=course, uid=uid).first()
    if member is None:
        raise NotFound
    return member


def _invitation(course: Course, uid: UUID) -> CoInstructorInvitation:
    found = CoInstructorInvitation.objects.select_related("course").filter(course=course, uid=uid).first()
    if found is None:
        raise NotFound
    return found
