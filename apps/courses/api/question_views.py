"""Files of questions by API: check one, read its report, import it, undo it."""

from typing import Any
from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import permissions, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.guards import signed_in_user
from apps.courses import policies, services
from apps.courses.api import question_serializers as shapes
from apps.courses.api.lookups import course_for
from apps.courses.errors import LectureUnavailable
from apps.courses.models import Course, Lesson, QuestionImport, Quiz
from studyplatform.kit.errors import NotFound
from studyplatform.kit.policies import enforce
from studyplatform.kit.web.api import validated
from studyplatform.kit.web.body_limits import KIB


class QuestionImports(APIView):
    permission_classes = [permissions.IsAuthenticated]
    body_limits = {"POST": 2048 * KIB}

    @extend_schema(
        operation_id="question_import_check", request=shapes.QuestionFileIn, responses={201: shapes.QuestionImportOut}
    )
    def post(self, request: Request, slug: str) -> Response:
        """Read a file of questions (GIFT, Aiken, Moodle XML, CSV) and answer its report. No question is written yet.

        A long file is "checking" at first: get it until that changes. Its import is "importing" likewise.
        """
        course, form = course_for(request, slug), validated(shapes.QuestionFileIn, request)
        enforce(policies.edit_course(signed_in_user(request), course))
        file = services.QuestionFile(
            raw=form["text"].encode(errors="replace"),
            name=form["name"],
            form=form["format"],
            tags=form["tags"],
            uses_categories=form["uses_categories"],
        )
        checked = services.start_check(
            quiz=_quiz(course, form.get("lesson")), by=signed_in_user(request), file=file, now=timezone.now()
        )
        return Response(_out(checked), status.HTTP_201_CREATED)


class OneQuestionImport(APIView):
    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(operation_id="question_import", responses={200: shapes.QuestionImportOut})
    def get(self, request: Request, uid: UUID) -> Response:
        """The report of a file."""
        return Response(_out(_import(request, uid)))

    @extend_schema(
        operation_id="question_import_run",
        request=shapes.QuestionImportRunIn,
        responses={200: shapes.QuestionImportOut},
    )
    def post(self, request: Request, uid: UUID) -> Response:
        """Import what can be imported, all of it or nothing. Doing it again changes nothing."""
        found, form = _import(request, uid), validated(shapes.QuestionImportRunIn, request)
        done = services.start_import(
            checked=found, by=signed_in_user(request), repeats=form["repeats"], now=timezone.now()
        )
        return Response(_out(done))

    @extend_schema(operation_id="question_import_undo", responses={200: shapes.QuestionImportOut})
    def delete(self, request: Request, uid: UUID) -> Response:
        """Undo an import: its questions are removed, except those changed since."""
        found = _import(request, uid)
        services.undo_import(done=found, by=signed_in_user(request), now=timezone.now())
        found.refresh_from_db(fields=["state"])
        return Response(_out(found))


def _quiz(course: Course, uid: UUID | None) -> Quiz:
    if uid is None:
        return services.open_bank(course=course)
    lesson = course.lessons.select_related("quiz").filter(uid=uid, kind=Lesson.Kind.QUIZ).first()
    if lesson is None:
        raise LectureUnavailable
    lesson.course = course
    lesson.quiz.lesson = lesson
    return lesson.quiz


def _import(request: Request, uid: UUID) -> QuestionImport:
    found = QuestionImport.objects.select_related("course").defer("source").filter(uid=uid).first()
    if found is None or policies.manage_course(signed_in_user(request), found.course) is not None:
        raise NotFound
    return found


def _out(found: QuestionImport) -> dict[str, Any]:
    return {
        "uid": found.uid,
        "state": found.state,
        "progress": found.progress,
        "problem": found.problem,
        "format": found.format,
        "notes": found.notes,
        "rows": found.rows,
        "questions": list(found.created),
    }
