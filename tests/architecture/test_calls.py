"""Every API call as every kind of user, by session cookie and bearer token, with objects of other users."""

import base64
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection, transaction
from django.test import Client
from django.test.client import ClientHandler
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from drf_spectacular.generators import SchemaGenerator
from rest_framework.permissions import BasePermission

from apps.accounts.models import BrowserSession, User
from apps.accounts.sessions import tokens
from apps.courses.models import Course, OutlineChange
from apps.courses.queries.findings import find_all
from apps.learning.models import Enrollment, LearnerException
from studyplatform.kit.caching.lru import clear_caches
from studyplatform.samples.queries import STARTERS
from tests.accounts.test_mass_assignment import forbidden_fields, protected_values
from tests.architecture.conftest import World
from tests.architecture.test_doors import calls
from tests.factories.accounts import PASSWORD
from tests.factories.courses import CourseFactory, LessonFactory, QuestionImportFactory, SectionFactory
from tests.factories.paths import LearningPathFactory, put_in

pytestmark = [pytest.mark.django_db, pytest.mark.edits_in_place]

PEOPLE = ["visitor", "expired", "ben", "mia", "leo", "kim", "ada", "eve", "sam"]
LONG = {"expired", "kim", "ada", "sam"}  # only long runs call as these
OUT = {"visitor", "expired", "ben"}  # ben was blocked while signed in
# Who is allowed. Ada owns what is taught, Leo what is learned; Kim takes the same course, Eve teaches another one.
AUDIENCES = {
    "everyone": set(PEOPLE),
    "signed-in": set(PEOPLE) - OUT,
    "teaching": {"ada", "eve", "sam"},
    "staff of the course": {"ada", "sam"},
    "owner of the video, or an admin": {"ada", "sam"},
    "as the lesson": {"leo", "kim", "ada", "sam"},
    "enrolled": {"leo", "kim"},
    "its learner alone": {"leo"},
    "who sent it alone": {"leo"},
    "its owner alone": {"leo"},
    "learners and staff": {"leo", "kim", "ada", "sam"},
    "learners and staff, not its author": {"kim", "ada", "sam"},
    "its author, or staff": {"leo", "ada", "sam"},
    "everyone but its author": {"mia", "kim", "ada", "eve", "sam"},
    "admin": {"sam"},
}
GETS_IN = {
    "its learner alone": "leo",
    "who sent it alone": "leo",
    "its owner alone": "leo",
    "enrolled": "leo",
}  # and Ada to the rest
SHARED = next(uid for uid, kind, *_ in STARTERS if kind == "mcp")
KEY = "0b9f7f4e-3f43-4c6a-9d57-7f6a8c1f2d10"
TOTAL = {"total": 0, "currency": "usd"}
SUBSCRIBE = {"plan": "monthly", "total": 1400, "currency": "usd", "trial_days": 7, "agrees": True}
TUS = {"Tus-Resumable": "1.0.0"}
BEGUN = TUS | {"Upload-Length": "5"}
NO_BYTES: dict[str, Any] = {"body": lambda _: b"", "kind": "application/offset+octet-stream"}
PURPOSE = {what: "purpose " + base64.b64encode(what.encode()).decode() for what in ("file", "video")}
CAPTION_FORM = (
    b'--part\r\nContent-Disposition: form-data; name="file"; filename="words.vtt"\r\n\r\n'
    b"WEBVTT\n\n00:00:00.000 --> 00:00:02.000\nBonjour.\n\r\n--part--\r\n"
)
CAPTIONS = "WEBVTT\n\n00:00:00.000 --> 00:00:02.000\nBonjour.\n"


@dataclass(frozen=True)
class Row:
    """One operation: who may call it, the owner of the object in its address, and its body."""

    operation: str
    who: str
    thing: Callable[[World], Any] | None = None
    body: Callable[[World], Any] | None = None
    headers: dict[str, str] = field(default_factory=dict)
    kind: str = "application/json"
    also: int = 200  # another status that allowed users may get


def _course(world: World) -> str:
    return world.course.slug


def _the_course(world: World) -> UUID:
    return world.course.uid


def _film(world: World) -> UUID:
    return world.video_lesson.uid


def _change(world: World) -> OutlineChange:
    facts = {"course": world.course, "kind": OutlineChange.Kind.RENAME, "facts": {"fields": []}}
    return OutlineChange.objects.create(made_at=timezone.now(), **facts)


def _granted(world: World) -> dict[str, Any]:
    learner = Enrollment.objects.active().get(user__username="leo", course=world.course)
    return {"learners": [str(learner.uid)], "key": str(uuid4()), "quiz": str(world.quiz.uid)}


def _exception(world: World) -> LearnerException:
    learner = Enrollment.objects.active().get(user__username="leo", course=world.course)
    facts = {"kind": LearnerException.Kind.TIME, "minutes": 5, "granted_at": timezone.now()}
    return LearnerException.objects.create(enrollment=learner, **facts)


