"""Addresses of the frame's own pages."""

from django.urls import path

from studyplatform.site import pages
from studyplatform.site.catalogue import catalogue_page
from studyplatform.site.course import course_page

app_name = "site"
urlpatterns = [
    path("", pages.home, name="home"),
    path("courses/", catalogue_page, name="catalogue"),
    path("courses/<slug:slug>", course_page, name="course"),
    path("healthz", pages.health, name="health"),
]
