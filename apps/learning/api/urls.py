from django.urls import path

from apps.learning.api import exception_views, note_views, path_views, practice_views, question_preview_views, views

urlpatterns = [
    path("lessons/<uuid:uid>/progress/", views.LessonWatching.as_view()),  # first, because it is called most
    path("enrollments/", views.Enrollments.as_view()),
    path("courses/<slug:slug>/outline/", views.CourseOutline.as_view()),
    path("courses/<slug:slug>/bookmark/", views.CourseBookmark.as_view()),
    path("courses/<slug:slug>/rating/", views.CourseRating.as_view()),
    path("lessons/<uuid:uid>/player/", views.LessonPlayer.as_view()),
    path("lessons/<uuid:uid>/complete/", views.LessonCompletion.as_view()),
    path("lessons/<uuid:uid>/quiz/", views.LessonQuiz.as_view()),
    path("lessons/<uuid:uid>/attempts/", views.LessonAttempts.as_view()),
    path("lessons/<uuid:uid>/notes/", note_views.LessonNotes.as_view()),
    path("lessons/<uuid:uid>/notes/<uuid:note>/", note_views.LessonNote.as_view()),
    path("attempts/<uuid:uid>/", views.AttemptDetail.as_view()),
    path("attempts/<uuid:uid>/submit/", views.AttemptSubmission.as_view()),
    path("practice/", practice_views.Practice.as_view()),
    path("practice/cards/<uuid:uid>/answer/", practice_views.PracticeAnswer.as_view()),
    path("practice/cards/<uuid:uid>/reviews/", practice_views.PracticeReviews.as_view()),
    path("studio/question-previews/", question_preview_views.QuestionPreviews.as_view()),
    path("studio/question-previews/mark/", question_preview_views.QuestionPreviewMarking.as_view()),
    path("teaching/exceptions/", exception_views.Exceptions.as_view()),
    path("teaching/exceptions/extra-time/", exception_views.ExtraTime.as_view()),
    path("teaching/exceptions/extra-attempts/", exception_views.ExtraAttempts.as_view()),
    path("teaching/exceptions/reopened/", exception_views.Reopened.as_view()),
    path("teaching/exceptions/<uuid:uid>/", exception_views.OneException.as_view()),
    path("paths/", path_views.Paths.as_view()),
    path("paths/<slug:slug>/", path_views.OnePath.as_view()),
    path("certificates/", views.Certificates.as_view()),
    path("certificates/<str:code>/", views.CertificateCheck.as_view()),
]
