"""What other pages show of accounts."""

from django.http import HttpRequest
from django.utils.functional import Promise

from apps.accounts import queries
from apps.accounts.models import User
from apps.accounts.pages.settings.sections import sections_for
from studyplatform.kit.web.jinja import register


@register("layout_of")
def layout_of(request: HttpRequest) -> str:
    """The layout of a page that can appear under any address. Under /dashboard/ nobody sees the header: people who
    teach see the rail, others a page with the way home."""
    if not request.path.startswith("/dashboard/"):
        return "layouts/site.html"
    user = getattr(request, "user", None)  # refused before anybody asked who this is
    return "layouts/dashboard.html" if isinstance(user, User) and user.can_teach else "layouts/bare.html"


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


@register("settings_sections")
def settings_sections(request: HttpRequest) -> list[tuple[str, str | Promise, str]]:
    """What the settings page of who reads this page has: slug, title and icon of each section."""
    user = request.user
    return [(one.slug, one.title, one.icon) for one in sections_for(user)] if isinstance(user, User) else []