def _device(world: World) -> UUID:
    return world.device.uid


def _chat(world: World) -> UUID:
    return world.chat_answer.exchange.chat.uid


def _answer(world: World) -> UUID:
    return world.chat_answer.uid


PROMO_CODE = {"code": "DELTAS", "kind": "percent", "percent": 10}

TABLE = [
    Row("auth_login", "everyone", body=lambda _: {"email": "zoe@example.com", "password": PASSWORD}),
    Row("auth_passkey_options", "everyone", also=401),  # a site at an IP address offers no passkeys
    Row("auth_logout", "everyone"),
    Row("auth_session", "signed-in"),
    Row("auth_resend_verification", "signed-in"),
    Row("me_look", "signed-in", body=lambda _: {"theme": "dark", "style": "corporate"}),
    Row("files_storage", "signed-in"),
    Row("files_uploads", "signed-in"),
    Row(
        "files_upload_begin",
        "signed-in",
        headers=TUS | {"Upload-Length": "5", "Upload-Metadata": PURPOSE["file"]},
        body=lambda _: b"",
        kind="application/offset+octet-stream",
    ),
    Row(
        "files_upload_begin",
        "teaching",
        headers=TUS | {"Upload-Length": "5", "Upload-Metadata": PURPOSE["video"]},
        body=lambda _: b"",
        kind="application/offset+octet-stream",
    ),
    Row("files_upload_offset", "who sent it alone", lambda world: world.arriving.uid, headers=TUS),
    Row("files_upload_download", "who sent it alone", lambda world: world.kept.uid),
    Row(
        "files_upload_piece",
        "who sent it alone",
        lambda world: world.arriving.uid,
        body=lambda _: b"words",
        headers=TUS | {"Upload-Offset": "0"},
        kind="application/offset+octet-stream",
    ),
    Row("files_upload_cancel", "who sent it alone", lambda world: world.arriving.uid, headers=TUS),
    Row("files_list", "signed-in"),
    Row("files_folders", "signed-in"),
    Row("files_folder_add", "signed-in", body=lambda _: {"name": "Deltas"}),
    Row("files_folder_rename", "its owner alone", lambda world: world.folder.uid, body=lambda _: {"name": "Deltas"}),
    Row("files_file", "its owner alone", lambda world: world.file.uid),
    Row("files_file_rename", "its owner alone", lambda world: world.file.uid, body=lambda _: {"name": "Deltas"}),
    Row("files_act", "its owner alone", body=lambda world: {"action": "bin", "files": [str(world.file.uid)]}),
    Row("files_bin_empty", "signed-in"),
    Row("files_version_restore", "its owner alone", lambda world: world.file.uid),
    Row("files_videos", "signed-in"),
    Row("files_video", "owner of the video, or an admin", lambda world: world.video.uid),
    Row("files_video_delete", "owner of the video, or an admin", lambda world: world.video.uid),
    Row("files_video_sound", "owner of the video, or an admin", lambda world: world.failed_video.uid),
    Row(
        "files_video_cover",
        "owner of the video, or an admin",
        lambda world: world.failed_video.uid,
        body=lambda _: {"at": 1.5},
        also=409,
    ),
    Row("files_video_retry", "owner of the video, or an admin", lambda world: world.failed_video.uid, also=409),
    Row(
        "files_video_captions",
        "owner of the video, or an admin",
        lambda world: world.video.uid,
        body=lambda _: {"language": "fr", "text": CAPTIONS},
    ),
    Row(
        "files_video_captions_preview",
        "owner of the video, or an admin",
        lambda world: world.video.uid,
        body=lambda _: {"language": "fr", "text": CAPTIONS},
    ),
    Row(
        "files_video_transcribe",
        "owner of the video, or an admin",
        lambda world: world.video.uid,
        body=lambda _: {"language": "en"},
        also=409,
    ),
    Row(
        "files_video_translate",
        "owner of the video, or an admin",
        lambda world: world.video.uid,
        body=lambda _: {"language": "fr", "texts": ["Light bends."]},
        also=409,
    ),
    Row("files_video_automatic_captions", "owner of the video, or an admin", lambda world: world.video.uid),
    Row("files_automatic_captions", "owner of the video, or an admin", lambda world: world.automatic_captions.uid),
    Row(
        "files_automatic_captions_cancel",
        "owner of the video, or an admin",
        lambda world: world.automatic_captions.uid,
    ),
    Row("files_captions_delete", "owner of the video, or an admin", lambda world: world.captions.uid),
    # Without a payment provider: 502 once the caller was admitted.
    Row("billing_check_vat_number", "signed-in", body=lambda _: {"country": "DE", "vat_id": "DE136695976"}),
    Row("billing_quote", "signed-in", body=lambda world: {"course": world.course.slug}, also=409),
    Row("billing_order", "signed-in", body=lambda world: {"course": world.course.slug, **TOTAL}, also=409),
    Row("billing_order_pay", "its learner alone", lambda world: world.order.uid, also=409),
    Row("billing_order_sync", "its learner alone", lambda world: world.order.uid),
    Row("billing_premium_terms", "signed-in", body=lambda _: {"plan": "monthly"}),
    Row("billing_subscribe", "signed-in", body=lambda world: {"card": str(world.order.uid), **SUBSCRIBE}, also=409),
    Row("billing_premium_pay", "signed-in", body=lambda world: {"card": str(world.card.uid)}, also=409),
    Row("billing_premium_sync", "signed-in", also=409),
    Row("billing_promo_codes", "staff of the course", _course),
    Row("billing_promo_code_add", "staff of the course", _course, body=lambda _: PROMO_CODE, also=400),
    Row("billing_promo_code_end", "staff of the course", lambda world: world.promo_code.uid),
    Row("billing_cards", "signed-in"),
    Row("billing_card_begin", "signed-in", body=lambda world: {"key": str(world.order.uid)}, also=502),
    Row("billing_card_done", "signed-in", body=lambda _: {"intent": "seti_1"}, also=502),
    Row("billing_card_default", "its learner alone", lambda world: world.card.uid, also=502),
    Row("billing_card_remove", "its learner alone", lambda world: world.card.uid, also=502),
    Row("authoring_video_lessons", "teaching"),
    Row("authoring_outline", "staff of the course", _course),
    Row(
        "authoring_lesson_add",
        "staff of the course",
        _course,
        body=lambda world: {"section": str(world.section.uid), "kind": "text", "title": "Deltas"},
    ),
    Row("authoring_section_add", "staff of the course", _course, body=lambda _: {"title": "Deltas"}),
    Row(
        "authoring_section_rename",
        "staff of the course",
        lambda world: world.section.uid,
        body=lambda _: {"title": "Deltas"},
    ),
    Row("authoring_section_delete", "staff of the course", lambda world: world.spare.uid),
    Row(
        "authoring_section_move", "staff of the course", lambda world: world.section.uid, body=lambda _: {"position": 1}
    ),
    Row(
        "authoring_lesson_edit",
        "staff of the course",
        lambda world: world.text.uid,
        body=lambda _: {"title": "Deltas"},
    ),
    Row("authoring_lesson_delete", "staff of the course", lambda world: world.text.uid),
    Row(
        "authoring_lesson_move",
        "staff of the course",
        lambda world: world.text.uid,
        body=lambda world: {"section": str(world.section.uid), "position": 1},
    ),
    Row(
        "authoring_lesson_video",
        "staff of the course",
        lambda world: world.video_lesson.uid,
        body=lambda world: {"video": str(world.video.uid)},
    ),
    Row(
        "authoring_lesson_file",
        "staff of the course",
        lambda world: world.file_lesson.uid,
        body=lambda _: {"upload": None},
    ),
    Row("studio_course_add", "teaching", body=lambda _: {"title": "Deltas"}),
    Row("studio_course", "staff of the course", lambda world: world.course.uid),
    Row(
        "studio_course_save",
        "staff of the course",
        lambda world: world.course.uid,
        body=lambda _: {"client": "tab", "fields": {"title": {"value": "Deltas", "base": ""}}},
    ),
    Row("studio_findings", "staff of the course", lambda world: world.course.uid),
    Row(
        "studio_finding_ignore", "staff of the course", lambda world: world.course.uid, body=lambda _: {"reason": "No"}
    ),
    Row("studio_finding_restore", "staff of the course", lambda world: world.course.uid),
    Row("studio_course_submit", "staff of the course", lambda world: world.course.uid, body=lambda _: {}, also=409),
    Row("studio_course_withdraw", "staff of the course", lambda world: world.course.uid, also=409),
    Row("studio_course_plates", "staff of the course", lambda world: world.course.uid),
    Row("studio_courses", "teaching"),
    Row("studio_outline", "staff of the course", lambda world: world.course.uid),
    Row("studio_outline_rule", "staff of the course", _the_course, body=lambda _: {"requires_order": True}),
    Row(
        "studio_outline_order",
        "staff of the course",
        _the_course,
        body=lambda _: {"etag": "", "sections": []},
        also=404,
    ),
    Row(
        "studio_outline_move",
        "staff of the course",
        _the_course,
        body=lambda world: {"sections": [str(world.section.uid)], "position": 1},
    ),
    Row("studio_outline_remove", "staff of the course", _the_course, body=lambda _: {"lessons": [str(uuid4())]}),
    Row(
        "studio_outline_settings",
        "staff of the course",
        _the_course,
        body=lambda world: {"lessons": [str(world.text.uid)], "is_optional": True},
    ),
    Row("studio_outline_section_add", "staff of the course", _the_course, body=lambda _: {"title": "Deltas"}),
    Row(
        "studio_outline_section_rename",
        "staff of the course",
        _the_course,
        body=lambda _: {"title": "Deltas"},
    ),
    Row(
        "studio_outline_lesson_add",
        "staff of the course",
        _the_course,
        body=lambda world: {"section": str(world.section.uid), "kind": "text"},
    ),
    Row("studio_outline_undo", "staff of the course", _the_course),
    Row(
        "studio_outline_duplicate",
        "staff of the course",
        _the_course,
        body=lambda world: {"lessons": [str(world.text.uid)]},
    ),
    Row("studio_outline_insertable", "staff of the course", _the_course),
    Row("studio_outline_targets", "staff of the course", _the_course),
    Row(
        "studio_outline_insert",
        "staff of the course",
        _the_course,
        body=lambda world: {"lessons": [str(world.text.uid)], "section": str(world.section.uid), "position": 1},
    ),
    Row("studio_course_copy", "staff of the course", _the_course, body=lambda _: {"key": str(uuid4())}),
    Row("studio_downloads", "staff of the course", lambda world: world.text.uid),
    Row("studio_download_add", "staff of the course", lambda world: world.text.uid, body=lambda _: {}, also=404),
    Row(
        "studio_download_move",
        "staff of the course",
        lambda world: world.text.uid,
        body=lambda _: {"position": 1},
        also=404,
    ),
    Row("studio_download_remove", "staff of the course", lambda world: world.text.uid, also=404),
    Row("studio_captions", "staff of the course", _film),
    Row(
        "studio_captions_save",
        "staff of the course",
        _film,
        body=lambda _: {"client": "tab", "since": 0, "base": "", "cues": []},
    ),
    Row("studio_captions_discard", "staff of the course", _film),
    Row(
        "studio_captions_publish",
        "staff of the course",
        _film,
        body=lambda _: {"revision": 0},
        also=422,
    ),
    Row(
        "studio_captions_read",
        "staff of the course",
        _film,
        body=lambda _: CAPTION_FORM,
        kind="multipart/form-data; boundary=part",
    ),
    Row(
        "studio_chapters_save",
        "staff of the course",
        lambda world: world.video_lesson.uid,
        body=lambda _: {"chapters": [], "before": []},
    ),
    Row("studio_lesson", "staff of the course", lambda world: world.text.uid),
    Row(
        "studio_lesson_save",
        "staff of the course",
        lambda world: world.text.uid,
        body=lambda _: {"client": "tab", "fields": {"title": {"value": "Deltas", "base": ""}}},
    ),
    Row("authoring_files", "staff of the course", _course),
    Row(
        "authoring_file_add",
        "staff of the course",
        _course,
        body=lambda _: {"upload": "0f8fad5b-d9cb-469f-a165-70867728950e"},
        also=404,
    ),
    Row("question_import_check", "staff of the course", _course, body=lambda _: {"text": "Rivers bend. {T}"}),
    Row("question_import", "staff of the course", lambda world: QuestionImportFactory(course=world.course).uid),
    Row("question_import_run", "staff of the course", lambda world: QuestionImportFactory(course=world.course).uid),
    Row(
        "question_import_undo",
        "staff of the course",
        lambda world: QuestionImportFactory(course=world.course, imported_at=timezone.now()).uid,
    ),
    Row(
        "question_preview", "staff of the course", body=lambda world: {"course": world.course.slug, "form": "kind=text"}
    ),
    Row("question_preview_mark", "teaching", body=lambda _: {"draft": "forged"}, also=400),
    Row("content_preview", "teaching", body=lambda _: {"place": "lesson", "text": "*a*"}),
    Row("content_convert", "teaching", body=lambda _: {"html": "<p>a"}),
    Row("authoring_picture", "staff of the course", _course),
    Row("authoring_picture_set", "staff of the course", _course, body=lambda _: {"alt": "Halves"}, also=400),
    Row("authoring_picture_remove", "staff of the course", _course),
    Row("learning_enrollments", "signed-in"),
    Row("learning_enroll", "signed-in", body=lambda world: {"course": world.course.slug}, also=409),
    Row("learning_outline", "everyone", _course),
    Row("learning_paths", "everyone"),
    Row("learning_path", "everyone", lambda world: put_in(LearningPathFactory(), world.course).slug),
    Row("learning_bookmark", "signed-in", _course),
    Row("learning_unbookmark", "signed-in", _course),
    Row("learning_rate", "enrolled", _course, body=lambda _: {"stars": 4}),
    Row("learning_player", "as the lesson", lambda world: world.video_lesson.uid),
    Row("learning_save_progress", "enrolled", lambda world: world.video_lesson.uid, body=lambda _: {"position": 3}),
    Row("learning_notes", "enrolled", lambda world: world.video_lesson.uid),
    Row(
        "learning_save_note",
        "enrolled",
        lambda world: world.video_lesson.uid,
        body=lambda _: {
            "kind": "note",
            "second": 3,
            "edits": [{"key": "testing1", "revision": 1, "at": 1, "text": "A", "is_deleted": False}],
            "replaced": [],
        },
    ),
    Row("learning_complete_lesson", "enrolled", lambda world: world.text.uid),
    Row("learning_quiz", "as the lesson", lambda world: world.quiz.uid),
    Row("learning_open_attempt", "enrolled", lambda world: world.quiz.uid),
    Row("learning_attempt", "its learner alone", lambda world: world.attempt.uid),
    Row(
        "learning_submit_attempt", "its learner alone", lambda world: world.attempt.uid, body=lambda _: {"answers": {}}
    ),
    Row("teaching_exceptions", "teaching"),
    Row(
        "teaching_extra_time", "staff of the course", body=lambda world: _granted(world) | {"quiz": None, "minutes": 5}
    ),
    Row("teaching_extra_attempts", "staff of the course", body=lambda world: _granted(world) | {"count": 1}, also=409),
    Row("teaching_reopen", "staff of the course", body=lambda world: _granted(world) | {"minutes": 5}, also=409),
    Row("teaching_exception_end", "staff of the course", lambda world: _exception(world).uid),
    Row("learning_practice", "signed-in"),
    Row("learning_practice_answer", "its learner alone", lambda world: world.practice_card.uid, body=lambda _: {}),
    Row(
        "learning_practice_review",
        "its learner alone",
        lambda world: world.practice_card.uid,
        body=lambda world: {"key": str(world.attempt.uid), "turn": 0, "rating": 3},
    ),
    Row("learning_offline_devices", "signed-in"),
    Row("learning_register_offline_device", "signed-in", body=lambda _: {"name": "Firefox on Android"}),
    Row("learning_open_offline_device", "its learner alone", _device),
    Row("learning_remove_offline_device", "its learner alone", _device),
    Row("learning_check_in", "its learner alone", _device, body=lambda world: {"lessons": [str(world.text.uid)]}),
    Row("learning_store_lesson", "its learner alone", _device, body=lambda _: {}),
    Row("learning_take_changes", "its learner alone", _device, body=lambda _: {"changes": []}),
    Row("learning_storable_course", "signed-in", _course),
    Row("learning_offline_shell", "everyone"),
    Row("learning_offline_practice", "signed-in"),
    Row("learning_certificates", "signed-in"),
    Row("forum_preview", "signed-in", body=lambda _: {"source": "**Ebb**"}),
    Row("forum_people", "signed-in"),
    Row("forum_topic_links", "signed-in"),
    Row("forum_similar", "signed-in"),
    Row("forum_draft", "signed-in", lambda _: "new"),
    Row(
        "forum_draft_save",
        "signed-in",
        lambda _: "new",
        body=lambda _: {"source": "a", "written_at": "2026-01-01T00:00:00Z"},
    ),
    Row("forum_draft_discard", "signed-in", lambda _: "new"),
    Row("forum_boards", "everyone"),
    Row("forum_board_follow", "signed-in", lambda world: world.topic.board.slug, body=lambda _: {"level": "watching"}),
    Row("forum_read", "signed-in"),
    Row("forum_topics", "everyone", lambda _: "latest"),
    Row(
        "forum_topic_open",
        "learners and staff",
        body=lambda world: {
            "board": world.topic.board.slug,
            "kind": "question",
            "title": "Why do deltas fork?",
            "source": "So?",
        },
    ),
    Row("forum_topic", "everyone", lambda world: world.topic.pk),
    Row("forum_topic_edit", "its author, or staff", lambda world: world.topic.pk, body=lambda _: {"title": "Deltas"}),
    Row("forum_posts", "everyone", lambda world: world.topic.pk),
    Row("forum_reply", "learners and staff", lambda world: world.topic.pk, body=lambda _: {"source": "Because."}),
    Row("forum_topic_follow", "signed-in", lambda world: world.topic.pk, body=lambda _: {"level": None}),
    Row("forum_topic_read", "signed-in", lambda world: world.topic.pk, body=lambda _: {"number": 1}),
    Row(
        "forum_topic_merge",
        "staff of the course",
        lambda world: world.topic.pk,
        body=lambda world: {"into": world.other_topic.pk},
    ),
    Row(
        "forum_topic_split",
        "staff of the course",
        lambda world: world.topic.pk,
        body=lambda world: {"posts": [world.reply.pk], "title": "Forks"},
    ),
    Row("forum_post", "everyone", lambda world: world.reply.pk),
    Row(
        "forum_post_edit",
        "its author, or staff",
        lambda world: world.reply.pk,
        body=lambda _: {"source": "Silt.", "edits": 0},
    ),
    Row("forum_post_delete", "its author, or staff", lambda world: world.reply.pk),
    Row("forum_post_restore", "its author, or staff", lambda world: world.deleted_reply.pk),
    Row(
        "forum_post_vote",
        "learners and staff, not its author",
        lambda world: world.reply.pk,
        body=lambda _: {"on": True},
    ),
    Row(
        "forum_post_react",
        "learners and staff, not its author",
        lambda world: world.reply.pk,
        body=lambda _: {"kind": "thanks", "on": True},
    ),
    Row("forum_post_accept", "its author, or staff", lambda world: world.reply.pk, body=lambda _: {"on": True}),
    Row(
        "forum_post_report", "everyone but its author", lambda world: world.reply.pk, body=lambda _: {"reason": "spam"}
    ),
    Row("forum_queue", "teaching"),
    Row(
        "forum_decide",
        "staff of the course",
        lambda world: world.reply.pk,
        body=lambda _: {"action": "hide", "reason": "Off topic"},
    ),
    Row("tutor_status", "signed-in"),
    Row("tutor_suggestions", "signed-in"),
    Row("tutor_chats", "signed-in"),
    Row("tutor_chat_start", "signed-in", body=lambda _: {"question": "So?", "key": KEY}),
    Row("tutor_chat", "its learner alone", _chat),
    Row("tutor_chat_change", "its learner alone", _chat, body=lambda _: {"title": "Deltas"}),
    Row("tutor_chat_delete", "its learner alone", _chat),
    Row("tutor_chat_restore", "its learner alone", _chat),
    Row("tutor_chat_export", "its learner alone", _chat),
    Row("tutor_ask", "its learner alone", _chat, body=lambda _: {"question": "So?", "key": KEY}),
    Row(
        "tutor_exchange_edit",
        "its learner alone",
        lambda world: world.chat_answer.exchange.uid,
        body=lambda _: {"question": "So?", "key": KEY},
    ),
    Row("tutor_ask_again", "its learner alone", lambda world: world.chat_answer.exchange.uid),
    Row("tutor_answer", "its learner alone", _answer),
    Row("tutor_answer_continue", "its learner alone", _answer),
    Row("tutor_answer_stop", "its learner alone", _answer),
    Row("tutor_answer_rate", "its learner alone", _answer, body=lambda _: {"rating": 1}),
    Row("tutor_answer_cards", "its learner alone", _answer, body=lambda _: {"cards": [0]}),
    Row("samples_todos", "everyone"),
    Row("samples_todo_add", "everyone", body=lambda _: {"title": "Deltas"}),
    Row("samples_todo_change", "everyone", lambda _: STARTERS[0][0], body=lambda _: {"is_done": False}),
    Row("samples_todo_delete", "everyone", lambda _: STARTERS[0][0]),
    Row("samples_shared_todos", "everyone"),
    Row("samples_shared_todo_add", "everyone", body=lambda _: {"title": "Deltas"}),
    Row("samples_shared_todo_change", "everyone", lambda _: SHARED, body=lambda _: {"is_done": False}),
    Row("samples_shared_todo_delete", "everyone", lambda _: SHARED),
    Row("samples_names", "everyone"),
    Row("learning_certificate", "everyone", lambda world: world.certificate.code),
]
SAMPLES = {row.operation for row in TABLE if row.operation.startswith("samples_")}
# An expired token is refused even where visitors are allowed, except for signing in and out, and where no one signs in.
STALE_BEARER = {"auth_login", "auth_passkey_options", "auth_logout"} | SAMPLES
# Methods that the schema generator omits.
BESIDES = {"files_upload_offset": ("head", "/api/v1/uploads/{uid}/")}


