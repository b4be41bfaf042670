"""For the crawlers of search engines: robots.txt (RFC 9309) and the sitemap (sitemaps.org)."""

from collections.abc import Iterator
from itertools import chain, islice

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.html import escape
from django.views.decorators.http import require_safe

from apps.accounts.guards import open_to_everyone
from studyplatform.kit.extensions import SitemapEntry, sitemap_entries
from studyplatform.site.public.help import ARTICLES, TEXTS

MAX_ENTRIES = 50_000
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
    "/review/",
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


@sitemap_entries.registers("site", order=0)
def _own_pages() -> Iterator[SitemapEntry]:
    yield SitemapEntry("/")
    yield SitemapEntry("/courses/")
    yield SitemapEntry("/help/")
    for article in ARTICLES:
        yield SitemapEntry(f"/help/{article}")
    yield SitemapEntry("/offline")
    for name in TEXTS:
        yield SitemapEntry(f"/{name}")


@open_to_everyone
@require_safe
def sitemap_xml(request: HttpRequest) -> HttpResponse:
    """The public pages that apps register, at most 50,000 as the protocol allows (https://www.sitemaps.org/protocol.html)."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">']
    entries = chain.from_iterable(source() for source in sitemap_entries.ordered())
    for address, changed in islice(entries, MAX_ENTRIES):
        when = f"<lastmod>{changed.date().isoformat()}</lastmod>" if changed else ""
        lines.append(f"<url><loc>{escape(settings.SITE_URL + address)}</loc>{when}</url>")
    lines.append("</urlset>")
    return HttpResponse("\n".join(lines), content_type="application/xml")
