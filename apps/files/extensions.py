"""What files adds to pages of others."""

from collections.abc import Iterator
from datetime import datetime
from functools import partial

from django.db.models import Count, Sum, Window
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.accounts.models import User
from apps.files.models import VideoAsset
from studyplatform.kit.extensions import AttentionItem, Tile, Urgency, admin_tiles, attention_sources

MAX_FAILED_SHOWN = 3
UPLOADS_PAGE = "/dashboard/instructor/upload/"


@admin_tiles.registers("files", order=40)
def video_stored(user: User, now: datetime) -> Iterator[Tile]:
    """One query."""
    stored = VideoAsset.objects.aggregate(
        bytes=Sum("source_bytes", default=0) + Sum("stored_bytes", default=0), count=Count("pk")
    )
    foot = ngettext("in %(num)d video", "in %(num)d videos", stored["count"]) % {"num": stored["count"]}
    yield Tile(_("Video stored"), filesizeformat(stored["bytes"]), foot)


@attention_sources.registers("files", order=10)
def failed_videos(user: User, now: datetime) -> Iterator[AttentionItem]:
    """The user's videos whose processing failed: the newest ones by name, the others counted. One query."""
    failed = VideoAsset.objects.filter(owner=user, stage=VideoAsset.Stage.FAILED).defer("facts", "former")
    rows = list(failed.annotate(total=Window(Count("pk"))).order_by("-created_at", "-pk")[:MAX_FAILED_SHOWN])
    item = partial(AttentionItem, urgency=Urgency.BROKEN, icon="film", action=_("Open uploads"), address=UPLOADS_PAGE)
    for video in rows:
        title = _("%(name)s could not be processed") % {"name": video.filename}
        text = video.failure_detail or video.failure_label
        yield item(title=title, text=text, since=video.created_at)
    rest = rows[0].total - len(rows) if rows else 0  # type: ignore[attr-defined]  # annotated
    if rest:
        title = ngettext("%(num)d more video failed", "%(num)d more videos failed", rest) % {"num": rest}
        yield item(title=title, count=rest, since=rows[-1].created_at)
