"""The reference that 1 R is measured against: a bare Django view under gunicorn.

It renders a page of about 4.5 kB with 40 list items, two middlewares, no database.
"""

import sys

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest, HttpResponse
from django.template import engines
from django.urls import path

PAGE = """<!doctype html><html lang="en"><head><title>Reference</title></head><body><h1>Reference</h1><ul>
{% for item in items %}<li class="item"><a href="/item/{{ item.id }}">{{ item.title }}</a>
 <span>{{ item.text }}</span></li>{% endfor %}</ul></body></html>"""
ITEMS = [{"id": n, "title": f"Item number {n}", "text": "A line of text that stands beside it"} for n in range(40)]

if not settings.configured:
    settings.configure(
        SECRET_KEY="reference-only",
        ROOT_URLCONF=__name__,
        ALLOWED_HOSTS=["*"],
        MIDDLEWARE=["django.middleware.security.SecurityMiddleware", "django.middleware.common.CommonMiddleware"],
        TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates"}],
    )


def page(request: HttpRequest) -> HttpResponse:
    return HttpResponse(_template.render({"items": ITEMS}, request))


urlpatterns = [path("", page)]
application = get_wsgi_application()
_template = engines["django"].from_string(PAGE)

if __name__ == "__main__":
    sys.exit("served by gunicorn: tests.bench.reference:application")
