from django.urls import path

from apps.learning.pages import certificates, course_progress, dashboard, enrollment, lessons, notebook, ratings

app_name = "learning"
urlpatterns = [
    path("learn/<slug:course>", enrollment.resume, name="resume"),
    path("learn/<slug:course>/<slug:lesson>", lessons.lesson, name="lesson"),
    path("learn/<slug:course>/<slug:lesson>/complete", lessons.complete, name="lesson-complete"),
    path("learn/<slug:course>/<slug:lesson>/download", lessons.download, name="lesson-download"),
    path("learn/<slug:course>/<slug:lesson>/attempts", lessons.start_attempt, name="attempt-start"),
    path("learn/<slug:course>/<slug:lesson>/attempts/<uuid:uid>", lessons.submit_attempt, name="attempt-hand-in"),
    path("audio-fallback", lessons.audio, name="audio"),
    path("courses/enroll", enrollment.enroll, name="enroll"),
    path("courses/<slug:course>/bookmark", enrollment.bookmark, name="bookmark"),
    path("courses/<slug:course>/reviews", ratings.reviews, name="reviews"),
    path("courses/<slug:course>/reviews/delete", ratings.delete, name="review-delete"),
    path("courses/<slug:course>/reviews/restore", ratings.restore, name="review-restore"),
    path("courses/<slug:course>/reviews/<int:rating>/helpful", ratings.helpful, name="review-helpful"),
    path("courses/<slug:course>/reviews/<int:rating>/reply", ratings.reply, name="review-reply"),
    path("courses/<slug:course>/reviews/<int:rating>/report", ratings.report, name="review-report"),
    path("dashboard/admin/ratings/<int:rating>", ratings.decide, name="review-decide"),
    path("course/lessons", course_progress.lessons, name="lessons"),
    path("me/dashboard", dashboard.dashboard, name="dashboard"),
    path("me/enrollments", course_progress.my_learning, name="my-learning"),
    path("me/courses", course_progress.my_courses, name="my-courses"),
    path("me/course/<slug:course>/progress", course_progress.course_progress, name="course-progress"),
    path("me/course/<slug:course>/notes", notebook.notebook, name="notebook"),
    path("me/course/<slug:course>/notes.md", notebook.as_markdown, name="notebook-markdown"),
    path("me/course/<slug:course>/notes.pdf", notebook.as_pdf, name="notebook-pdf"),
    path("certificates/", certificates.verify, name="verify"),
    path("certificates/<str:code>.pdf", certificates.certificate_pdf, name="certificate-pdf"),
    path("certificates/<str:code>", certificates.certificate, name="certificate"),
]
