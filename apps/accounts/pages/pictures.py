"""Users' pictures."""

import re

from django.core.files.storage import default_storage
from django.http import FileResponse, Http404, HttpRequest
from django.views.decorators.http import require_safe

from apps.accounts.guards import open_to_everyone


@open_to_everyone
@require_safe
def avatar(request: HttpRequest, name: str) -> FileResponse:
    """A picture by its name, which is new for every upload, so browsers may cache it forever."""
    if not re.fullmatch(r"[0-9a-f]{24}(_[0-9A-Za-z]{7})?\.webp", name):
        raise Http404
    try:
        file = default_storage.open(f"avatars/{name}")
    except OSError:
        raise Http404 from None
    response = FileResponse(file, content_type="image/webp")
    response["Cache-Control"] = "public, max-age=31536000, immutable"
    return response
