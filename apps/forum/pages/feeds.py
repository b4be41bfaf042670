"""The feed of a board."""

from hashlib import sha256

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.cache import get_conditional_response
from django.utils.feedgenerator import Atom1Feed
from django.utils.html import escape
from django.utils.http import http_date
from django.views.decorators.http import require_safe

from apps.accounts.guards import open_to_everyone
from apps.forum import text
from apps.forum.models import Board
from apps.forum.queries.public import feed_topics
from studyplatform.kit.errors import NotFound


@open_to_everyone
@require_safe
def feed(request: HttpRequest, board: str) -> HttpResponseBase:
    """The topics of a board that everyone may read, as an Atom feed; the same for every reader."""
    found = Board.objects.seen_by(AnonymousUser()).filter(slug=board).first()
    if found is None:
        raise NotFound
    site = settings.SITE_URL.rstrip("/")
    topics = feed_topics(found)
    atom = Atom1Feed(
        title=f"{found.title} – {settings.SITE_NAME}",
        link=f"{site}/forum/boards/{found.slug}",
        description=found.about,
        feed_url=f"{site}/forum/boards/{found.slug}/feed",
        language=settings.LANGUAGE_CODE,
    )
    for topic in topics:
        atom.add_item(
            title=text.storable(topic.title),
            link=site + topic.path,
            description=str(escape(text.storable(topic.excerpt))),
            author_name=text.storable(topic.author.display_name),
            pubdate=topic.published_at,
            updateddate=topic.last_post_at,
            unique_id=site + topic.path,
        )
    xml = atom.writeString("utf-8")
    newest = topics[0].last_post_at if topics else None
    # Without topics the feed contains the time of the request, so it would always differ.
    etag = f'"{sha256(xml.encode()).hexdigest()[:32]}"' if newest else f'"{found.pk}-empty"'
    response = HttpResponse(xml, content_type="application/atom+xml; charset=utf-8")
    response["ETag"] = etag
    response["Cache-Control"] = "public, max-age=300"
    if newest is not None:
        response["Last-Modified"] = http_date(newest.timestamp())
    return get_conditional_response(request, etag, int(newest.timestamp()) if newest else None, response) or response
