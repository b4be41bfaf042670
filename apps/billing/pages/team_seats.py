"""The page of a team: who has its seats and how they use them; assign seats and take them back."""

from datetime import UTC
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from apps.accounts.guards import signed_in, signed_in_user
from apps.accounts.models import User
from apps.billing.errors import SeatsClosed
from apps.billing.mail_domains import readable_domain
from apps.billing.models import Seat, Team
from apps.billing.pages.charts import chart_of_weeks
from apps.billing.queries import seat_packs, seat_use, team_seats
from apps.billing.queries.team_seats import SeatKind
from apps.billing.services import seat_assignment as services
from apps.billing.services import team_care
from apps.billing.services.seat_assignment import Assigned
from apps.billing.services.team_locks import own_domain_of
from apps.billing.team_forms import AssignSeats
from studyplatform.kit.errors import AppError, NotFound
from studyplatform.kit.text.lists import list_names

PAGE_SIZE = 25
MAX_NAMES_SHOWN = 5


@signed_in
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def team(request: HttpRequest, uid: UUID) -> HttpResponse:
    """A team for its owner. A POST assigns seats."""
    user = signed_in_user(request)
    row = team_seats.team_for(user, uid)
    packs = team_seats.packs_of(row)
    kinds = team_seats.kinds_of(packs)
    domain = own_domain_of(row.owner)
    form = AssignSeats(
        request.POST if request.method == "POST" else None,
        kinds=[(kind.key, kind.title) for kind in kinds] or [("", "")],
        domain=domain,
        was_open=row.is_domain_open and row.domain == domain,
    )
    if request.method == "POST" and not kinds:
        closed = SeatsClosed(reason=_("They have ended or haven't begun."))
        messages.error(request, closed.detail, extra_tags=closed.code)
        return redirect("billing:team", uid=row.uid)
    if form.is_valid() and _assign(request, user, row, kinds, form):
        return redirect("billing:team", uid=row.uid)
    context = _shown(request, row, packs, kinds) | {"form": form, "domain": readable_domain(domain)}
    return render(request, "billing/teams/team.html", context, status=422 if form.errors else 200)


def _assign(request: HttpRequest, user: User, row: Team, kinds: list[SeatKind], form: AssignSeats) -> bool:
    """Do what the form asks for, and say so; False if it was refused: the form says why."""
    (kind,) = [kind for kind in kinds if kind.key == form.cleaned_data["kind"]]
    addresses = form.cleaned_data["emails"]
    try:
        if form.changes_domain:
            team_care.open_domain(user=user, team=row, is_open=form.cleaned_data["is_domain_open"])
            form.was_open = form.cleaned_data["is_domain_open"]
            said = (
                _("Anyone at your domain may take a free seat now.")
                if form.was_open
                else _("Only people you invite get a seat now.")
            )
            messages.success(request, said)
        if addresses:
            course = kind.course.pk if kind.course else None
            found = services.assign_seats(
                user=user, team=row, course_id=course, addresses=addresses, now=timezone.now()
            )
            _say(request, found)
    except AppError as refusal:
        form.add_error("emails", refusal.detail)
        return False
    return True


def _say(request: HttpRequest, found: Assigned) -> None:
    if found.given:
        said = ngettext(
            "%(num)d person has an account and got a seat.", "%(num)d people have an account and got a seat.",
            len(found.given),
        )  # fmt: skip
        messages.success(request, said % {"num": len(found.given)})
    if found.invited:
        said = ngettext(
            "%(num)d invitation is on its way.", "%(num)d invitations are on their way.", len(found.invited)
        )
        messages.success(request, said % {"num": len(found.invited)})
    if found.known:
        said = ngettext(
            "%(names)s has a seat or an invitation already.", "%(names)s have a seat or an invitation already.",
            len(found.known),
        )  # fmt: skip
        shown = found.known[:MAX_NAMES_SHOWN]
        messages.info(request, said % {"names": list_names(shown, more=len(found.known) - len(shown))})


