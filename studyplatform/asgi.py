"""The ASGI application: everything in one process by default. In production it serves only /ws."""

import os

from channels.routing import ProtocolTypeRouter, URLRouter
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "studyplatform.settings.embedded")
_wsgi_application = get_asgi_application()

from apps.files.streamed_uploads import StreamedUploads  # noqa: E402
from studyplatform.kit.web.body_limits import BodyLimit  # noqa: E402
from studyplatform.kit.web.origins import OwnOrigin  # noqa: E402
from studyplatform.routing import websocket_urlpatterns  # noqa: E402 (needs the app registry)

_http = StreamedUploads(_wsgi_application)
application = ProtocolTypeRouter(
    {
        "http": BodyLimit(_http),
        "lifespan": _http.lifespan,
        "websocket": OwnOrigin(URLRouter(websocket_urlpatterns)),
    }
)
