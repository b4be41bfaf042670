"""What files adds to pages of others."""

from collections.abc import Iterator
from datetime import datetime

from django.db.models import Count, Sum
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.accounts.models import User
from apps.files.models import VideoAsset
from studyplatform.kit.extensions import Tile, admin_tiles


@admin_tiles.registers("files", order=40)
def video_stored(user: User, now: datetime) -> Iterator[Tile]:
    """One query."""
    stored = VideoAsset.objects.aggregate(
        bytes=Sum("source_bytes", default=0) + Sum("stored_bytes", default=0), count=Count("pk")
    )
    foot = ngettext("in %(num)d video", "in %(num)d videos", stored["count"]) % {"num": stored["count"]}
    yield Tile(_("Video stored"), filesizeformat(stored["bytes"]), foot)
