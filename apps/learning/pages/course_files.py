"""The pictures and files that texts of courses show and link."""

import contextlib
from uuid import UUID

from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone
from django.views.decorators.http import require_safe

from apps.accounts.guards import open_to_everyone
from apps.courses.queries.course_files import rendition_for
from apps.files import services as files
from apps.learning.queries.course_files import course_file_for
from apps.learning.services import record_file
from studyplatform.kit.errors import NotFound

CACHE = "private, max-age=3600"  # so long a browser shows a picture without asking whether it still may


@open_to_everyone
@require_safe
def file(request: HttpRequest, uid: UUID) -> HttpResponseBase:
    """A file that a text shows to this reader; of a picture the rendition of ``?width=``, once it is made."""
    found = course_file_for(request.user, uid)
    rendition = rendition_for(found, request.GET.get("width", ""))
    if rendition:
        with contextlib.suppress(NotFound):  # it is missing in storage: the original is shown
            return files.send_rendition(request, name=rendition, kind="image/webp", cache=CACHE)
    is_own = found.upload.owner_id == request.user.pk
    sent = files.send_attached(request, upload=found.upload, name=found.name, to_owner=is_own)
    if request.method == "GET" and request.user.pk is not None:
        record_file(user_id=request.user.pk, file=found, now=timezone.now())
    return sent
