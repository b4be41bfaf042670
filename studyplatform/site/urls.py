"""Addresses of the frame's own pages."""

from django.urls import path

from studyplatform.site import dashboards, pages, reviews
from studyplatform.site.catalogue import catalogue_page
from studyplatform.site.course import course_page
from studyplatform.site.home import home

app_name = "site"
urlpatterns = [
    path("", home, name="home"),
    path("courses/", catalogue_page, name="catalogue"),
    path("courses/<slug:slug>", course_page, name="course"),
    path("dashboard/instructor/", dashboards.instructor_home, name="instructor-home"),
    path("dashboard/admin/", dashboards.admin_home, name="admin-home"),
    path("dashboard/admin/courses/<slug:slug>/review", reviews.course_review, name="review"),
    path("dashboard/admin/courses/<slug:slug>/step", reviews.course_step, name="review-step"),
    path("healthz", pages.health, name="health"),
]
