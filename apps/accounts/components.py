"""What pages of other apps show of accounts."""

from django.http import HttpRequest
from django.utils.functional import Promise

from apps.accounts.models import User
from apps.accounts.pages.settings.sections import sections_for
from studyplatform.kit.web.jinja import register


@register("layout_of")
def layout_of(request: HttpRequest) -> str:
    """The layout of a page that can have any address. Under /dashboard/ there is no header: users who teach see the
    sidebar, others a page with a link home.
    """
    if not request.path.startswith("/dashboard/"):
        return "layouts/site.html"
    user = getattr(request, "user", None)  # refused before anybody asked who this is
    return "layouts/dashboard.html" if isinstance(user, User) and user.can_teach else "layouts/bare.html"


@register("settings_sections")
def settings_sections(request: HttpRequest) -> list[tuple[str, str | Promise, str]]:
    """Slug, title and icon of each section of the current user's settings page."""
    user = request.user
    return [(one.slug, one.title, one.icon) for one in sections_for(user)] if isinstance(user, User) else []
