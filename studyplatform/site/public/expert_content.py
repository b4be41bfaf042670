"""What an outside expert sends and fetches at a link: comments, and the media and files of the course it shows."""

import contextlib
from uuid import UUID

from django.db.models import Q
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from apps.accounts.guards import open_to_everyone
from apps.courses import services
from apps.courses.errors.review import ReviewVersionOutdated
from apps.courses.models import Course, CourseFile, Lesson, ReviewComment, ReviewGuest, ReviewLink, ReviewThread
from apps.courses.queries import review_threads
from apps.courses.queries.course_files import rendition_for
from apps.files import services as files
from studyplatform.kit.errors import NotFound, RateLimitExceeded, ValidationFailed
from studyplatform.kit.web.rate_limits import limits_address
from studyplatform.site.public.expert_addresses import ExpertAddresses
from studyplatform.site.public.expert_forms import AnswerForm, CommentForm
from studyplatform.site.public.expert_review import expert_page, opened_link

MEDIA_CACHE = "private, no-store"  # nothing stays in the browser once the link has ended


@open_to_everyone
@expert_page
@require_POST
@limits_address("review_page")
def expert_comment(request: HttpRequest, token: str) -> HttpResponse:
    """Comment on a place of the course."""
    link, guest, course = _opened(request, token)
    form = CommentForm(request.POST, request.FILES)
    lesson = None
    if form.is_valid():
        try:
            if form.cleaned_data["lesson"]:
                lesson = _lesson_of(course, form.cleaned_data["lesson"])
            thread = services.open_thread(
                course=course,
                writer=_writer(link, guest),
                said=form.said(),
                lesson=lesson,
                now=timezone.now(),
                at=form.cleaned_data["at"],
                about=form.cleaned_data["about"],
            )
        except (ValidationFailed, RateLimitExceeded) as refusal:
            form.refuse(refusal)
        else:
            return _back(token, thread, lesson)
    return _show_again(request, token, course, form, lesson=lesson)


@open_to_everyone
@expert_page
@require_POST
@limits_address("review_page")
def expert_answer(request: HttpRequest, token: str, uid: UUID) -> HttpResponse:
    """Answer in a thread in which somebody wrote at this link."""
    link, guest, course = _opened(request, token)
    thread = ReviewThread.objects.select_related("course__instructor").filter(uid=uid, comments__link=link).first()
    if thread is None:
        raise NotFound
    form = AnswerForm(request.POST, request.FILES)
    if form.is_valid():
        try:
            services.answer_thread(thread=thread, writer=_writer(link, guest), said=form.said(), now=timezone.now())
        except (ValidationFailed, RateLimitExceeded) as refusal:
            form.refuse(refusal)
        else:
            shown = Lesson.objects.filter(Q(uid=thread.lesson_uid) | Q(origin=thread.lesson_uid), course=course)
            return _back(token, thread, shown.first() if thread.lesson_uid else None)
    return _show_again(request, token, course, form, thread=thread)


@open_to_everyone
@expert_page
@require_safe
def expert_media(request: HttpRequest, token: str, uid: UUID, name: str) -> HttpResponseBase:
    """One file of a video of the course."""
    _link, _guest, course = _opened(request, token)
    lesson = Lesson.objects.select_related("video").filter(course=course, video__uid=uid).first()
    if lesson is None or lesson.video is None:
        raise NotFound
    return files.send_video_part(request, video=lesson.video, name=name, cache=MEDIA_CACHE)


@open_to_everyone
@expert_page
@require_safe
def expert_file(request: HttpRequest, token: str, uid: UUID) -> HttpResponseBase:
    """A picture or another file that texts of the course show or offer."""
    _link, _guest, course = _opened(request, token)
    found = CourseFile.objects.select_related("upload").filter(uid=uid, course__in={course.pk, course.live_id}).first()
    if found is None:
        raise NotFound
    if rendition := rendition_for(found, request.GET.get("width", "")):
        with contextlib.suppress(NotFound):  # it is missing in storage: the original is shown
            return files.send_rendition(request, name=rendition, kind="image/webp", cache=MEDIA_CACHE)
    return files.send_attached(request, upload=found.upload, name=found.name, to_owner=False)


@open_to_everyone
@expert_page
@require_safe
def expert_lesson_file(request: HttpRequest, token: str, uid: UUID) -> HttpResponseBase:
    """The file of a file lesson."""
    _link, _guest, course = _opened(request, token)
    lesson = _lesson_of(course, uid)
    if lesson.file is None:
        raise NotFound
    return files.send_attached(request, upload=lesson.file, name=lesson.shown_file_name, to_owner=False)


@open_to_everyone
@expert_page
@require_safe
def expert_picture(request: HttpRequest, token: str, uid: UUID) -> HttpResponseBase:
    """The picture of a comment that the expert sees."""
    link, _guest, _course = _opened(request, token)
    comment = ReviewComment.objects.filter(uid=uid, thread__comments__link=link).first()
    if comment is None or not comment.picture_name:
        raise NotFound
    return files.send_rendition(request, name=comment.picture_name, kind="image/webp", cache=MEDIA_CACHE)


def _opened(request: HttpRequest, token: str) -> tuple[ReviewLink, ReviewGuest, Course]:
    """Return the link, who is there, and the course.

    :raises NotFound: no name was entered in this browser.
    :raises ReviewVersionOutdated: the version was published or discarded.
    """
    link, guest = opened_link(request, token, now=timezone.now())
    if guest is None:
        raise NotFound
    if link.shown_course is None:
        raise ReviewVersionOutdated
    return link, guest, link.shown_course


def _writer(link: ReviewLink, guest: ReviewGuest) -> services.Writer:
    return services.Writer(link=link, expert_name=guest.name)


def _lesson_of(course: Course, uid: UUID) -> Lesson:
    found = Lesson.objects.select_related("video", "quiz", "file").filter(course=course, uid=uid).first()
    if found is None:
        gone = _("The lesson was deleted meanwhile. If you send the comment again now, it is about the course page.")
        raise ValidationFailed(in_fields={"": [{"code": "deleted", "message": gone}]})
    return found


def _back(token: str, thread: ReviewThread, lesson: Lesson | None) -> HttpResponse:
    query = f"?lesson={lesson.slug}" if lesson else ""
    return redirect(f"{ExpertAddresses(token).page}{query}#t-{thread.uid}")


def _show_again(
    request: HttpRequest,
    token: str,
    course: Course,
    form: AnswerForm,
    *,
    thread: ReviewThread | None = None,
    lesson: Lesson | None = None,
) -> HttpResponse:
    to = ExpertAddresses(token)
    context = {
        "form": form,
        "thread": thread,
        "lesson": lesson,
        "rows": review_threads.rows_of([thread], course) if thread else [],
        "to": to,
        "back": f"{to.page}?lesson={lesson.slug}" if lesson else to.page,
    }
    return render(request, "site/expert_comment.html", context, status=422)