def _shown(request: HttpRequest, row: Team, packs: list[Any], kinds: list[SeatKind]) -> dict[str, Any]:
    now = timezone.now()
    chosen = next((kind for kind in kinds if kind.key == request.GET.get("kind")), None)
    seats = team_seats.seats_in(chosen.packs if chosen else packs, now=now)
    show = request.GET.get("show", "")
    show, text = show if show in team_seats.FILTERS else "", request.GET.get("q", "")[: team_seats.MAX_SEARCH_LENGTH]
    found = team_seats.people_in(seats, row, show=show, text=text, now=now)
    page = Paginator(found, PAGE_SIZE).get_page(request.GET.get("page"))
    unpaid = team_seats.unpaid_packs(packs)
    weeks = seat_use.weeks_of(row, now=now)
    people = team_seats.people_of(row, page, now=now)
    return {
        "team": row,
        "packs": [pack for pack in packs if pack.state in team_seats.LIVE],
        "has_ended": bool(packs) and not kinds,
        "ended": next((pack for pack in packs if pack.state not in team_seats.LIVE), None),
        "kinds": kinds,
        "kind": chosen,
        "meter": team_seats.meter_of(seats),
        "unused": seat_use.unused(seats, row, now=now).count(),
        "page": page,
        "people": people,
        "most": max([person.use.seconds for person in people], default=0) or 1,
        "filters": team_seats.FILTERS,
        "show": show,
        "text": text,
        "unpaid": unpaid,
        "invoices": team_seats.invoices_of(unpaid) if unpaid else {},
        "actions": seat_packs.actions_of(packs, now=now),
        "pauses_at": {pack.pk: seat_packs.pauses_at(pack.order) for pack in unpaid},
        "weeks": weeks,
        "chart": chart_of_weeks(weeks, today=now.astimezone(UTC).date()),
        "now": now,
    }


def seat_of(user: User, uid: UUID, seat: UUID) -> Seat:
    """Return a seat of a team that the user manages.

    :raises NotFound: there is none.
    """
    row = team_seats.team_for(user, uid)
    seats = Seat.objects.select_related("holder", "pack__course", "pack__team__owner")
    found = seats.filter(pack__team=row, uid=seat).first()
    if found is None:
        raise NotFound
    return found


@signed_in
@never_cache
@require_safe
def seat(request: HttpRequest, uid: UUID, seat: UUID) -> HttpResponse:
    """One seat: who has it, what they do with it, and who had it before."""
    row, now = seat_of(signed_in_user(request), uid, seat), timezone.now()
    seats = team_seats.people_in(Seat.objects.filter(pk=row.pk), row.pack.team, now=now)
    person = next(iter(team_seats.people_of(row.pack.team, seats, now=now)), None)
    history = team_seats.history_of(row)
    context = {"team": row.pack.team, "seat": row, "person": person, "history": history}
    return render(request, "billing/teams/seat.html", context)


@signed_in
@require_POST
def take_back(request: HttpRequest, uid: UUID, seat: UUID) -> HttpResponse:
    """Take a seat from its holder."""
    user = signed_in_user(request)
    row = seat_of(user, uid, seat)
    name = row.holder.display_name if row.holder else ""
    try:
        services.take_back(user=user, seat=row, holder_uid=request.POST.get("holder", ""), now=timezone.now())
    except AppError as refusal:
        messages.error(request, refusal.detail, extra_tags=refusal.code)
    else:
        messages.success(request, _("%(name)s no longer has a seat. Their progress is kept.") % {"name": name})
    return redirect("billing:team", uid=uid)


@signed_in
@require_POST
def send_again(request: HttpRequest, uid: UUID, seat: UUID) -> HttpResponse:
    """Email an invitation once more."""
    user = signed_in_user(request)
    row = seat_of(user, uid, seat)
    try:
        sent = services.send_invitation_again(user=user, seat=row, now=timezone.now())
    except AppError as refusal:
        messages.error(request, refusal.detail, extra_tags=refusal.code)
    else:
        messages.success(request, _("The email to %(email)s is on its way.") % {"email": sent.email})
    return redirect("billing:team", uid=uid)


@signed_in
@require_POST
def cancel(request: HttpRequest, uid: UUID, seat: UUID) -> HttpResponse:
    """End an invitation."""
    user = signed_in_user(request)
    row = seat_of(user, uid, seat)
    address = request.POST.get("email", "")
    try:
        services.cancel_invitation(user=user, seat=row, address=address, now=timezone.now())
    except AppError as refusal:
        messages.error(request, refusal.detail, extra_tags=refusal.code)
    else:
        messages.success(request, _("The invitation of %(email)s was canceled.") % {"email": address})
    return redirect("billing:team", uid=uid)
