"""The terms of seats: what they cost, with the discounts and the days of a year that are left, and other limits.

Pure functions of integers, in minor units. The page, the order, the invoice and the terms use these.
"""

from dataclasses import dataclass
from datetime import date, datetime

MAX_SEATS_OF_TEAM = 199
"""Of one kind. From one more on, the site's owners are asked for an offer."""
INVOICE_DAYS = 30
"""Until when an invoice is due."""
DAYS_UNTIL_PAUSE = 14
"""How long after that the seats pause."""
GIVE_BACK_DAYS = 14
"""How long seats that nobody used can be given back."""
RENEW_DAYS = 90
"""From how long before the end the page of a team offers to renew."""
MAX_CHANGES_OF_SEAT_A_YEAR = 20
"""How often a seat may go from one person to another."""
REMINDER_DAYS = (30, 7)
"""How long before their end the owner is reminded to renew."""


@dataclass(frozen=True)
class SeatDiscount:
    """``percent`` off from this many ``seats``."""

    seats: int
    percent: int


SEAT_DISCOUNTS = (SeatDiscount(20, 15), SeatDiscount(50, 25))
"""The fewer seats first."""


def discount_for(total_seats: int) -> SeatDiscount | None:
    """Return the discount of a team with this many seats; None for a few."""
    reached = [one for one in SEAT_DISCOUNTS if total_seats >= one.seats]
    return reached[-1] if reached else None


@dataclass(frozen=True)
class SeatPrice:
    """``list_price`` of all ``seats`` before their ``discount``; ``unit``: of one seat, for the days that are left."""

    seats: int
    unit: int
    list_price: int
    discount: int
    percent: int
    reached: SeatDiscount | None


def price_of_seats(*, unit: int, seats: int, total_seats: int, days_left: int = 0, days: int = 0) -> SeatPrice:
    """Return what seats cost.

    :param unit: the price of a seat for the whole time.
    :param total_seats: of the team once these are added: they decide the discount, of these seats alone.
    :param days_left: of ``days``, if the seats are added later; rounded half up per seat.
    """
    if days:
        unit = (2 * unit * days_left + days) // (2 * days)
    reached = discount_for(total_seats)
    percent = reached.percent if reached else 0
    list_price = unit * seats
    return SeatPrice(seats, unit, list_price, list_price * percent // 100, percent, reached)


def days_of(start: date, end: date, today: date) -> tuple[int, int]:
    """Return the days left of a year and the days of the whole, by dates. Today counts; at most the whole."""
    whole = max((end - start).days, 1)
    return max(0, min((end - today).days, whole)), whole


def year_after(moment: datetime) -> datetime:
    """Return the same moment a year later; 28 February for 29 February."""
    try:
        return moment.replace(year=moment.year + 1)
    except ValueError:
        return moment.replace(year=moment.year + 1, day=28)
