"""Addresses of the frame's own pages."""

from django.urls import path

from studyplatform.site import pages

app_name = "site"
urlpatterns = [
    path("", pages.home, name="home"),
    path("healthz", pages.health, name="health"),
]
