from django.urls import path

from apps.learning.pages import certificates, lessons, records, seats

app_name = "learning"
urlpatterns = [
    path("learn/<slug:course>", seats.resume, name="resume"),
    path("learn/<slug:course>/<slug:lesson>", lessons.lesson, name="lesson"),
    path("learn/<slug:course>/<slug:lesson>/complete", lessons.complete, name="lesson-complete"),
    path("learn/<slug:course>/<slug:lesson>/download", lessons.download, name="lesson-download"),
    path("learn/<slug:course>/<slug:lesson>/attempts", lessons.start_attempt, name="attempt-start"),
    path("learn/<slug:course>/<slug:lesson>/attempts/<uuid:uid>", lessons.hand_in, name="attempt-hand-in"),
    path("audio-fallback", lessons.audio, name="audio"),
    path("courses/enroll", seats.enroll, name="enroll"),
    path("courses/<slug:course>/bookmark", seats.bookmark, name="bookmark"),
    path("course/lessons", records.lessons, name="lessons"),
    path("me/enrollments", records.my_learning, name="my-learning"),
    path("me/courses", records.my_courses, name="my-courses"),
    path("me/course/<slug:course>/progress", records.course_progress, name="course-progress"),
    path("certificates/", certificates.verify, name="verify"),
    path("certificates/<str:code>.pdf", certificates.certificate_pdf, name="certificate-pdf"),
    path("certificates/<str:code>", certificates.certificate, name="certificate"),
]
