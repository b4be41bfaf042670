"""What other pages show of accounts."""

from django.http import HttpRequest

from apps.accounts import queries
from apps.accounts.models import User
from studyplatform.kit.jinja import register


@register("unread")
def unread(request: HttpRequest) -> int:
    """How many notifications wait for who reads this page. It came along with their session: no query of its own."""
    user = request.user
    if not isinstance(user, User):
        return 0
    row = getattr(request.session, "row", None)
    if row is not None and row.user_id == user.pk:
        return row.unread or 0
    return queries.unread_count(user)
