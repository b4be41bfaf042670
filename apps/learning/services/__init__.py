"""Everything that changes enrollments, progress, attempts and certificates."""

from apps.learning.services.analytics_reports import (
    ATTACHED_TABLE,
    LOOK_INTERVAL,
    attach_table,
    end_report,
    forget_reports,
    schedule_report,
    send_due_reports,
)
from apps.learning.services.announcements import WRITING_TIME, announce_lesson, announce_version
from apps.learning.services.attempts_in_bulk import make_submitted
from apps.learning.services.certificates import issue_certificate, set_revocation
from apps.learning.services.closing import CLOSING_INTERVAL, close_overdue_attempts
from apps.learning.services.completion import recount, recount_course
from apps.learning.services.consumption import record_file, record_whole
from apps.learning.services.enrollment import (
    completed_percents,
    delete_bookmarks,
    enroll,
    follow_access,
    grant_enrollment,
    revoke_enrollment,
    set_bookmark,
)
from apps.learning.services.essays import forget_essays, mark_essay
from apps.learning.services.exceptions import (
    end_exceptions,
    forget_exceptions,
    grant_extra_attempts,
    grant_extra_time,
    reopen_attempts,
)
from apps.learning.services.granting import MAX_LEARNERS_AT_ONCE, Act, Granted
from apps.learning.services.learned_days import forget as forget_learned_days
from apps.learning.services.learned_history import rebuild_learned_days
from apps.learning.services.notebook_documents import (
    build_document,
    delete_documents,
    delete_expired_documents,
    mark_document_failed,
    request_document,
)
from apps.learning.services.notes import delete_notes, make_note, save_note, write_note
from apps.learning.services.offline_changes import Change, take_changes
from apps.learning.services.offline_devices import (
    forget_devices,
    hand_out_lesson,
    note_contact,
    register_device,
    remove_device,
)
from apps.learning.services.offline_forgetting import FORGETTING_INTERVAL, forget_changes, forget_old_changes
from apps.learning.services.offline_papers import release_papers, seal_paper
from apps.learning.services.openings import OPENING_CHECK_INTERVAL, announce_openings, plan_opening_checks
from apps.learning.services.practice import (
    add_card,
    delete_card,
    delete_cards_of,
    edit_card,
    forget_card,
    restore_card,
    review_card,
)
from apps.learning.services.progress import complete_lesson, fetch_file, open_lesson, save_watching
from apps.learning.services.quizzes import draw_attempt, draw_questions, open_attempt, submit_attempt
from apps.learning.services.rating_reports import decide_rating, report_rating
from apps.learning.services.ratings import (
    delete_rating,
    forget_rating,
    rate_course,
    reply_to_rating,
    restore_rating,
    vote_helpful,
)
from apps.learning.services.remarking import remark_questions
from apps.learning.services.restarting import restart_lessons
from apps.learning.services.rollups import forget_rollups
from apps.learning.services.saved_filters import delete_filter, forget_saved_filters, rename_filter, save_filter
from apps.learning.services.staff_notes import delete_staff_note, forget_staff_notes, write_staff_note
from apps.learning.services.versions import choose_version
from apps.learning.services.visits import count_visit

__all__ = [
    "ATTACHED_TABLE",
    "CLOSING_INTERVAL",
    "FORGETTING_INTERVAL",
    "LOOK_INTERVAL",
    "MAX_LEARNERS_AT_ONCE",
    "OPENING_CHECK_INTERVAL",
    "WRITING_TIME",
    "Act",
    "Change",
    "Granted",
    "add_card",
    "announce_lesson",
    "announce_openings",
    "announce_version",
    "attach_table",
    "build_document",
    "choose_version",
    "close_overdue_attempts",
    "complete_lesson",
    "completed_percents",
    "count_visit",
    "decide_rating",
    "delete_bookmarks",
    "delete_card",
    "delete_cards_of",
    "delete_documents",
    "delete_expired_documents",
    "delete_filter",
    "delete_notes",
    "delete_rating",
    "delete_staff_note",
    "draw_attempt",
    "draw_questions",
    "edit_card",
    "end_exceptions",
    "end_report",
    "enroll",
    "fetch_file",
    "follow_access",
    "forget_card",
    "forget_changes",
    "forget_devices",
    "forget_essays",
    "forget_exceptions",
    "forget_learned_days",
    "forget_old_changes",
    "forget_rating",
    "forget_reports",
    "forget_rollups",
    "forget_saved_filters",
    "forget_staff_notes",
    "grant_enrollment",
    "grant_extra_attempts",
    "grant_extra_time",
    "hand_out_lesson",
    "issue_certificate",
    "make_note",
    "make_submitted",
    "mark_document_failed",
    "mark_essay",
    "note_contact",
    "open_attempt",
    "open_lesson",
    "plan_opening_checks",
    "rate_course",
    "rebuild_learned_days",
    "record_file",
    "record_whole",
    "recount",
    "recount_course",
    "register_device",
    "release_papers",
    "remark_questions",
    "remove_device",
    "rename_filter",
    "reopen_attempts",
    "reply_to_rating",
    "report_rating",
    "request_document",
    "restart_lessons",
    "restore_card",
    "restore_rating",
    "review_card",
    "revoke_enrollment",
    "save_filter",
    "save_note",
    "save_watching",
    "schedule_report",
    "seal_paper",
    "send_due_reports",
    "set_bookmark",
    "set_revocation",
    "submit_attempt",
    "take_changes",
    "vote_helpful",
    "write_note",
    "write_staff_note",
]
