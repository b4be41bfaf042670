"""Addresses of analytics."""

from django.urls import path

from studyplatform.site.teaching import analytics, analytics_files, analytics_lessons, analytics_reports

BASE = "dashboard/instructor/analytics/"
LESSON, QUIZ = f"{BASE}lessons/<slug:slug>/<slug:lesson>", f"{BASE}quizzes/<slug:slug>/<slug:lesson>"

urlpatterns = [
    path(BASE, analytics.analytics, name="analytics"),
    path(f"{BASE}lessons/", analytics_lessons.analytics_lessons, name="analytics-lessons"),
    path(LESSON, analytics_lessons.lesson_retention, name="analytics-lesson"),
    path(f"{LESSON}.csv", analytics_files.retention_file, name="analytics-lesson-file"),
    path(QUIZ, analytics_lessons.quiz_items, name="analytics-quiz"),
    path(f"{QUIZ}.csv", analytics_files.items_file, name="analytics-quiz-file"),
    path(f"{BASE}files/<slug:name>.csv", analytics_files.table_file, name="analytics-file"),
    path(f"{BASE}reports/", analytics_reports.reports, name="analytics-reports"),
    path(f"{BASE}reports/<uuid:uid>/end", analytics_reports.end_report, name="analytics-report-end"),
]
