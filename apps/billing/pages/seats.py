"""Teams and seats of a user: the list, invitations, seats on offer, leaving; settings and the list for admins."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from apps.accounts.guards import administers, open_to_everyone, signed_in, signed_in_user
from apps.accounts.models import User
from apps.accounts.queries.names import order_by_name
from apps.billing import queries
from apps.billing import team_policies as policies
from apps.billing.errors import SeatChanged
from apps.billing.models import Seat, Team
from apps.billing.pages.admin_area import shared
from apps.billing.queries import held_seats, team_seats
from apps.billing.services import seat_taking as services
from apps.billing.services import team_care
from apps.billing.services.seat_invitations import invitation_by_key, seat_by_used_key
from apps.billing.services.seat_notices import address_of
from apps.billing.team_forms import NewOwner, TeamName
from apps.courses.models import Course
from studyplatform.kit.errors import AppError, NotFound
from studyplatform.kit.policies import enforce
from studyplatform.kit.web.rate_limits import limits_address

PAGE_SIZE = 25


@signed_in
@never_cache
@require_safe
def teams(request: HttpRequest) -> HttpResponse:
    """The teams that the user manages, the seats that they hold, and those that they can take."""
    user, now = signed_in_user(request), timezone.now()
    own, held, offers = held_seats.teams_of(user), held_seats.seats_held_by(user), held_seats.offers_for(user, now=now)
    if len(own) == 1 and not held and not offers:
        return redirect("billing:team", uid=own[0].uid)
    context = {
        "teams": own,
        "packs": held_seats.packs_of_teams(own),
        "held": held,
        "offers": offers,
        "renews": queries.renews(user),
    }
    return render(request, "billing/teams/list.html", context)


def _held_seat(user: User, uid: UUID) -> Seat:
    seat = Seat.objects.select_related("pack__team__owner", "pack__course").filter(uid=uid).first()
    if seat is None:
        raise NotFound
    enforce(policies.hold_seat(user, seat))
    return seat


@signed_in
@require_POST
def leave(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Give back a seat that the user holds."""
    user = signed_in_user(request)
    seat = _held_seat(user, uid)
    services.leave_seat(user=user, seat=seat, now=timezone.now())
    messages.success(request, _("You left %(team)s. Your progress is kept.") % {"team": seat.pack.team.title})
    return redirect("billing:teams")


