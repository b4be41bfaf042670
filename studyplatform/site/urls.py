"""Addresses of the frame's own pages."""

from django.urls import path

from studyplatform.site import pages
from studyplatform.site.catalogue import catalogue_page

app_name = "site"
urlpatterns = [
    path("", pages.home, name="home"),
    path("courses/", catalogue_page, name="catalogue"),
    path("healthz", pages.health, name="health"),
]
