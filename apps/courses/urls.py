"""Addresses of the authoring pages."""

from django.urls import path

from apps.courses.pages import (
    authoring,
    bank,
    captions,
    changes,
    copying,
    media,
    outline,
    paths,
    pictures,
    question_imports,
    question_search,
    quiz,
    sections,
)

app_name = "courses"

_own = "dashboard/instructor/courses/<slug:slug>"
_lesson = f"{_own}/lectures/<slug:lesson>"
_question = f"{_lesson}/questions/<uuid:uid>"
_bank = f"{_own}/bank/<uuid:uid>"
_path = "dashboard/instructor/paths/<uuid:uid>"

urlpatterns = [
    path("course-pictures/<str:name>", pictures.picture_file, name="picture-file"),
    path("dashboard/instructor/courses/", authoring.course_list, name="studio-list"),
    path("dashboard/instructor/courses/new", authoring.course_new, name="studio-new"),
    path(f"{_own}/edit", authoring.course_edit, name="studio-edit"),
    path(f"{_own}/picture", pictures.picture, name="studio-picture"),
    path(f"{_own}/picture/remove", pictures.picture_remove, name="studio-picture-remove"),
    path(f"{_own}/step", authoring.course_step, name="studio-step"),
    path(f"{_own}/delete", authoring.course_delete, name="studio-delete"),
    path(f"{_own}/lectures", outline.lectures, name="studio-lectures"),
    path(f"{_own}/outline/order", outline.order, name="studio-order"),
    path(f"{_own}/duplicate", copying.course_duplicate, name="studio-duplicate"),
    path(f"{_lesson}/duplicate", copying.lesson_duplicate, name="studio-lesson-duplicate"),
    path(f"{_own}/outline/sections/<uuid:uid>/duplicate", copying.section_duplicate, name="studio-section-duplicate"),
    path(f"{_own}/outline/changes/<uuid:change>/undo", changes.undo, name="studio-change-undo"),
    path(f"{_own}/outline/sections", sections.section_add, name="studio-section-add"),
    path(f"{_own}/outline/sections/<uuid:uid>", sections.section_rename, name="studio-section-rename"),
    path(f"{_own}/outline/sections/<uuid:uid>/move", sections.section_move, name="studio-section-move"),
    path(f"{_own}/outline/sections/<uuid:uid>/delete", sections.section_delete, name="studio-section-delete"),
    path(f"{_own}/outline/lessons", outline.lesson_add, name="studio-lesson-add"),
    path(_lesson, outline.lesson, name="studio-lesson"),
    path(f"{_lesson}/insert", outline.lesson_insert, name="studio-lesson-insert"),
    path(f"{_lesson}/move", outline.lesson_move, name="studio-lesson-move"),
    path(f"{_lesson}/delete", outline.lesson_delete, name="studio-lesson-delete"),
    path(f"{_lesson}/video", media.video, name="studio-video"),
    path(f"{_lesson}/external-video", media.external_video, name="studio-external-video"),
    path(f"{_lesson}/captions", captions.captions, name="studio-captions"),
    path(f"{_lesson}/captions/check/<uuid:uid>", captions.caption_draft, name="studio-caption-draft"),
    path(f"{_lesson}/captions/<uuid:uid>", captions.caption_track, name="studio-caption-track"),
    path(f"{_lesson}/chapters", media.chapters, name="studio-chapters"),
    path(f"{_lesson}/file", media.file, name="studio-file"),
    path(f"{_lesson}/file/choose", media.file_choice, name="studio-file-choice"),
    path(f"{_lesson}/quiz", quiz.rules, name="studio-quiz"),
    path(f"{_lesson}/questions/new", quiz.question_new, name="studio-question-new"),
    path(f"{_lesson}/questions/search", question_search.question_search, name="studio-question-search"),
    path(_question, quiz.question, name="studio-question"),
    path(f"{_question}/move", quiz.question_move, name="studio-question-move"),
    path(f"{_question}/copy", quiz.question_copy, name="studio-question-copy"),
    path(f"{_question}/delete", quiz.question_delete, name="studio-question-delete"),
    path(f"{_question}/to-bank", bank.question_to_bank, name="studio-question-to-bank"),
    path(f"{_lesson}/draws", bank.draw_add, name="studio-draw-add"),
    path(f"{_lesson}/draws/<uuid:uid>", bank.draw_change, name="studio-draw"),
    path(f"{_own}/bank", bank.bank, name="studio-bank"),
    path(f"{_own}/bank/new", bank.question_new, name="studio-bank-new"),
    path(_bank, bank.question, name="studio-bank-question"),
    path(f"{_bank}/copy", bank.question_copy, name="studio-bank-copy"),
    path(f"{_bank}/delete", bank.question_delete, name="studio-bank-delete"),
    path(f"{_bank}/use", bank.question_use, name="studio-bank-use"),
    path(f"{_own}/bank/import", question_imports.question_imports, name="studio-imports"),
    path(f"{_own}/bank/import/<uuid:uid>", question_imports.question_import, name="studio-import"),
    path(f"{_own}/bank/import/<uuid:uid>/undo", question_imports.question_import_undo, name="studio-import-undo"),
    path("dashboard/instructor/paths/", paths.path_list, name="studio-paths"),
    path("dashboard/instructor/paths/new", paths.path_new, name="studio-path-new"),
    path(_path, paths.path, name="studio-path"),
    path(f"{_path}/courses", paths.path_add, name="studio-path-add"),
    path(f"{_path}/courses/move", paths.path_move, name="studio-path-move"),
    path(f"{_path}/courses/remove", paths.path_remove, name="studio-path-remove"),
    path(f"{_path}/publish", paths.path_publish, name="studio-path-publish"),
    path(f"{_path}/delete", paths.path_delete, name="studio-path-delete"),
]