@cache
def operations() -> dict[str, tuple[str, str]]:
    """Method and address of every operation, from the code itself."""
    schema = SchemaGenerator().get_schema(public=True, request=None)
    found = {
        operation["operationId"]: (method, path)
        for path, methods in schema["paths"].items()
        for method, operation in methods.items()
    }
    return found | BESIDES


@dataclass(frozen=True)
class Credentials:
    cookie: str = ""
    token: str = ""
    # One for all browsers of these credentials: it loads the middleware at its first call.
    handler: ClientHandler = field(default_factory=lambda: ClientHandler(enforce_csrf_checks=False))

    def browser(self, way: str) -> Client:
        """A new browser, so that no call affects the cookies of the next."""
        is_bearer = way == "bearer" and self.token
        browser = Client(headers={"Authorization": f"Bearer {self.token}"} if is_bearer else None)
        browser.handler = self.handler
        if self.cookie and not is_bearer:
            browser.cookies["sessionid"] = self.cookie
        return browser


@pytest.fixture
def credentials_of(browser_as: Callable[[str], Client]) -> Callable[[str], Credentials]:
    def give(person: str) -> Credentials:
        browser = browser_as(person)
        if "sessionid" not in browser.cookies:
            return Credentials()
        user = User.objects.get(username="mia" if person == "expired" else person)
        session = BrowserSession.objects.of(user).get()
        return Credentials(browser.cookies["sessionid"].value, tokens.issue(user, session.uid))

    return give


