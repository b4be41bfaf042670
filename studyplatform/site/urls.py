"""Addresses of the frame's own pages."""

from django.urls import path

from studyplatform.site import (
    administration,
    articles,
    dashboards,
    mails,
    offline,
    pages,
    pending,
    reviews,
    robots,
    storage,
    uploads,
)
from studyplatform.site.catalogue import catalogue_page, suggestions
from studyplatform.site.course import course_page
from studyplatform.site.home import home
from studyplatform.site.status import status

app_name = "site"
urlpatterns = [
    path("", home, name="home"),
    path("courses/", catalogue_page, name="catalogue"),
    path("search/suggestions", suggestions, name="suggestions"),
    path("courses/<slug:slug>", course_page, name="course"),
    path("dashboard/instructor/", dashboards.instructor_home, name="instructor-home"),
    path("dashboard/instructor/upload/", uploads.uploads, name="upload"),
    path("dashboard/admin/", dashboards.admin_home, name="admin-home"),
    path("dashboard/admin/courses/<slug:slug>/review", reviews.course_review, name="review"),
    path("dashboard/admin/courses/<slug:slug>/step", reviews.course_step, name="review-step"),
    path("dashboard/admin/reviews/", administration.review_history, name="admin-reviews"),
    path("dashboard/admin/jobs/", administration.job_list, name="admin-jobs"),
    path("dashboard/admin/mails/", mails.mail_list, name="admin-mails"),
    path("dashboard/admin/mails/<str:name>", mails.mail, name="admin-mail"),
    path("dashboard/admin/mails/<str:name>/page", mails.mail_page, name="admin-mail-page"),
    path("dashboard/admin/jobs/<uuid:uid>/retry", administration.job_retry, name="admin-job-retry"),
    path("settings/billing", pages.billing_settings, name="billing-settings"),
    path("settings/storage", storage.storage, name="storage"),
    path("settings/storage/videos/<uuid:uid>/delete", storage.delete_video, name="delete-stored-video"),
    path("settings/storage/files/<uuid:uid>/delete", storage.delete_file, name="delete-stored-file"),
    path("help/", articles.help_index, name="help"),
    path("help/errors/<str:code>", articles.help_error, name="help-error"),
    path("help/<slug:article>", articles.help_article, name="help-article"),
    *(path(name, articles.text, {"name": name}, name=name) for name in articles.TEXTS),
    path("offline", offline.offline, name="offline"),
    path("sw.js", offline.worker, name="service-worker"),
    path("status", status, name="status"),
    path("robots.txt", robots.robots_txt, name="robots"),
    path("sitemap.xml", robots.sitemap_xml, name="sitemap"),
    path("healthz", pages.health, name="health"),
    path("readyz", pages.ready, name="ready"),
]
# Last, so that a page of its own wins over its announcement.
urlpatterns += pending.urlpatterns
