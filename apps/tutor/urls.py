"""Pages of the tutor."""

from django.urls import include, path

urlpatterns = [
    path("", include("apps.tutor.mcp.urls")),
]