@dataclass(frozen=True)
class Outcome:
    status: int
    writes: list[str]
    is_same: bool  # the protected objects are unchanged


def call(browser: Client, row: Row, world: World, extra: dict[str, Any] | None = None) -> Outcome:
    """Make the call, see what it wrote, and roll it back."""
    method, path = operations()[row.operation]
    if row.thing is not None:
        path = path.replace("{number}", "1").replace("{note}", "7d3c9f0e-58a4-4b62-9a3f-1f6f0c2f4d11")
        path = path.replace("{section}", str(world.section.uid)).replace("{lesson}", str(world.text.uid))
        if path.endswith("findings/{key}/"):
            path = path.replace("{key}", next(one.key for one in find_all(world.course) if not one.is_required))
        path = path.replace("{download}", str(uuid4())).replace("{language}", "de")
        if "{change}" in path:
            path = path.replace("{change}", str(_change(world).uid))
        path = path.split("{")[0] + str(row.thing(world)) + path.split("}")[1]
    body = row.body(world) if row.body else None
    data = body if isinstance(body, bytes) else json.dumps((extra or {}) | (body or {}))
    before = protected_values() if extra else {}
    sends = {} if method in {"get", "head"} else {"data": data, "content_type": row.kind}
    with transaction.atomic(), CaptureQueriesContext(connection) as seen:
        answer = getattr(browser, method)(path, headers=row.headers, **sends)
        after = protected_values() if extra else {}
        transaction.set_rollback(True)
    is_same = {key: row for key, row in after.items() if key in before} == before
    writes = [one["sql"] for one in seen.captured_queries if one["sql"].startswith(("INSERT", "UPDATE", "DELETE"))]
    if writes:
        clear_caches()  # caches may contain rows that were rolled back
    return Outcome(answer.status_code, writes, is_same)


