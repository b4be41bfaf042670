"""What a chart shows, in a sentence per series, for those who don't see it."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from studyplatform.kit.charts.measures import Measure
from studyplatform.kit.charts.periods import Places
from studyplatform.kit.charts.plots import Series


def describe(places: Places, series: Sequence[Series], measure: Measure) -> str:
    """Say where each series begins, where it ends, and how far it goes between; the table has the rest."""
    return " ".join([*(_describe_one(places, one, measure) for one in series), _("The table below has the figures.")])


def _describe_one(places: Places, one: Series, measure: Measure) -> str:
    names = [place.name for place in places.places]
    known = [(value, index) for index, value in enumerate(one.values) if value is not None]
    name = one.name or _("Total")
    if not known:
        return _("%(name)s: nothing yet.") % {"name": name}
    first, last = known[0], known[-1]
    low, high = min(known, key=lambda pair: pair[0]), max(known, key=lambda pair: pair[0])
    said = {
        "name": name,
        **{f"{key}_value": measure.write(value) for key, (value, _at) in _named(first, last, low, high)},
        **{f"{key}_place": names[at] for key, (_value, at) in _named(first, last, low, high)},
    }
    if len(known) == 1:
        return _("%(name)s: %(first_value)s (%(first_place)s).") % said
    if low[0] == high[0]:
        return _("%(name)s: %(first_value)s from %(first_place)s to %(last_place)s.") % said
    return (
        _(
            "%(name)s: from %(first_value)s (%(first_place)s) to %(last_value)s (%(last_place)s); "
            "lowest %(low_value)s (%(low_place)s), highest %(high_value)s (%(high_place)s)."
        )
        % said
    )


def _named(
    first: tuple[float, int], last: tuple[float, int], low: tuple[float, int], high: tuple[float, int]
) -> list[tuple[str, tuple[float, int]]]:
    return [("first", first), ("last", last), ("low", low), ("high", high)]
