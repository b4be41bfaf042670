"""Announcements: /dashboard/instructor/messages/announcements, where instructors send them, and one as it is read."""

import uuid
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from apps.accounts.guards import signed_in, signed_in_user, teaches
from apps.courses.models import Section
from apps.forum import message_policies as policies
from apps.forum import text
from apps.forum.message_forms import AnnouncementForm
from apps.forum.pages.messages import is_prefetched
from apps.forum.queries import announcements as queries
from apps.forum.services import announcements as services
from studyplatform.kit.errors import AppError, NotFound


@teaches
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def compose(request: HttpRequest) -> HttpResponse:
    """Write an announcement to ``?course=slug``, look at it, and send it; below it what was sent earlier."""
    user, now = signed_in_user(request), timezone.now()
    courses = queries.courses_to_announce(user)
    slug = request.GET.get("course", "")
    course = next((one for one in courses if one.slug == slug), None if slug or not courses else courses[0])
    if slug and course is None:
        raise NotFound
    sent = queries.announcements_by(user, cursor=request.GET.get("older", ""))
    context: dict[str, Any] = {
        "courses": courses,
        "course": course,
        "sent": sent,
        "most": services.MOST,
        "side": "instructor",
    }
    if course is None:
        return render(request, "forum/messages/compose.html", context)
    choices = queries.recipients_of(course)
    given = request.POST if request.method == "POST" else None
    form = AnnouncementForm(given, recipients=choices, initial={"is_mailed": True, "key": uuid.uuid4()})
    error: AppError | None = None
    preview = ""
    if form.is_valid():
        try:
            if "preview" in request.POST:
                source = services.check_announcement(form.cleaned_data["source"])
                preview = text.render_message(source, is_trusted=True)
            else:
                section = Section.objects.filter(pk=form.section_pk, course=course).first() if form.section_pk else None
                row = services.send_announcement(
                    course=course,
                    user=user,
                    audience=form.audience,
                    section=section,
                    subject=form.cleaned_data["subject"],
                    source=form.cleaned_data["source"],
                    is_mailed=form.cleaned_data["is_mailed"],
                    key=form.cleaned_data["key"],
                    now=now,
                )
                said = ngettext("Sent to %(num)d learner.", "Sent to %(num)d learners.", row.expected)
                messages.success(request, said % {"num": row.expected})
                return redirect(f"{request.path}?course={course.slug}")
        except AppError as refusal:
            error = refusal
    left, free_at = services.announcements_left(course, now=now)
    context |= {
        "form": form,
        "choices": choices,
        "error": error,
        "preview": preview,
        "left": left,
        "free_at": free_at,
        "banned": policies.not_banned(user, course),
        "per_week": settings.ANNOUNCEMENTS_PER_WEEK,
    }
    status = error.status if error else 422 if form.errors else 200
    return render(request, "forum/messages/compose.html", context, status=status)


@signed_in
@never_cache
@require_safe
def announcement(request: HttpRequest, uid: uuid.UUID) -> HttpResponse:
    """An announcement to the user."""
    user = signed_in_user(request)
    copy = queries.announcement_for(user, uid)
    if not is_prefetched(request):
        services.mark_announcement_read(copy=copy, now=timezone.now())
    return render(request, "forum/messages/announcement.html", {"announcement": copy.announcement})
