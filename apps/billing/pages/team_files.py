"""The use of a team's seats as a file."""

from collections.abc import Iterator
from datetime import datetime
from uuid import UUID

from django.db.models import QuerySet
from django.http import HttpRequest, StreamingHttpResponse
from django.utils import timezone
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from apps.accounts.guards import signed_in, signed_in_user
from apps.billing.models import Seat, Team
from apps.billing.queries import team_seats
from studyplatform.kit.text.csv_lines import csv_line
from studyplatform.kit.web.csv_response import csv_response


@signed_in
@never_cache
@require_safe
def usage_csv(request: HttpRequest, uid: UUID) -> StreamingHttpResponse:
    """How the seats are used, a line per person."""
    row, now = team_seats.team_for(signed_in_user(request), uid), timezone.now()
    seats = team_seats.people_in(team_seats.seats_in(team_seats.packs_of(row), now=now), row, now=now)
    name = f"seats-{localtime(now):%Y-%m-%d}.csv"
    return csv_response(request, name, _usage_lines(row, seats, now))


def _usage_lines(row: Team, seats: QuerySet[Seat], now: datetime) -> Iterator[str]:
    yield csv_line(
        [
            _("Name"),
            _("Email"),
            _("Seats for"),
            _("Status"),
            _("Since"),
            _("Courses"),
            _("Hours, last 30 days"),
            _("Last seen"),
        ]
    )
    for person in team_seats.all_people(row, seats, now=now):
        seat, seen = person.seat, person.use.seen_at
        since = seat.assigned_at or seat.invited_at
        yield csv_line([
            person.name if seat.holder else "",
            person.address,
            seat.pack.course.title if seat.pack.course else _("Premium"),
            person.label,
            f"{localtime(since):%Y-%m-%d}" if since else "",
            len(person.use.courses),
            f"{person.use.seconds / 3600:.1f}",
            f"{localtime(seen):%Y-%m-%d}" if seen else "",
        ])  # fmt: skip
