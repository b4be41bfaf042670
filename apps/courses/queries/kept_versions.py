"""What stored versions of courses need: removed lessons and questions, and files, so that they can be restored."""

from collections.abc import Collection, Iterable
from uuid import UUID

from apps.courses.content_tree import lessons_of, questions_of
from apps.courses.models import CourseFile, CourseVersion, Lesson, Question
from apps.courses.services.course_files import course_file_holds
from apps.courses.services.removed import lesson_holds, question_holds


def _uids_in_versions(courses: Collection[int]) -> set[str]:
    """Return the uids that the stored versions of these courses name. One query; trees are read one by one."""
    found: set[str] = set()
    kept = CourseVersion.objects.filter(course__in=courses, tree__isnull=False)
    for tree in kept.values_list("tree", flat=True).iterator(10) if courses else ():
        if tree is not None:
            rows: Iterable[dict[str, str]] = [*tree["files"], *lessons_of(tree), *questions_of(tree)]
            found |= {row["uid"] for row in rows}
    return found


@lesson_holds.registers("versions")
def lessons_in_versions(lessons: Collection[int]) -> set[int]:
    """Return those of the lessons that a stored version names. Two queries."""
    rows = list(Lesson.with_removed.filter(pk__in=lessons).values_list("pk", "uid", "course_id"))
    named = _uids_in_versions({course for _pk, _uid, course in rows})
    return {pk for pk, uid, _course in rows if str(uid) in named}


@question_holds.registers("versions")
def questions_in_versions(questions: Collection[int]) -> set[int]:
    """Return those of the questions that a stored version names. Two queries."""
    found = Question.with_removed.filter(pk__in=questions)
    rows = list(found.values_list("pk", "uid", "quiz__course_id", "quiz__lesson__course_id"))
    named = _uids_in_versions({bank or course or 0 for _pk, _uid, bank, course in rows})
    return {pk for pk, uid, _bank, _course in rows if str(uid) in named}


@course_file_holds.registers("versions")
def files_in_versions(files: Collection[UUID]) -> set[UUID]:
    """Return those of the files that a stored version names. Two queries."""
    courses = set(CourseFile.objects.filter(uid__in=files).values_list("course_id", flat=True))
    named = _uids_in_versions(courses)
    return {uid for uid in files if str(uid) in named}
