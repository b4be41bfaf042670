"""What saved progress is measured against: a bare Django view under gunicorn that upserts one row of the same shape."""

import json
import os

import environ
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.db import connection
from django.http import HttpRequest, JsonResponse
from django.urls import path

TABLE = """CREATE TABLE IF NOT EXISTS bench_progress (
    learner bigint, lesson bigint, position double precision, watched jsonb, updated_at timestamptz,
    PRIMARY KEY (learner, lesson))"""
UPSERT = """INSERT INTO bench_progress (learner, lesson, position, watched, updated_at) VALUES (%s, 1, %s, %s, now())
    ON CONFLICT (learner, lesson) DO UPDATE
    SET position = EXCLUDED.position, watched = EXCLUDED.watched, updated_at = EXCLUDED.updated_at"""

if not settings.configured:
    settings.configure(
        SECRET_KEY="reference-only",
        ROOT_URLCONF=__name__,
        ALLOWED_HOSTS=["*"],
        DATABASES={"default": {**environ.Env.db_url_config(os.environ["DATABASE_URL"]), "CONN_MAX_AGE": None}},
        MIDDLEWARE=["django.middleware.security.SecurityMiddleware", "django.middleware.common.CommonMiddleware"],
    )


def save(request: HttpRequest, learner: int) -> JsonResponse:
    sent = json.loads(request.body)
    with connection.cursor() as cursor:
        cursor.execute(UPSERT, [learner, sent["position"], json.dumps(sent["watched"])])
    return JsonResponse({"position": sent["position"]})


def make_table(_request: HttpRequest) -> JsonResponse:
    with connection.cursor() as cursor:
        cursor.execute(TABLE)
    return JsonResponse({})


urlpatterns = [path("save/<int:learner>", save), path("table", make_table)]
application = get_wsgi_application()
