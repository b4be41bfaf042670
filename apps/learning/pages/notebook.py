"""The notebook: all notes of a learner in a course, with search and export."""

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from apps.accounts.guards import signed_in, signed_in_user
from apps.accounts.models import User
from apps.courses.models import Course
from apps.learning.errors import NotEnrolled
from apps.learning.models import Note
from apps.learning.notes import markdown_export, pdf
from apps.learning.queries.lessons import find_course
from apps.learning.queries.notes import Rendering, notes_of_course
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
        "groups": _by_lesson(list(page.object_list)),
        "html": Rendering().shown,
    }
    return render(request, "learning/notebook.html", context)


def _by_lesson(notes: list[Note]) -> list[list[Note]]:
    """The notes in lists of one lesson each; those of a deleted lesson by its title."""
    groups: list[list[Note]] = []
    for note in notes:
        last = groups[-1][0] if groups else None
        same = last is not None and (last.lesson_id, last.lesson_title if last.lesson_id is None else "") == (
            note.lesson_id,
            note.lesson_title if note.lesson_id is None else "",
        )
        if same:
            groups[-1].append(note)
        else:
            groups.append([note])
    return groups


@signed_in
@require_GET
def as_markdown(request: HttpRequest, course: str) -> HttpResponse:
    """The whole notebook as a Markdown file."""
    user = signed_in_user(request)
    found = _course_of(user, course)
    text = markdown_export.write(found, _by_lesson(list(notes_of_course(user, found))))
    return _file(text.encode(), "text/markdown; charset=utf-8", f"{found.slug}-notes.md")


@signed_in
@require_GET
def as_pdf(request: HttpRequest, course: str) -> HttpResponse:
    """The whole notebook as a PDF.

    :raises NotesTooLong: there is too much for one document.
    """
    user = signed_in_user(request)
    found = _course_of(user, course)
    document = pdf.draw(found, _by_lesson(list(notes_of_course(user, found))), writer=user.display_name)
    return _file(document, "application/pdf", f"{found.slug}-notes.pdf")


def _file(content: bytes, content_type: str, name: str) -> HttpResponse:
    response = HttpResponse(content, content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["Cache-Control"] = "private, no-store"
    return response
