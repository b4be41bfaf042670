"""Import a file of questions: send it, read the report, import, undo. Works without scripts."""

from collections import Counter
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST

from apps.accounts.guards import signed_in_user, teaches
from apps.accounts.policies import teach
from apps.courses import services
from apps.courses.errors import QuestionFileInvalid
from apps.courses.imports.reading import FORMATS
from apps.courses.models import Course, Question, QuestionImport
from apps.courses.pages.authoring import about
from apps.courses.pages.panel import ICONS
from apps.courses.pages.staffed import course_for_staff
from apps.courses.question_import_form import QuestionImportForm
from studyplatform.kit.errors import NotFound
from studyplatform.kit.text.sizes import as_size
from studyplatform.kit.web.body_limits import accepts_large_body

ROWS_PER_PAGE = 50
RECENT_IMPORTS = 10
State = QuestionImport.State
_KINDS = {kind.value: (kind.label, ICONS[kind]) for kind in Question.Kind}


@accepts_large_body(services.MAX_QUESTION_FILE_BYTES, by=teach)
@teaches
@require_http_methods(["GET", "HEAD", "POST"])
def question_imports(request: HttpRequest, slug: str) -> HttpResponse:
    """The form, with ``?into=`` a quiz or the bank, and the last imports. Sending it leads to the report."""
    course, user = course_for_staff(request, slug), signed_in_user(request)
    initial = {"into": request.GET.get("into", ""), "text": _pasted_before(request, course)}
    form = QuestionImportForm(request.POST or None, request.FILES or None, course=course, initial=initial)
    if request.method == "POST" and form.is_valid():
        try:
            checked = services.start_check(
                quiz=form.destination(), by=user, file=form.question_file(), now=timezone.now()
            )
        except QuestionFileInvalid as refusal:
            form.add_error("file" if form.cleaned_data["file"] else "text", refusal.detail)
        else:
            return redirect("courses:studio-import", course.slug, checked.uid)
    recent = QuestionImport.objects.filter(course=course).defer("source", "rows", "created")
    context = {
        **about(course, user),
        "form": form,
        "recent": recent.exclude(state__in=[State.CHECKED, State.FAILED])
        .select_related("quiz__lesson")
        .order_by("-created_at")[:RECENT_IMPORTS],
        "formats": FORMATS,
        "limit": as_size(services.MAX_QUESTION_FILE_BYTES),
    }
    status = 422 if form.is_bound and form.errors else 200
    return render(request, "courses/studio/question_import.html", context, status=status)


@teaches
@require_http_methods(["GET", "HEAD", "POST"])
def question_import(request: HttpRequest, slug: str, uid: UUID) -> HttpResponse:
    """The report of a file, row by row (``?show=`` a group of them). Posting imports what can be imported.

    While a job checks or imports a long file: its progress; the page loads itself again.
    """
    context: dict[str, Any]
    course, user = course_for_staff(request, slug), signed_in_user(request)
    found = _import(course, uid)
    if request.method == "POST":
        try:
            found = services.start_import(checked=found, by=user, repeats="repeats" in request.POST, now=timezone.now())
        except QuestionFileInvalid as refusal:
            messages.warning(request, refusal.detail)
            return redirect("courses:studio-imports", course.slug)
        if found.state != State.IMPORTED:  # a job works on it, or another tab has undone it meanwhile
            return redirect("courses:studio-import", course.slug, found.uid)
        count = len(found.created)
        messages.success(
            request, ngettext("%(count)d question imported.", "%(count)d questions imported.", count) % {"count": count}
        )
        return redirect("courses:studio-import", course.slug, found.uid)
    if found.state in {State.CHECKING, State.IMPORTING, State.FAILED}:
        context = {**about(course, user), "found": found, "lesson": found.quiz.lesson}
        status = 200 if found.state == State.FAILED else 202
        return render(request, "courses/studio/question_import_waiting.html", context, status=status)
    groups = _groups(found)
    shown = request.GET.get("show", "")
    rows = next((rows for name, _label, rows in groups if name == shown), found.rows)
    page = Paginator(rows, ROWS_PER_PAGE).get_page(request.GET.get("page"))
    counts = Counter(row["state"] for row in found.rows)
    context = {
        **about(course, user),
        "found": found,
        "lesson": found.quiz.lesson,
        "format": FORMATS.get(found.format, found.format),
        "groups": groups,
        "shown": shown,
        "page": page,
        "kinds": _KINDS,
        "ready": counts["ready"],
        "known": counts["known"],
        "changed": len([row for row in found.rows if row["state"] in {"ready", "imported"} and row["notes"]]),
    }
    return render(request, "courses/studio/question_import_report.html", context)


@teaches
@require_POST
def question_import_undo(request: HttpRequest, slug: str, uid: UUID) -> HttpResponse:
    """Take an import back: its questions go, unless somebody has changed or linked them."""
    course, user = course_for_staff(request, slug), signed_in_user(request)
    try:
        deleted, kept = services.undo_import(done=_import(course, uid), by=user, now=timezone.now())
    except QuestionFileInvalid as refusal:
        messages.warning(request, refusal.detail)
        return redirect("courses:studio-import", course.slug, uid)
    text = ngettext("%(count)d question removed.", "%(count)d questions removed.", deleted) % {"count": deleted}
    if kept:
        text += " " + ngettext(
            "%(count)d was changed or linked since and stays.",
            "%(count)d were changed or linked since and stay.",
            kept,
        ) % {"count": kept}
    messages.success(request, text)
    return redirect("courses:studio-imports", course.slug)


def _pasted_before(request: HttpRequest, course: Course) -> str:
    """Return the text of ``?again=``, a file that was pasted and can't be imported: it can be mended here."""
    try:
        uid = UUID(request.GET.get("again", ""))
    except ValueError:
        return ""
    found = QuestionImport.objects.filter(course=course, uid=uid, state=State.FAILED, file_name="").first()
    return services.stored_text(found) if found is not None else ""


def _groups(found: QuestionImport) -> list[tuple[str, str, list[dict[str, Any]]]]:
    """Return the rows by what becomes of them; without groups that are empty."""
    states = {
        "ready": _("Ready") if found.state == State.CHECKED else _("Imported"),
        "known": _("Already there"),
        "intro": _("Texts"),
        "refused": _("Not imported"),
    }
    groups = []
    for state, label in states.items():
        rows = [row for row in found.rows if row["state"] == state or (state, row["state"]) == ("ready", "imported")]
        if rows:
            groups.append((state, label, rows))
    return groups


def _import(course: Course, uid: UUID) -> QuestionImport:
    rows = QuestionImport.objects.select_related("quiz__lesson", "course").filter(course=course, uid=uid)
    found = rows.defer("source").first()  # megabytes, and the page of a job loads itself every two seconds
    if found is None:
        raise NotFound
    found.course = course
    return found
