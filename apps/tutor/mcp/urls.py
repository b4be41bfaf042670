from django.urls import path

from apps.tutor.mcp.pages import mcp, metadata

app_name = "assistants"
urlpatterns = [
    path("mcp", mcp, name="mcp"),
    path(".well-known/oauth-protected-resource/mcp", metadata, name="mcp-metadata"),
]
