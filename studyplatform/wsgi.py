"""Pages and API in production: WSGI workers."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "studyplatform.settings.embedded")
application = get_wsgi_application()
