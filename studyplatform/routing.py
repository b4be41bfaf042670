"""Addresses of the websockets."""

from channels.auth import AuthMiddlewareStack
from django.urls import path

from apps.files.consumers import VideosConsumer

websocket_urlpatterns = [
    path("ws/videos/", AuthMiddlewareStack(VideosConsumer.as_asgi())),
]