def offences(row: Row, person: str, way: str, found: Outcome) -> Iterator[str]:
    is_dead = person in {"expired", "ben"} and way == "bearer" and row.operation not in STALE_BEARER
    if person in AUDIENCES[row.who] and not is_dead:
        if found.status >= 300 and found.status != row.also:
            yield f"{found.status}, but they may"
        return
    expected = {401} if person in OUT else {403, 404}
    if "its author" in row.who:  # its author sees that it is their own
        expected |= {409}
    if found.status not in expected:
        yield f"{found.status}, but only {row.who}"
    if found.writes:
        yield f"refused, and wrote: {found.writes[0][:120]}"


@pytest.mark.parametrize("person", [pytest.param(one, marks=pytest.mark.long if one in LONG else ()) for one in PEOPLE])
def test_each_call_allows_only_its_users(
    person: str, credentials_of: Callable[[str], Credentials], world: World, zoe: User
) -> None:
    credentials = credentials_of(person)
    wrong = [
        f"{row.operation} ({way}): {offence}"
        for row in TABLE
        for way in (("cookie", "bearer") if credentials.token else ("cookie",))
        for offence in offences(row, person, way, call(credentials.browser(way), row, world))
    ]

    assert not wrong, f"{person}:\n" + "\n".join(wrong)


