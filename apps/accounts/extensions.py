"""What accounts adds to pages of others."""

from collections.abc import Iterator
from datetime import datetime

from django.db.models import Count, Q
from django.http import HttpRequest
from django.utils.translation import gettext as _

from apps.accounts import queries
from apps.accounts.models import User
from studyplatform.kit.extensions import MONTH, Tile, admin_tiles, menu_badges


@menu_badges.registers("notifications")
def unread_notifications(request: HttpRequest) -> int:
    """How many notifications of the signed-in user are unread. They came with the session: no query."""
    user = request.user
    if not isinstance(user, User):
        return 0
    row = getattr(request.session, "row", None)
    if row is not None and row.user_id == user.pk:
        return row.unread or 0
    return queries.unread_count(user)


@admin_tiles.registers("accounts", order=20)
def new_accounts(user: User, now: datetime) -> Iterator[Tile]:
    """One query."""
    count = User.objects.aggregate(
        all=Count("pk"),
        new=Count("pk", filter=Q(date_joined__gte=now - MONTH)),
        before=Count("pk", filter=Q(date_joined__gte=now - 2 * MONTH, date_joined__lt=now - MONTH)),
    )
    foot = _("%(before)d in the previous 30 days, %(all)d in total") % count
    yield Tile(_("New accounts, 30 days"), f"{count['new']:,}", foot)
