"""The pictures and files that texts of courses show and link."""

from uuid import UUID

from django.core.files.storage import default_storage
from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase
from django.utils.cache import get_conditional_response
from django.views.decorators.http import require_safe

from apps.accounts.guards import open_to_everyone
from apps.courses.models import CourseFile
from apps.courses.queries.course_files import rendition_for
from apps.files import services as files
from apps.learning.queries.course_files import course_file_for

CACHE_SECONDS = 3600  # so long a browser shows a picture without asking whether it still may


@open_to_everyone
@require_safe
def file(request: HttpRequest, uid: UUID) -> HttpResponseBase:
    """A file that a text shows to this reader; of a picture the rendition of ``?width=``, once it is made."""
    found = course_file_for(request.user, uid)
    rendition = rendition_for(found, request.GET.get("width", ""))
    if rendition and (response := _send_rendition(request, found, rendition)) is not None:
        return response
    is_own = found.upload.owner_id == request.user.pk
    return files.send_attached(request, upload=found.upload, name=found.name, to_owner=is_own)


def _send_rendition(request: HttpRequest, file: CourseFile, name: str) -> HttpResponseBase | None:
    """The rendition; None if it is missing in storage."""
    etag = f'"{name.rpartition("/")[2]}"'
    response: HttpResponseBase | None = get_conditional_response(request, etag=etag)
    if response is None or response.status_code != 304:
        try:
            content = default_storage.open(name)
        except OSError:
            return None
        if request.method == "HEAD":
            response = HttpResponse(content_type="image/webp", headers={"Content-Length": str(content.size)})
            content.close()
        else:
            response = FileResponse(content, content_type="image/webp")
    response["Cache-Control"] = f"private, max-age={CACHE_SECONDS}"
    response["ETag"] = etag
    response["Content-Security-Policy"] = "sandbox; default-src 'none'"
    return response
