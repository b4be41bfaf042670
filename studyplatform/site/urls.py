"""Addresses of the frame's own pages."""

from django.urls import path

from studyplatform.site.governing import home as admin_home
from studyplatform.site.governing import jobs, mailbox, past_reviews, reviews
from studyplatform.site.public import expert_content, help, manifest, offline
from studyplatform.site.public.catalogue import catalogue_page, suggestions
from studyplatform.site.public.course import course_page, course_preview
from studyplatform.site.public.expert_review import expert
from studyplatform.site.public.home import home
from studyplatform.site.public.paths import path as learning_path
from studyplatform.site.public.paths import paths
from studyplatform.site.public.status import status
from studyplatform.site.system import crawlers, health, prefetch, redirects
from studyplatform.site.teaching import analytics_urls, learner, learner_messages, learners, storage, uploads
from studyplatform.site.teaching import home as instructor_home

app_name = "site"
urlpatterns = [
    path("", home, name="home"),
    path("courses/", catalogue_page, name="catalogue"),
    path("search/suggestions", suggestions, name="suggestions"),
    path("courses/<slug:slug>", course_page, name="course"),
    path("paths/", paths, name="paths"),
    path("paths/<slug:slug>", learning_path, name="path"),
    path("dashboard/instructor/", instructor_home.instructor_home, name="instructor-home"),
    path("dashboard/instructor/courses/<slug:slug>/preview", course_preview, name="course-preview"),
    *analytics_urls.urlpatterns,
    path("dashboard/instructor/upload/", uploads.uploads, name="upload"),
    path("dashboard/instructor/students/", learners.learners, name="learners"),
    path("dashboard/instructor/students/export", learners.export, name="learners-export"),
    path("dashboard/instructor/students/filters", learners.save_filter, name="learners-save-filter"),
    path("dashboard/instructor/students/filters/delete", learners.delete_filter, name="learners-delete-filter"),
    path("dashboard/instructor/students/message", learner_messages.write, name="learners-message"),
    path("dashboard/instructor/students/messages/<uuid:uid>", learner_messages.sent, name="learners-message-sent"),
    path("dashboard/instructor/students/<uuid:uid>", learner.learner, name="learner"),
    path("dashboard/instructor/students/<uuid:uid>/attempts/<uuid:attempt>", learner.attempt, name="learner-attempt"),
    path("dashboard/instructor/students/<uuid:uid>/notes", learner.write_note, name="learner-note"),
    path("dashboard/instructor/students/<uuid:uid>/notes/<uuid:note>", learner.delete_note, name="learner-note-delete"),
    path("dashboard/admin/", admin_home.admin_home, name="admin-home"),
    path("dashboard/admin/courses/<slug:slug>/review", reviews.course_review, name="review"),
    path("dashboard/admin/courses/<slug:slug>/review/points", reviews.review_point, name="review-point"),
    path("dashboard/admin/appeals/<uuid:uid>", reviews.appeal_decision, name="review-appeal"),
    path("dashboard/admin/courses/<slug:slug>/step", reviews.course_step, name="review-step"),
    path("review/<str:token>/", expert, name="expert"),
    path("review/<str:token>/comments", expert_content.expert_comment, name="expert-comment"),
    path("review/<str:token>/threads/<uuid:uid>", expert_content.expert_answer, name="expert-answer"),
    path("review/<str:token>/media/<uuid:uid>/<path:name>", expert_content.expert_media, name="expert-media"),
    path("review/<str:token>/files/<uuid:uid>", expert_content.expert_file, name="expert-file"),
    path("review/<str:token>/lessons/<uuid:uid>/file", expert_content.expert_lesson_file, name="expert-lesson-file"),
    path("review/<str:token>/pictures/<uuid:uid>", expert_content.expert_picture, name="expert-picture"),
    path("dashboard/admin/reviews/", past_reviews.review_history, name="admin-reviews"),
    path("dashboard/admin/jobs/", jobs.job_list, name="admin-jobs"),
    path("dashboard/admin/mails/", mailbox.mail_list, name="admin-mails"),
    path("dashboard/admin/mails/<str:name>", mailbox.mail, name="admin-mail"),
    path("dashboard/admin/mails/<str:name>/page", mailbox.mail_page, name="admin-mail-page"),
    path("dashboard/admin/jobs/<uuid:uid>/retry", jobs.job_retry, name="admin-job-retry"),
    path("settings/billing", redirects.billing_settings, name="billing-settings"),
    path("settings/storage", storage.storage, name="storage"),
    path("settings/storage/videos/<uuid:uid>/delete", storage.delete_video, name="delete-stored-video"),
    path("settings/storage/files/<uuid:uid>/delete", storage.delete_file, name="delete-stored-file"),
    path("help/", help.help_index, name="help"),
    path("help/errors/<str:code>", help.help_error, name="help-error"),
    path("help/<slug:article>", help.help_article, name="help-article"),
    *(path(name, help.text, {"name": name}, name=name) for name in help.TEXTS),
    path("offline", offline.offline, name="offline"),
    path("sw.js", offline.worker, name="service-worker"),
    path("manifest.webmanifest", manifest.manifest, name="manifest"),
    path("status", status, name="status"),
    path("speculation-rules.json", prefetch.speculation_rules, name="speculation-rules"),
    path("robots.txt", crawlers.robots_txt, name="robots"),
    path("sitemap.xml", crawlers.sitemap_xml, name="sitemap"),
    path("healthz", health.health, name="health"),
    path("readyz", health.ready, name="ready"),
]