@pytest.mark.parametrize("person", ["visitor", "mia", "eve"])
def test_hidden_course_answers_404_to_others(
    person: str, credentials_of: Callable[[str], Credentials], world: World
) -> None:
    Course.objects.filter(pk=world.course.pk).update(status=Course.Status.DRAFT, published_at=None)
    world.course.refresh_from_db()
    credentials = credentials_of(person)
    rows = [row for row in TABLE if row.operation.startswith(("authoring_", "learning_")) and row.thing]
    rows += [row for row in TABLE if row.operation == "learning_enroll"]
    wrong = []
    for row in rows:
        if row.operation in {"learning_certificate", "learning_path"}:
            continue  # a certificate stays valid after its course is hidden, and a path leaves the course out
        found = call(credentials.browser("cookie"), row, world)
        closed = {401, 404} if person in OUT else {404}
        if found.status not in closed or found.writes:
            wrong.append(f"{row.operation}: {found.status}, {len(found.writes)} writes")

    assert len(rows) > 15
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("operation", "thing", "body"),
    [
        ("authoring_lesson_add", "course", lambda world: {"section": str(world.section.uid), "kind": "text"}),
        ("authoring_lesson_move", "lesson", lambda world: {"section": str(world.section.uid), "position": 1}),
        ("authoring_lesson_video", "lesson", lambda world: {"video": str(world.video.uid)}),
        ("authoring_lesson_video", "lesson", lambda world: {"video": str(world.arriving.uid)}),
    ],
)
def test_object_of_another_user_in_the_body_is_refused(
    operation: str,
    thing: str,
    body: Callable[[World], Any],
    world: World,
    eve: User,
    credentials_of: Callable[[str], Credentials],
) -> None:
    section = SectionFactory(course=CourseFactory(instructor=eve))
    own = {"course": section.course.slug, "lesson": LessonFactory(section=section, kind="video").uid}
    row = Row(operation, "signed-in", lambda _: own[thing], body=body)

    found = call(credentials_of("eve").browser("cookie"), row, world)

    assert (found.status, found.writes) == (404, [])


