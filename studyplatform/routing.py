"""Addresses of the websockets."""

from django.urls import URLPattern

websocket_urlpatterns: list[URLPattern] = []
