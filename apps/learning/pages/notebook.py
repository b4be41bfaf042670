"""The notebook: all notes of a learner in a course, with search and export."""

from django.conf import settings
from django.core.paginator import Paginator
from django.http import FileResponse, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from apps.accounts.guards import signed_in, signed_in_user
from apps.accounts.models import User
from apps.courses.models import Course
from apps.learning import services
from apps.learning.errors import NotEnrolled, NotesPdfFailed
from apps.learning.models import NotebookDocument
from apps.learning.notes import markdown_export, pdf
from apps.learning.queries.lessons import find_course
from apps.learning.queries.notes import Rendering, group_by_lesson, notes_of_course
from studyplatform.kit.policies import enforce

PAGE = 40  # notes on a page
KINDS = {"note", "moment"}


def _course_of(user: User, slug: str) -> Course:
    course, standing = find_course(user, slug)
    enforce(NotEnrolled(course=course.title, slug=course.slug) if standing.enrollment is None else None)
    return course


@signed_in
@require_GET
def notebook(request: HttpRequest, course: str) -> HttpResponse:
    """All notes and moments of the learner in a course they are enrolled in, in the order of its lessons."""
    user = signed_in_user(request)
    found = _course_of(user, course)
    words = request.GET.get("q", "").replace("\x00", "").strip()[:100]
    kind = request.GET.get("kind", "")
    kind = kind if kind in KINDS else ""
    paginator = Paginator(notes_of_course(user, found, words, kind), PAGE)
    page = paginator.get_page(request.GET.get("page"))
    context = {
        "course": found,
        "words": words,
        "kind": kind,
        "page": page,
        "total": paginator.count,
        "groups": group_by_lesson(list(page.object_list)),
        "html": Rendering().shown,
    }
    return render(request, "learning/notebook.html", context)


@signed_in
@require_GET
def as_markdown(request: HttpRequest, course: str) -> HttpResponse:
    """The whole notebook as a Markdown file."""
    user = signed_in_user(request)
    found = _course_of(user, course)
    text = markdown_export.write(found, group_by_lesson(list(notes_of_course(user, found))))
    return _file(text.encode(), "text/markdown; charset=utf-8", f"{found.slug}-notes.md")


@signed_in
@never_cache
@require_GET
def as_pdf(request: HttpRequest, course: str) -> HttpResponseBase:
    """The whole notebook as a PDF. While a job makes that of a long one, a page that shows the progress.

    :raises NotesTooLong: there is too much for one document.
    :raises NotesPdfFailed: the document could not be made.
    """
    user = signed_in_user(request)
    found = _course_of(user, course)
    notes = list(notes_of_course(user, found))
    name = f"{found.slug}-notes.pdf"
    if pdf.estimate_cost(notes) <= pdf.MAX_REQUEST_MICROSECONDS:
        content = pdf.draw(found, group_by_lesson(notes), writer=user.display_name)
        return _file(content, "application/pdf", name)
    language = get_language() or settings.LANGUAGE_CODE
    document = services.request_document(user=user, course=found, notes=notes, language=language, now=timezone.now())
    if document.state == NotebookDocument.State.FAILED:
        raise NotesPdfFailed(slug=found.slug)
    if document.state == NotebookDocument.State.READY:
        return FileResponse(document.file.open("rb"), as_attachment=True, filename=name, content_type="application/pdf")
    return render(request, "learning/notebook_pdf.html", {"course": found, "document": document}, status=202)


def _file(content: bytes, content_type: str, name: str) -> HttpResponse:
    response = HttpResponse(content, content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["Cache-Control"] = "private, no-store"
    return response
