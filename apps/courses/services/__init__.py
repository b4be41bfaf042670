"""What changes courses: writing them, their outline, their quizzes, their way through review."""

from apps.courses.services.courses import CourseTexts, create_course, delete_course, edit_course
from apps.courses.services.media import attach_file, attach_video, take_video_length
from apps.courses.services.outline import (
    add_lesson,
    add_section,
    delete_lesson,
    delete_section,
    edit_lesson,
    move_lesson,
    move_section,
    rename_section,
    require_order,
)
from apps.courses.services.quizzes import (
    QuestionDraft,
    add_question,
    delete_question,
    duplicate_question,
    edit_question,
    edit_quiz,
    move_question,
)
from apps.courses.services.review import (
    archive_course,
    decide_submission,
    reinstate_course,
    restore_course,
    submit_course,
    suspend_course,
    unpublish_course,
    withdraw_course,
)

__all__ = [
    "CourseTexts",
    "QuestionDraft",
    "add_lesson",
    "add_question",
    "add_section",
    "archive_course",
    "attach_file",
    "attach_video",
    "create_course",
    "decide_submission",
    "delete_course",
    "delete_lesson",
    "delete_question",
    "delete_section",
    "duplicate_question",
    "edit_course",
    "edit_lesson",
    "edit_question",
    "edit_quiz",
    "move_lesson",
    "move_question",
    "move_section",
    "reinstate_course",
    "rename_section",
    "require_order",
    "restore_course",
    "submit_course",
    "suspend_course",
    "take_video_length",
    "unpublish_course",
    "withdraw_course",
]