def test_upload_cannot_replace_the_video_of_another_user(
    world: World, credentials_of: Callable[[str], Credentials]
) -> None:
    foreign = "replaces " + base64.b64encode(str(world.video.uid).encode()).decode()
    headers = BEGUN | {"Upload-Metadata": f"{PURPOSE['video']},{foreign}"}
    row = Row("files_upload_begin", "teaching", headers=headers, **NO_BYTES)

    found = call(credentials_of("eve").browser("cookie"), row, world)

    assert (found.status, found.writes) == (404, [])


def test_unknown_fields_of_a_call_are_ignored(
    world: World, zoe: User, eve: User, credentials_of: Callable[[str], Credentials]
) -> None:
    """Unknown fields in a body make nobody an admin, verified, or the owner of Ada's objects."""
    credentials = {person: credentials_of(person) for person in ("leo", "ada")}
    removing = {"files_video_delete", "files_upload_cancel"}
    course = Course.objects.filter(pk=world.course.pk)
    wrong, tried = [], 0
    for row in TABLE:
        if operations()[row.operation][0] in {"get", "head"} or row.operation in removing:
            continue
        if row.operation.startswith(
            ("authoring_", "studio_", "question_")
        ):  # a published course isn't changed in place
            course.update(status=Course.Status.DRAFT, published_at=None)
        else:
            course.update(status=world.course.status, published_at=world.course.published_at)
        person = GETS_IN.get(row.who, "ada")
        found = call(credentials[person].browser("cookie"), row, world, forbidden_fields(eve))
        tried += 1
        if not found.is_same or (found.status >= 300 and found.status != row.also):
            wrong.append(f"{row.operation}: {found.status}, {'kept' if found.is_same else 'CHANGED'}")

    assert tried > 20
    assert not wrong, "\n".join(wrong)


