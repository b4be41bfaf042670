"""The links with which outside experts review a course: made and revoked by its staff."""

from datetime import datetime
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from apps.accounts.guards import signed_in_user, teaches
from apps.courses import policies, services
from apps.courses.models import Course, ReviewLink, Right
from apps.courses.pages.authoring import about
from apps.courses.pages.staffed import course_for_staff
from apps.courses.queries.review_links import digest_of_course, links_of, name_version
from studyplatform.kit.errors import NotFound, RateLimitExceeded
from studyplatform.kit.names import NameFormField
from studyplatform.kit.policies import enforce

DAYS = (3, 7, 14, 30, 60)
MOST_SHOWN = 50
MADE = "review_link_made"  # in the session, until the next page shows it


class ReviewLinkForm(forms.Form):
    """Whom a link is for, and how long it works."""

    recipient = NameFormField(
        label=gettext_lazy("For whom"),
        max_length=80,
        error_messages={"required": gettext_lazy("Say for whom the link is.")},
    )
    days = forms.TypedChoiceField(
        label=gettext_lazy("Works for"),
        coerce=int,
        choices=[(days, days) for days in DAYS],
        initial=14,
        error_messages={"required": gettext_lazy("Choose how long the link works.")},
    )


@teaches
@never_cache  # the new link stands on it
@require_http_methods(["GET", "HEAD", "POST"])
def review_links(request: HttpRequest, slug: str) -> HttpResponse:
    """The links of the course, and the form for a new one, which is shown once."""
    course, user, now = course_for_staff(request, slug), signed_in_user(request), timezone.now()
    enforce(policies.hold_right(user, course, Right.EDIT))
    shown = getattr(course, "working_copy", course)  # the next version, if one is edited
    form = ReviewLinkForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            link, token = services.create_review_link(course=shown, by=user, now=now, **form.cleaned_data)
        except RateLimitExceeded as refusal:
            form.add_error(None, str(refusal.detail))
        else:
            # Shown by the next page and forgotten then: a page that is reloaded makes no second link.
            request.session[MADE] = [str(link.uid), token]
            return redirect("courses:studio-review-links", slug)
    links = list(links_of(course)[:MOST_SHOWN])
    digest = digest_of_course(shown) if links else ""
    context = {
        **about(course, user),
        "links": [
            (link, _state(link, now), link.shown_course_id == course.pk and link.shown_digest != digest)
            for link in links
        ],
        "form": form,
        "made": _take_made(request, links),
        "version": name_version(shown),
        "most_browsers": services.MAX_GUESTS,
    }
    return render(request, "courses/studio/review_links.html", context, status=422 if form.errors else 200)


@teaches
@require_POST
def review_link_revoke(request: HttpRequest, slug: str, uid: UUID) -> HttpResponse:
    """End a link at once."""
    course = course_for_staff(request, slug)
    link = ReviewLink.objects.select_related("course").filter(course=course.live, uid=uid).first()
    if link is None:
        raise NotFound
    services.revoke_review_link(link=link, by=signed_in_user(request), now=timezone.now())
    messages.success(request, _("The link no longer works."))
    return redirect("courses:studio-review-links", slug)


def _take_made(request: HttpRequest, links: list[ReviewLink]) -> tuple[ReviewLink, str] | None:
    """Return the link that was just made with its address, once."""
    uid, token = request.session.pop(MADE, ("", ""))
    link = next((one for one in links if str(one.uid) == uid), None)
    return (link, request.build_absolute_uri(reverse("site:expert", args=[token]))) if link else None


def _state(link: ReviewLink, now: datetime) -> str:
    """Return "revoked", "expired", "gone" (what it opened was published or discarded) or "live"."""
    if link.revoked_at is not None:
        return "revoked"
    if link.expires_at <= now:
        return "expired"
    return "live" if link.shown_course_id is not None else "gone"


def _is_changed(link: ReviewLink, course: Course, digest: str) -> bool:
    return link.shown_course_id == course.pk and link.shown_digest != digest
