"""/api/v1"""

from django.urls import include, path

from studyplatform.site.system import api_schema

# Django tries patterns in their order: the app with the most frequent call, the player's heartbeat, comes first.
urlpatterns = [
    path("", include("apps.learning.api.urls")),
    path("schema/", api_schema.schema, name="schema"),
    path("docs/", api_schema.documentation, name="docs"),
    path("", include("apps.accounts.api.urls")),
    path("", include("apps.files.api.urls")),
    path("", include("apps.courses.api.urls")),
    path("", include("apps.billing.api.urls")),
    path("", include("apps.forum.api.urls")),
    path("", include("apps.tutor.api.urls")),
]
