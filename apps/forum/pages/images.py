"""The images and files of posts."""

from uuid import UUID

from django.http import HttpRequest, HttpResponseBase
from django.views.decorators.http import require_safe

from apps.accounts.guards import open_to_everyone
from apps.files import services as files
from apps.forum.queries.attachments import file_shown_to


@open_to_everyone
@require_safe
def file(request: HttpRequest, uid: UUID) -> HttpResponseBase:
    """An image or another file: the viewer's own, or one of a post that the viewer may see."""
    upload, name, is_own = file_shown_to(request.user, uid)
    return files.send_attached(request, upload=upload, name=name, to_owner=is_own)
