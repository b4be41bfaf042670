"""For the crawlers of search engines: robots.txt (RFC 9309) and the sitemap (sitemaps.org)."""

from collections.abc import Iterable
from datetime import datetime

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.html import escape
from django.views.decorators.http import require_safe

from apps.accounts.guards import open_to_everyone
from apps.courses.models import Course
from apps.learning.queries.addresses import lesson_url
from apps.learning.queries.lessons import public_lessons
from studyplatform.site.public.help import ARTICLES, TEXTS

HIDDEN = [
    "/api/",
    "/admin/",
    "/auth/",
    "/dashboard/",
    "/me/",
    "/settings",
    "/billing",
    "/files",
    "/courses/?",
    "/search/",
]


@open_to_everyone
@require_safe
def robots_txt(request: HttpRequest) -> HttpResponse:
    lines = [
        "User-agent: *",
        *(f"Disallow: {address}" for address in HIDDEN),
        f"Sitemap: {settings.SITE_URL}/sitemap.xml",
    ]
    return HttpResponse("\n".join(lines) + "\n", content_type="text/plain; charset=utf-8")


def _pages() -> Iterable[tuple[str, datetime | None]]:
    yield "/", None
    yield "/courses/", None
    yield "/help/", None
    for article in ARTICLES:
        yield f"/help/{article}", None
    yield "/offline", None
    for name in TEXTS:
        yield f"/{name}", None
    # A sitemap may have 50,000 URLs; the newest courses come first.
    listed = Course.objects.published().order_by("-published_at").values_list("slug", "updated_at")
    for slug, updated_at in listed[:30_000]:
        yield f"/courses/{slug}", updated_at
    for course, slug, updated_at in public_lessons()[:19_000]:
        yield lesson_url(course, slug), updated_at


@open_to_everyone
@require_safe
def sitemap_xml(request: HttpRequest) -> HttpResponse:
    """The public pages. Two queries."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">']
    for address, changed in _pages():
        when = f"<lastmod>{changed.date().isoformat()}</lastmod>" if changed else ""
        lines.append(f"<url><loc>{escape(settings.SITE_URL + address)}</loc>{when}</url>")
    lines.append("</urlset>")
    return HttpResponse("\n".join(lines), content_type="application/xml")
