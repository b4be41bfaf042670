"""When lessons open, as lists of lessons say it."""

from django.utils.translation import gettext as _

from apps.courses.queries.openings import describe_opening
from apps.learning.outline import Placed
from studyplatform.kit.web.dates import reader_zone
from studyplatform.kit.web.jinja import register


@register("opening_note")
def opening_note(placed: Placed) -> str:
    """Return when a lesson opens by its date, in the reader's time zone; "" for anything else."""
    if placed.opens_at is None:
        return ""
    return _("Opens on %(day)s") % {"day": describe_opening(placed.opens_at, reader_zone())}
