"""Background jobs of courses."""

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from apps.courses import services
from apps.courses.models import Course, CourseFile, QuestionImport
from apps.courses.services.discarded import purge_discarded
from studyplatform.kit import jobs


def _about_file(payloads: Sequence[Mapping[str, Any]]) -> list[jobs.JobSubject | None]:
    uids = [str(payload.get("uid", "")) for payload in payloads]
    rows = CourseFile.objects.filter(uid__in=filter(None, uids)).values_list("uid", "name")
    names = {uid.hex: name for uid, name in rows}
    return [jobs.JobSubject(names[uid]) if uid in names else None for uid in uids]


@jobs.job("courses.render_file", label=_("Make a course picture in several sizes"), about=_about_file)
def render_file(running: jobs.Running, *, uid: str) -> None:
    services.render_file(uid=uuid.UUID(uid))


@jobs.job("courses.clean_files", label=_("Delete course files that no text uses, and old reports of imports"))
def clean_files(running: jobs.Running) -> None:
    now = timezone.now()
    services.clean_course_files(now=now)
    services.clean_question_imports(now=now)
    services.plan_next_cleaning(now=now)


jobs.PLANS.register("courses.clean_files", lambda now: services.plan_next_cleaning(now=now))


def _about_question_file(payloads: Sequence[Mapping[str, Any]]) -> list[jobs.JobSubject | None]:
    uids = [str(payload.get("uid", "")) for payload in payloads]
    rows = QuestionImport.objects.filter(uid__in=filter(None, uids)).values_list("uid", "file_name", "course__title")
    names = {uid.hex: name or title for uid, name, title in rows}
    return [jobs.JobSubject(names[uid]) if uid in names else None for uid in uids]


@jobs.job(
    "courses.check_questions",
    label=_("Check a file of questions"),
    about=_about_question_file,
    on_failure=lambda error, **payload: services.mark_check_failed(**payload),
    on_retry=lambda **payload: services.reopen_check(**payload),
)
def check_questions(running: jobs.Running, *, uid: str, language: str) -> None:
    services.continue_check(running, uid=uid, language=language)


@jobs.job(
    "courses.import_questions",
    label=_("Import a file of questions"),
    about=_about_question_file,
    on_failure=lambda error, **payload: services.mark_import_failed(error, **payload),
    on_retry=lambda **payload: services.reopen_import(**payload),
)
def import_questions(running: jobs.Running, *, uid: str, by: int, repeats: bool, language: str) -> None:
    services.continue_import(running, uid=uid, by=by, repeats=repeats, language=language)


@jobs.job("courses.purge_removed", label=_("Delete what was removed a month ago: lessons, discarded versions"))
def purge_removed(running: jobs.Running) -> None:
    now = timezone.now()
    services.plan_next_purge(now=now)
    services.purge_removed(now=now)
    purge_discarded(now=now)


jobs.PLANS.register("courses.purge_removed", lambda now: services.plan_next_purge(now=now))


def _about_course(payloads: Sequence[Mapping[str, Any]]) -> list[jobs.JobSubject | None]:
    uids = [str(payload.get("uid", "")) for payload in payloads]
    titles = dict(Course.with_working_copies.filter(uid__in=filter(None, uids)).values_list("uid", "title"))
    names = {str(uid): title for uid, title in titles.items()}
    return [jobs.JobSubject(names[uid]) if uid in names else None for uid in uids]


@jobs.job("courses.check_links", label=_("Check the links of a course"), about=_about_course)
def check_links(running: jobs.Running, *, uid: str) -> None:
    course = Course.with_working_copies.filter(uid=uuid.UUID(uid)).first()
    if course is not None:
        services.check_links(course=course, now=timezone.now(), extend_lease=running.extend_lease)


@jobs.job("courses.plan_link_checks", label=_("Plan the checks of links"))
def plan_link_checks(running: jobs.Running) -> None:
    now = timezone.now()
    services.plan_link_checks(now=now)
    services.plan_next_link_checks(now=now)


jobs.PLANS.register("courses.plan_link_checks", lambda now: services.plan_next_link_checks(now=now))