@signed_in
@require_POST
def take(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Take a seat that is offered to the user: their address is invited, or at the team's domain."""
    user, now = signed_in_user(request), timezone.now()
    key = request.POST.get("kind", "")
    found = [
        offer
        for offer in held_seats.offers_for(user, now=now)
        if offer.team.uid == uid and key == (str(offer.course.uid) if offer.course else "premium")
    ]
    row = found[0].team if found else Team.objects.filter(uid=uid).first()
    course = found[0].course if found else _course(key)
    if row is None:
        raise NotFound
    try:
        if course is None and key != "premium":
            raise SeatChanged
        seat = services.take_offered_seat(user=user, team=row, course_id=course.pk if course else None, now=now)
    except AppError as refusal:
        messages.error(request, refusal.detail, extra_tags=refusal.code)
        return redirect("billing:teams")
    return _start(request, user, seat)


def _start(request: HttpRequest, user: User, seat: Seat) -> HttpResponse:
    """Say that the user has a seat, and lead them to what it opens."""
    messages.success(request, _("The seat is yours. Enjoy learning!"))
    if seat.pack.course is None and queries.renews(user):
        messages.info(request, _("It covers Premium. Your own subscription still renews until you cancel it."))
    return redirect(address_of(seat.pack))


def _course(key: str) -> Course | None:
    try:
        return Course.objects.filter(uid=UUID(key)).first()
    except ValueError:
        return None


@open_to_everyone
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@limits_address("seat_page")
def invitation(request: HttpRequest, key: str) -> HttpResponse:
    """An invitation by its link: what the seat opens and what the team will see. Signed in, the user accepts it."""
    user = request.user if isinstance(request.user, User) else None
    try:
        seat = invitation_by_key(key)
    except AppError as unknown:
        if user is not None and seat_by_used_key(user=user, key=key) is not None:
            return redirect("billing:teams")
        context: dict[str, Any] = {"refusal": unknown, "seat": None}
        return render(request, "billing/teams/invitation.html", context, status=unknown.status)
    if request.method == "POST" and user is None:
        return redirect(f"/auth/login?next=/seats/{key}")
    refused: AppError | None = None
    if request.method == "POST" and user is not None:
        try:
            taken = services.accept_invitation(user=user, key=key, now=timezone.now())
        except AppError as refusal:
            refused = refusal
        else:
            return _start(request, user, taken)
    context = {
        "seat": seat,
        "pack": seat.pack,
        "team": seat.pack.team,
        "course": seat.pack.course,
        "key": key,
        "refusal": refused,
        "is_opening": seat.pack.is_opening(timezone.now()),
        "renews": user is not None and seat.pack.course is None and queries.renews(user),
    }
    return render(request, "billing/teams/invitation.html", context, status=refused.status if refused else 200)


@signed_in
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def settings(request: HttpRequest, uid: UUID) -> HttpResponse:
    """The name of a team and who manages it: for its owner, and for admins."""
    user = signed_in_user(request)
    row = Team.objects.with_seats().select_related("owner").filter(uid=uid).first()
    if row is None:
        raise NotFound
    enforce(policies.hand_over_team(user, row))
    posted = request.POST if request.method == "POST" else None
    renames = posted is not None and "name" in posted
    name_form = TeamName(posted if renames else None, initial={"name": row.name})
    owner_form = NewOwner(posted if posted is not None and not renames else None, holders=_holders(row))
    form = name_form if renames else owner_form
    if posted is not None and form.is_valid():
        try:
            if renames:
                team_care.rename_team(user=user, team=row, name=form.cleaned_data["name"])
                messages.success(request, _("The team is called “%(name)s” now.") % {"name": form.cleaned_data["name"]})
            else:
                new = form.cleaned_data["holder"]
                team_care.hand_over(user=user, team=row, to=new, now=timezone.now())
                messages.success(request, _("%(name)s manages the team now.") % {"name": new.display_name})
        except AppError as refusal:
            form.add_error(None, refusal.detail)
        else:
            is_mine = row.owner_id == user.pk
            if not is_mine:
                return redirect("billing:admin-teams")
            return redirect("billing:team", uid=row.uid) if renames else redirect("billing:teams")
    context = {"team": row, "name_form": name_form, "owner_form": owner_form, "is_owner": row.owner_id == user.pk}
    return render(request, "billing/teams/settings.html", context, status=422 if form.errors else 200)


def _holders(row: Team) -> Any:
    held = Seat.objects.filter(pack__team=row, pack__state__in=team_seats.LIVE, holder__is_active=True)
    holders = User.objects.filter(pk__in=held.values("holder"), email_verified_at__isnull=False)
    return holders.exclude(pk=row.owner_id).order_by(*order_by_name(), "pk")


@administers
@never_cache
@require_safe
def admin_teams(request: HttpRequest) -> HttpResponse:
    """All teams for admins: who manages them and what they have."""
    text = request.GET.get("q", "").replace("\x00", "")[: team_seats.MAX_SEARCH_LENGTH].strip()
    found = Team.objects.with_seats().select_related("owner").order_by("-created_at", "-pk")
    if text:
        found = found.filter(Q(name__icontains=text) | Q(owner__email__icontains=text))
    page = Paginator(found, PAGE_SIZE).get_page(request.GET.get("page"))
    context = {**shared("teams"), "page": page, "packs": held_seats.packs_of_teams(list(page)), "text": text}
    return render(request, "billing/admin/teams.html", context)
