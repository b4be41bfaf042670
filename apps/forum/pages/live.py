"""The posts of a topic that are newer than those a page shows, for its script."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from apps.accounts.guards import signed_in, signed_in_user
from apps.forum import services
from apps.forum.queries import finding
from apps.forum.queries import topic as queries


@signed_in
@never_cache
@require_safe
def changed_posts(request: HttpRequest, topic: int) -> HttpResponse:
    """The posts of ``?page=`` in their order, with the HTML of those changed after the stamp ``?since=``, else of all.

    ``?seen=1`` says that the user looks at the page, so what it shows counts as read.
    """
    user = signed_in_user(request)
    found = finding.find_topic(topic, user)
    page = queries.topic_page(found, user, _number(request, "page"))
    if request.GET.get("seen") == "1" and found.is_visible:
        services.visit(user=user, topic=found, number=page.last_shown, before=page.seen, now=timezone.now())
    since = _number(request, "since") if "since" in request.GET else -1
    context = {"page": page, "topic": found, "since": since, "entries": list(queries.entries(page))}
    return render(request, "forum/_changed_posts.html", context)


def _number(request: HttpRequest, name: str) -> int:
    text = request.GET.get(name, "")
    return int(text) if text.isdecimal() and len(text) < 10 else 0
