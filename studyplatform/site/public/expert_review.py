"""A course as an outside expert reads it by an expiring link, without an account.

The pages are never cached or indexed, and tell their address to no other site. Nothing of the course is shown before a
name was entered in this browser, so the preview of a chat app tells nothing. Each part of a video asks for the link
again, so a video ends with it.
"""

from collections.abc import Callable
from datetime import datetime
from functools import wraps
from typing import Any, Concatenate, ParamSpec

from csp.decorators import csp_update
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from apps.accounts.guards import open_to_everyone
from apps.courses import services
from apps.courses.models import Course, Lesson, ReviewGuest, ReviewLink
from apps.courses.queries import review_links, review_threads
from apps.courses.queries.authored_outline import outline_of
from apps.courses.queries.downloads import downloads_of
from apps.courses.queries.external_videos import external_video_of, policy_sources
from apps.courses.queries.review_places import choices_in
from apps.files.queries import caption_cues
from apps.learning.queries.lessons import lesson_at
from apps.learning.queries.player import player_out
from studyplatform.kit.errors import AppError
from studyplatform.kit.text import content
from studyplatform.kit.web.rate_limits import limits_address
from studyplatform.site.governing.quiz_reading import quiz_reading
from studyplatform.site.governing.reviews import player_within
from studyplatform.site.public.expert_addresses import ExpertAddresses
from studyplatform.site.public.expert_forms import NameForm

P = ParamSpec("P")
Page = Callable[Concatenate[HttpRequest, P], HttpResponseBase]


def expert_page(page: Page[P]) -> Page[P]:
    """Answer refusals with a page of their own, and keep the address out of caches, indexes and other sites."""

    @never_cache
    @wraps(page)
    def answered(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        try:
            answer = page(request, *args, **kwargs)
        except AppError as refusal:
            kept = request.POST.get("text", "")[: content.COMMENT.max_length]  # of a comment; nobody writes it twice
            template = "site/expert_ended.html" if kept else "errors/refused.html"
            answer = render(request, template, {"error": refusal, "kept": kept}, status=refusal.status)
        answer["X-Robots-Tag"] = "noindex, nofollow"
        # Not "no-referrer": browsers would then send forms with "Origin: null", which the CSRF check refuses.
        answer["Referrer-Policy"] = "same-origin"
        return answer

    return answered


def opened_link(request: HttpRequest, token: str, *, now: datetime) -> tuple[ReviewLink, ReviewGuest | None]:
    """Return the live link, and who has entered a name at it in this browser.

    :raises ReviewLinkNotFound, ReviewLinkExpired: it doesn't work any longer.
    """
    link = services.link_of_token(token, now=now)
    name = _cookie(link)
    uid = request.get_signed_cookie(name, default="", salt=name) or ""
    guest = link.guests.filter(uid=uid).first() if uid else None
    if guest is not None:
        services.note_guest(guest=guest, now=now)
    return link, guest


@open_to_everyone
@expert_page
@require_http_methods(["GET", "HEAD", "POST"])
@limits_address("review_page")
def expert(request: HttpRequest, token: str) -> HttpResponseBase:
    """The form for the name; then the course, with the open lesson (``?lesson=``), its solutions and own comments."""
    now = timezone.now()
    link, guest = opened_link(request, token, now=now)
    if guest is None:
        return _ask_name(request, link, token, now)
    if request.method == "POST":  # the name was entered before
        return redirect("site:expert", token)
    course = link.shown_course
    if course is None:
        return render(request, "site/expert_gone.html", {"link": link, "guest": guest}, status=410)
    page = _page(request, link, guest, course, ExpertAddresses(token))
    response = render(request, "site/expert.html", page)
    video = external_video_of(page["lesson"]) if page["lesson"] else None
    if video is not None:
        csp_update(policy_sources(video))(lambda _request: response)(request)
    return response


def _ask_name(request: HttpRequest, link: ReviewLink, token: str, now: datetime) -> HttpResponse:
    form = NameForm(request.POST if request.method == "POST" else None)
    if not form.is_valid():
        context = {"form": form, "link": link}
        return render(request, "site/expert_name.html", context, status=422 if form.errors else 200)
    guest = services.enter_review(link=link, name=form.cleaned_data["name"], now=now)
    answer = redirect("site:expert", token)
    answer.set_signed_cookie(
        _cookie(link),
        str(guest.uid),
        salt=_cookie(link),
        max_age=int((link.expires_at - now).total_seconds()),
        path="/review/",
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
    return answer


def _cookie(link: ReviewLink) -> str:
    return f"study_review_{link.uid.hex}"


def _page(
    request: HttpRequest, link: ReviewLink, guest: ReviewGuest, course: Course, to: ExpertAddresses
) -> dict[str, Any]:
    sections = outline_of(course)
    rows = [row for section in sections for row in section.rows]
    asked = request.GET.get("lesson", "")
    opened = next((row for row in rows if row.lesson.slug == asked), rows[0] if rows else None)
    lesson = opened.lesson if opened else None
    return {
        "link": link,
        "guest": guest,
        "course": course,
        "is_changed": review_links.digest_of_course(course) != link.shown_digest,
        "sections": sections,
        "lesson": lesson,
        "reading": _reading(course, lesson, to) if lesson else {},
        "downloads": downloads_of(lesson) if lesson else (),
        "comments": review_threads.rows_of_link(course, link, lesson) if lesson else [],
        "page_comments": review_threads.rows_of_link(course, link, None),
        "choices": choices_in(lesson) if lesson else [],
        "to": to,
        "back": request.get_full_path(),
    }


def _reading(course: Course, lesson: Lesson, to: ExpertAddresses) -> dict[str, Any]:
    """Return the contents of the open lesson, including the answers of a quiz. Reading it records no progress."""
    if lesson.kind == Lesson.Kind.QUIZ:
        return quiz_reading(lesson.quiz)
    if lesson.kind != Lesson.Kind.VIDEO or not (lesson.video or lesson.external_video):
        return {}
    # What the link shows is decided by the link: the verdict on a visitor doesn't matter here.
    seen = lesson_at(AnonymousUser(), course.slug, lesson.slug)
    tracks = seen.known.tracks
    sources = to.sources(lesson.video, tracks) if lesson.video is not None else None
    return {
        "tracks": [(track, caption_cues(track.webvtt)) for track in tracks],
        "player": player_within(to.page, player_out(seen, sources), course),
    }