# --- The table is complete ------------------------------------------------------------------------


def test_each_operation_is_in_the_table() -> None:
    declared = {row.operation for row in TABLE}

    assert set(operations()) - declared == set(), "say in TABLE who may"
    assert declared - set(operations()) == set(), "no longer an operation"


def test_the_schema_shows_every_method_of_every_call() -> None:
    """A method missing from the schema would not be tested."""
    shown = {(method, path.rstrip("/")) for method, path in operations().values()}
    hidden = []
    for door in calls():
        view: Any = door.view
        if not view.__module__.startswith(("apps.", "studyplatform.")):
            continue
        methods = getattr(view, "actions", None) or [
            name for name in view.cls.http_method_names if name != "options" and hasattr(view.cls, name)
        ]
        methods = [one for one in methods if one != "head" or "get" not in methods or view.cls.__dict__.get("head")]
        path = _as_in_the_schema(door.address)
        hidden += [f"{one} {path}" for one in methods if (one, path.rstrip("/")) not in shown]

    assert not hidden, "\n".join(hidden)


def _as_in_the_schema(address: str) -> str:
    parts = [f"{{{part[1:-1].split(':')[-1]}}}" if part.startswith("<") else part for part in address.split("/")]
    return "/".join(parts)


def test_each_call_declares_its_permission() -> None:
    silent = [
        door.address
        for door in calls()
        if not (view := door.view_class)
        or not view.permission_classes
        or not all(isinstance(one, type) and issubclass(one, BasePermission) for one in view.permission_classes)
        or {one.__name__ for one in view.permission_classes} == {"DenyAll"}
    ]

    assert not silent, "\n".join(silent)


@pytest.mark.parametrize("way", ["cookie", "bearer"])
def test_call_with_a_session_cookie_needs_a_csrf_token(
    way: str, world: World, zoe: User, credentials_of: Callable[[str], Credentials]
) -> None:
    """Another site can send the cookie, but neither the CSRF token nor the bearer token."""
    wrong, tried = [], 0
    credentials = {person: credentials_of(person) for person in ("leo", "ada")}
    for row in TABLE:
        if operations()[row.operation][0] in {"get", "head"}:
            continue
        browser = credentials[GETS_IN.get(row.who, "ada")].browser(way)
        browser.handler.enforce_csrf_checks = True
        found = call(browser, row, world)
        tried += 1
        refused = found.status == 403 and not found.writes
        # A user who is signing in has no bearer token yet, and samples read none, so these can only use the CSRF token.
        if refused != (way == "cookie" or row.operation in {"auth_login", "auth_passkey_options"} | SAMPLES):
            wrong.append(f"{row.operation}: {found.status}, {len(found.writes)} writes")

    assert tried > 20
    assert not wrong, "\n".join(wrong)
