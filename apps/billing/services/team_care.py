"""What the owner of a team decides about it: its name, whose addresses may take free seats, and who manages it."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from apps.accounts import services as people
from apps.accounts.models import User
from apps.billing import team_policies as policies
from apps.billing.errors import SeatListRefused
from apps.billing.models import MAX_TEAM_NAME_LENGTH, Order, SeatPack, Team
from apps.billing.services.team_locks import own_domain_of
from studyplatform.kit.names import tidy_name
from studyplatform.kit.policies import enforce


def rename_team(*, user: User, team: Team, name: str) -> None:
    """Give a team another name. Invoices keep the buyer's name.

    :raises SeatListRefused: the name can't be seen, or is too long.
    """
    enforce(policies.manage_team(user, team))
    name = tidy_name(name)
    if not name or len(name) > MAX_TEAM_NAME_LENGTH:
        raise SeatListRefused(reason=_("Enter a name of up to %(limit)d characters.") % {"limit": MAX_TEAM_NAME_LENGTH})
    Team.objects.filter(pk=team.pk).update(name=name)


def open_domain(*, user: User, team: Team, is_open: bool) -> None:
    """Let everyone with a verified address at the domain of the owner's own verified address take a free seat, or not.

    :raises SeatListRefused: the owner's address isn't verified, or anybody can get one at its domain.
    """
    enforce(policies.manage_team(user, team))
    domain = own_domain_of(team.owner)
    if is_open and not domain:
        raise SeatListRefused(
            reason=_("Only a domain of your own can be opened, by an owner with a verified address there.")
        )
    Team.objects.filter(pk=team.pk).update(domain=domain if is_open else "", is_domain_open=is_open)


def hand_over(*, user: User, team: Team, to: User, now: datetime) -> None:
    """Let someone who has a seat manage the team from now on, and tell both.

    The domain that was open is closed, as it is the former owner's, and paid invoices stay with who paid them.

    :raises SeatListRefused: the new owner has no seat, can't sign in, or an invoice is unpaid.
    """
    enforce(policies.hand_over_team(user, team))
    with transaction.atomic():
        row = Team.objects.select_for_update(of=("self",)).select_related("owner").get(pk=team.pk)
        enforce(policies.hand_over_team(user, row))
        new = User.objects.get(pk=to.pk)
        if new.pk == row.owner_id:
            return
        live = (SeatPack.State.OPEN, SeatPack.State.PAUSED)
        has_seat = new.seats.filter(pack__team=row, pack__state__in=live).exists()
        if not has_seat or not new.is_active or new.email_verified_at is None:
            raise SeatListRefused(reason=_("Choose a person with a seat whose account is active."))
        owed = row.packs.filter(state__in=live, order__status__in=Order.LIVE).exists()
        if owed and not user.is_admin:
            raise SeatListRefused(reason=_("Pay the open invoice first: it is in your name."))
        former = row.owner
        row.owner, row.domain, row.is_domain_open = new, "", False
        row.save(update_fields=["owner", "domain", "is_domain_open"])
        link, key = f"/billing/teams/{row.uid}", f"team {row.pk} {new.pk} {now.timestamp()}"
        people.notify("billing.team_received", new, link, key, now=now, team=row.title)
        if former.deleted_at is None:
            name = new.display_name
            people.notify("billing.team_given", former, "/billing/teams", key, now=now, team=row.title, name=name)
