"""Export questions of a quiz or a question bank as a file for other programs."""

from collections.abc import Sequence
from uuid import UUID

from apps.accounts.models import User
from apps.courses import policies
from apps.courses.models import Course, CourseFile, Question
from apps.courses.question_export.facts import QuestionWithTags
from apps.courses.question_export.moodle_xml import EmbeddedContent
from apps.courses.question_export.writing import QuestionsFile, addresses_in, write_questions
from apps.files.services import read_content
from studyplatform.kit.errors import AppError
from studyplatform.kit.policies import enforce

MAX_EMBEDDED_BYTES = 14 * 2**20  # which Base64 makes a file that our import takes, too


def export_questions(
    *, course: Course, by: User, questions: Sequence[Question], form: str, is_for_report: bool = False
) -> QuestionsFile:
    """Return the file of these questions of a course, whose tags are loaded, with what it can't hold.

    ``form``: one of ``question_export.writing.FORMATS``. Moodle XML has the files that the texts show, up to
    `MAX_EMBEDDED_BYTES` together; those that don't fit stay addresses, as the report says. ``is_for_report``: the
    contents of files are not read.

    :raises CourseNotFound, NotCourseStaff: the user is not staff of the course.
    """
    enforce(policies.manage_course(by, course))
    files = _files_of(course, questions, is_read=not is_for_report) if form == "moodle_xml" else {}
    given = [QuestionWithTags(one, sorted(tag.name for tag in one.tags.all())) for one in questions]
    return write_questions(given, form, language=course.language, files=files)


def _files_of(course: Course, questions: Sequence[Question], *, is_read: bool) -> dict[str, EmbeddedContent]:
    addresses = dict.fromkeys(address for one in questions for address in sorted(addresses_in(one)))
    uids = {UUID(address.rpartition("/")[2]): address for address in addresses if _is_uid(address)}
    found = {one.uid: one for one in CourseFile.objects.filter(course=course, uid__in=uids).select_related("upload")}
    embedded: dict[str, EmbeddedContent] = {}
    room = MAX_EMBEDDED_BYTES
    for uid, address in uids.items():
        file = found.get(uid)
        if file is None or file.upload.length > room:
            continue
        raw = _content_of(file) if is_read else b"f"
        if raw:
            room -= file.upload.length
            embedded[address] = EmbeddedContent(file.name, raw)
    return embedded


def _is_uid(address: str) -> bool:
    try:
        UUID(address.rpartition("/")[2])
    except ValueError:
        return False
    return True


def _content_of(file: CourseFile) -> bytes:
    """Return the contents of a file, none if they can't be read now: the address stays in the text then."""
    try:
        return read_content(upload=file.upload, max_bytes=MAX_EMBEDDED_BYTES)
    except AppError:
        return b""
