"""What templates of all apps say about analytics."""

from apps.learning.analytics.smallest_group import SMALLEST_GROUP
from studyplatform.kit.web.jinja import register


@register("smallest_group")
def smallest_group() -> int:
    """How many learners a figure needs that staff doesn't read by name."""
    return SMALLEST_GROUP
