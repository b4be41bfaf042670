from django.urls import path

from apps.courses.api import content_views, outline_views, question_views, studio_views, views

urlpatterns = [
    path("content/convert/", content_views.ContentConversion.as_view()),
    path("content/preview/", content_views.ContentPreview.as_view()),
    path("courses/<slug:slug>/files/", content_views.CourseFiles.as_view()),
    path("courses/<slug:slug>/lessons/", views.CourseLessons.as_view()),
    path("courses/<slug:slug>/picture/", views.PictureOfCourse.as_view()),
    path("courses/<slug:slug>/question-imports/", question_views.QuestionImports.as_view()),
    path("question-imports/<uuid:uid>/", question_views.OneQuestionImport.as_view()),
    path("courses/<slug:slug>/sections/", views.CourseSections.as_view()),
    path("sections/<uuid:uid>/", views.OneSection.as_view()),
    path("sections/<uuid:uid>/move/", views.SectionMove.as_view()),
    path("lessons/<uuid:uid>/", views.OneLesson.as_view()),
    path("lessons/<uuid:uid>/move/", views.LessonMove.as_view()),
    path("lessons/<uuid:uid>/video/", views.LessonVideo.as_view()),
    path("lessons/<uuid:uid>/file/", views.LessonFile.as_view()),
    path("teaching/lessons/", views.VideoLessons.as_view()),
    path("studio/courses/", studio_views.StudioCourses.as_view()),
    path("studio/courses/<uuid:uid>/", studio_views.OneStudioCourse.as_view()),
    path("studio/courses/<uuid:uid>/submit/", studio_views.StudioCourseSubmit.as_view()),
    path("studio/courses/<uuid:uid>/outline/", outline_views.StudioOutlineOfCourse.as_view()),
    path("studio/courses/<uuid:uid>/outline/order/", outline_views.StudioOutlineOrder.as_view()),
    path("studio/courses/<uuid:uid>/outline/move/", outline_views.StudioOutlineMove.as_view()),
    path("studio/courses/<uuid:uid>/outline/remove/", outline_views.StudioOutlineRemove.as_view()),
    path("studio/courses/<uuid:uid>/outline/settings/", outline_views.StudioOutlineSettings.as_view()),
    path("studio/courses/<uuid:uid>/outline/sections/", outline_views.StudioOutlineSections.as_view()),
    path(
        "studio/courses/<uuid:uid>/outline/sections/<uuid:section>/",
        outline_views.StudioOutlineSectionTitle.as_view(),
    ),
    path("studio/courses/<uuid:uid>/outline/lessons/", outline_views.StudioOutlineLessons.as_view()),
    path("studio/courses/<uuid:uid>/changes/<uuid:change>/undo/", outline_views.StudioOutlineUndo.as_view()),
    path("studio/courses/<uuid:uid>/plates/", studio_views.StudioCoursePlates.as_view()),
    path("studio/courses/<uuid:uid>/withdraw/", studio_views.StudioCourseWithdraw.as_view()),
    path("studio/lessons/<uuid:uid>/", studio_views.OneStudioLesson.as_view()),
]
