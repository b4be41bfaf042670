"""The API's schema and its documentation, for everyone."""

from functools import cache
from threading import Lock

from csp.constants import UNSAFE_INLINE
from csp.decorators import csp_update
from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiJsonRenderer
from drf_spectacular.views import SpectacularSwaggerSplitView

_lock = Lock()
# Swagger UI writes its styles itself; its scripts are files.
documentation = login_not_required(
    csp_update({"style-src": UNSAFE_INLINE})(SpectacularSwaggerSplitView.as_view(url_name="schema"))
)


@login_not_required
@require_safe
@cache_control(max_age=3600, public=True)
def schema(request: HttpRequest) -> HttpResponse:
    """The OpenAPI document. It takes most of a second, so a process makes it once."""
    with _lock:
        document = _schema_document()
    return HttpResponse(document, content_type=OpenApiJsonRenderer.media_type)


@cache
def _schema_document() -> bytes:
    with translation.override(settings.LANGUAGE_CODE):
        document: bytes = OpenApiJsonRenderer().render(SchemaGenerator().get_schema(public=True), renderer_context={})
    return document
