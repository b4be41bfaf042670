"""The ASGI application: everything in one process by default. In production it serves only /ws."""

import os

from channels.routing import ProtocolTypeRouter, URLRouter
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "studyplatform.settings.embedded")
_wsgi_application = get_asgi_application()

from django.conf import settings  # noqa: E402

from apps.files.streamed_uploads import StreamedUploads  # noqa: E402
from apps.tutor.warm_up import start_warm_up  # noqa: E402
from studyplatform.kit.web.body_limits import BodyLimit, Receive, Scope, Send  # noqa: E402
from studyplatform.kit.web.origins import OwnOrigin  # noqa: E402
from studyplatform.routing import websocket_urlpatterns  # noqa: E402 (needs the app registry)

_http = StreamedUploads(_wsgi_application)


async def _lifespan(scope: Scope, receive: Receive, send: Send) -> None:
    """Prepare the tutor beside the first requests of a server."""
    if settings.TUTOR_WARM_UP:
        start_warm_up()
    await _http.lifespan(scope, receive, send)


application = ProtocolTypeRouter(
    {
        "http": BodyLimit(_http),
        "lifespan": _lifespan,
        "websocket": OwnOrigin(URLRouter(websocket_urlpatterns)),
    }
)
