"""The comments on a course: read, answered, resolved and exported by its staff."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from apps.accounts.guards import signed_in_user, teaches
from apps.accounts.policies import teach
from apps.courses import policies, services
from apps.courses.models import Course, Lesson, ReviewComment, ReviewThread, Right
from apps.courses.pages.authoring import about
from apps.courses.pages.staffed import course_for_staff
from apps.courses.queries import authoring, review_threads
from apps.courses.queries.review_places import name_place
from apps.courses.queries.review_threads import Addresses
from apps.courses.review_forms import AnswerForm, CommentForm
from apps.files import services as files
from studyplatform.kit.errors import NotFound, RateLimitExceeded, ValidationFailed
from studyplatform.kit.text.csv_lines import csv_line
from studyplatform.kit.text.lists import list_names
from studyplatform.kit.web.body_limits import accepts_large_body
from studyplatform.kit.web.csv_response import csv_response
from studyplatform.kit.web.requests import safe_next

PAGE_SIZE = 20
STATES = ("open", "resolved", "all")
CACHE = "private, max-age=31536000, immutable"  # the picture of a comment never changes


@teaches
@require_safe
def review(request: HttpRequest, slug: str) -> HttpResponse:
    """The comments on the course, those that are open first, and the history of its submissions."""
    course = course_for_staff(request, slug)
    counts = review_threads.count_by_state(course)
    state = request.GET.get("state", "")
    state = state if state in STATES else "open" if counts["open"] else "all"
    submission = _uid_in(request.GET.get("submission", ""))
    named = _uid_in(request.GET.get("thread", ""))
    threads = review_threads.find_threads(course, state="" if named else state, submission=submission)
    if named:
        threads = threads.filter(uid=named)
    page = Paginator(threads, PAGE_SIZE).get_page(request.GET.get("page"))
    history = list(authoring.history_of(course.live)[:PAGE_SIZE])
    context = {
        **about(course, signed_in_user(request)),
        "page": page,
        "rows": review_threads.rows_of(page.object_list, getattr(course, "working_copy", course)),
        "counts": counts,
        "state": state,
        "submission": submission,
        "named": named,
        "history": history,
        "threads_of": review_threads.count_by_submission(history),
        "may_invite": policies.has_right(signed_in_user(request), course, Right.EDIT),
        "to": Addresses(course),
        "back": request.get_full_path(),
    }
    return render(request, "courses/studio/review.html", context)


@accepts_large_body(services.MAX_REVIEW_PICTURE_BYTES, by=teach)
@teaches
@require_POST
def comment_add(request: HttpRequest, slug: str) -> HttpResponse:
    """Comment on a place of the course, and lead back to where it was written."""
    course, user = course_for_staff(request, slug), signed_in_user(request)
    form = CommentForm(request.POST, request.FILES)
    if form.is_valid():
        try:
            thread = services.open_thread(
                course=course,
                writer=services.Writer(user=user),
                said=_said(form),
                lesson=_lesson_of(course, form.cleaned_data["lesson"]),
                now=timezone.now(),
                **form.place(),
            )
        except (ValidationFailed, RateLimitExceeded) as refusal:
            form.refuse(refusal)
        else:
            return _back(request, course, thread)
    return _show_again(request, course, form)


@accepts_large_body(services.MAX_REVIEW_PICTURE_BYTES, by=teach)
@teaches
@require_POST
def comment_answer(request: HttpRequest, slug: str, uid: UUID) -> HttpResponse:
    """Answer in a thread."""
    course, user = course_for_staff(request, slug), signed_in_user(request)
    thread = _thread_of(course, uid)
    form = AnswerForm(request.POST, request.FILES)
    if form.is_valid():
        try:
            services.answer_thread(
                thread=thread, writer=services.Writer(user=user), said=_said(form), now=timezone.now()
            )
        except (ValidationFailed, RateLimitExceeded) as refusal:
            form.refuse(refusal)
        else:
            return _back(request, course, thread)
    return _show_again(request, course, form, thread)


@teaches
@require_POST
def thread_state(request: HttpRequest, slug: str, uid: UUID) -> HttpResponse:
    """Resolve a thread, or reopen it."""
    course, user = course_for_staff(request, slug), signed_in_user(request)
    thread = _thread_of(course, uid)
    if "reopen" in request.POST:
        services.reopen_thread(thread=thread, by=user, now=timezone.now())
    else:
        services.resolve_thread(thread=thread, by=user, now=timezone.now())
    return _back(request, course, thread)


@teaches
@require_safe
def comment_picture(request: HttpRequest, slug: str, uid: UUID) -> HttpResponseBase:
    """The picture of a comment."""
    course = course_for_staff(request, slug)
    comment = ReviewComment.objects.filter(uid=uid, thread__course=course.live).first()
    if comment is None or not comment.picture_name:
        raise NotFound
    return files.send_rendition(request, name=comment.picture_name, kind="image/webp", cache=CACHE)


@teaches
@require_safe
def comments_csv(request: HttpRequest, slug: str) -> StreamingHttpResponse:
    """All comments on the course, one a line."""
    course = course_for_staff(request, slug)
    return csv_response(request, f"comments-{course.slug}.csv", _lines(course))


def _lines(course: Course) -> Iterator[str]:
    yield csv_line(
        [
            _("Thread"), _("Place"), _("Lesson"), _("Quotation"), _("Required change"), _("State"), _("Resolved by"),
            _("Submission"), _("Written at"), _("Written by"), _("Comment"), _("Picture"),
        ]
    )  # fmt: skip
    for thread in review_threads.find_threads(course).order_by("opened_at", "pk").iterator(chunk_size=500):
        for comment in thread.comments.all():
            yield csv_line([
                thread.uid,
                name_place(thread),
                f"{thread.lesson_number} {thread.lesson_title}".strip(),
                thread.quote,
                _("Yes") if thread.is_required else _("No"),
                _("Resolved") if thread.is_resolved else _("Open"),
                thread.resolved_by.display_name if thread.resolved_by else "",
                f"{thread.submission.submitted_at:%Y-%m-%d %H:%M}" if thread.submission else "",
                f"{comment.written_at:%Y-%m-%d %H:%M}",
                comment.author.display_name if comment.author else comment.expert_name,
                comment.text,
                _("Yes") if comment.picture_key else _("No"),
            ])  # fmt: skip


def _said(form: AnswerForm) -> services.Said:
    given = form.cleaned_data
    return services.Said(uid=given["uid"], text=given["text"], picture=given["picture"])


def _lesson_of(course: Course, uid: UUID | None) -> Lesson | None:
    """Return the lesson of the course as it is shown; None for the course page.

    :raises ValidationFailed: it was deleted meanwhile.
    """
    if uid is None:
        return None
    lesson = _versions_of(course).select_related("video", "quiz").filter(uid=uid).first()
    if lesson is None:
        gone = _("The lesson was deleted meanwhile. If you send the comment again now, it is about the course page.")
        raise ValidationFailed(in_fields={"": [{"code": "deleted", "message": gone}]})
    return lesson


def _versions_of(course: Course) -> QuerySet[Lesson]:
    """Return the lessons of the published course and of its working copy: the form stands on pages of both."""
    return Lesson.objects.filter(Q(course=course.live) | Q(course__next_version_of=course.live))


def _thread_of(course: Course, uid: UUID) -> ReviewThread:
    found = ReviewThread.objects.select_related("course__instructor")
    thread = found.filter(course=course.live, uid=uid).first()
    if thread is None:
        raise NotFound
    return thread


def _back(request: HttpRequest, course: Course, thread: ReviewThread) -> HttpResponse:
    """Lead back to the page on which the form stood, and say whom a mention doesn't reach."""
    _reached, others = services.split_mentions(course, request.POST.get("text", "")[:5_000])
    if others:
        names = list_names([f"@{name}" for name in others])
        messages.warning(request, _("These people don't see this course, so they weren't told: %s.") % names)
    default = reverse("courses:studio-review", args=[course.slug])
    address = safe_next(request, request.POST.get("back"), default).partition("#")[0]
    return redirect(f"{address}#t-{thread.uid}")


def _show_again(
    request: HttpRequest, course: Course, form: AnswerForm, thread: ReviewThread | None = None
) -> HttpResponse:
    """Show the form with what was written and what is wrong with it."""
    default = reverse("courses:studio-review", args=[course.slug])
    lesson = (
        _versions_of(course).select_related("quiz").filter(uid=form.cleaned_data["lesson"]).first()
        if form.cleaned_data.get("lesson")
        else None
    )
    context: dict[str, Any] = {
        "course": course,
        "form": form,
        "lesson": lesson,
        "thread": thread,
        "rows": review_threads.rows_of([thread], course) if thread else [],
        "to": Addresses(course),
        "back": safe_next(request, request.POST.get("back"), default),
    }
    return render(request, "courses/studio/review_comment.html", context, status=422)


def _uid_in(text: str) -> UUID | None:
    try:
        return UUID(text) if text else None
    except ValueError:
        return None
