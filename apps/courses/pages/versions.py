"""The next version of a course: what it changes, and what that means for learners."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from apps.accounts.guards import require_session_key, signed_in_user, teaches
from apps.courses import correction_policies, services
from apps.courses.errors import UploadsUnderWay, WatchedChoiceMissing
from apps.courses.models.version import MAX_NOTE_LENGTH, Transition
from apps.courses.pages.authoring import about
from apps.courses.pages.staffed import course_for_staff
from apps.courses.queries import review, versions
from apps.courses.queries.compared_videos import shown_changes
from apps.courses.queries.content_tree import read_tree
from apps.courses.queries.offered_corrections import offered_corrections
from apps.courses.queries.replaced_videos import read_watched_choices, replaced_videos
from apps.courses.queries.review_threads import Addresses, rows_by_lesson
from apps.courses.queries.reviewed_captions import with_captions
from apps.courses.queries.version_differences import VersionDifference, compare_versions
from apps.courses.queries.version_effects import count_effects, read_change
from apps.courses.services import corrections
from studyplatform.kit.web.requests import safe_next

LEADS_TO = {"lectures": "courses:studio-lectures", "edit": "courses:studio-edit", "version": "courses:studio-version"}


class ChoicesForm(forms.Form):
    """What the author chose for learners."""

    note = forms.CharField(label=gettext_lazy("What changed, for learners"), max_length=MAX_NOTE_LENGTH, required=False)
    transition = forms.ChoiceField(
        label=gettext_lazy("Learners who are partway"),
        choices=Transition.choices,
        error_messages={"required": gettext_lazy("Choose what happens to learners who are partway.")},
    )
    is_announced = forms.BooleanField(required=False)
    gives_points = forms.BooleanField(required=False)
    tells_passed = forms.BooleanField(required=False)


@teaches
@require_POST
def version_begin(request: HttpRequest, slug: str) -> HttpResponse:
    """Begin the next version, and lead on to what the author wanted to edit."""
    course = course_for_staff(request, slug)
    copy = services.begin_version(course=course, by=signed_in_user(request), now=timezone.now())
    lesson = request.POST.get("lesson", "")
    if lesson and copy.lessons.filter(slug=lesson).exists():
        return redirect("courses:studio-lesson", copy.slug, lesson)
    return redirect(LEADS_TO.get(request.POST.get("to", ""), LEADS_TO["lectures"]), copy.slug)


@teaches
@require_http_methods(["GET", "HEAD", "POST"])
def version(request: HttpRequest, slug: str) -> HttpResponse:
    """What the next version changes and whom it affects; the author's choices, and its submission."""
    course, user = course_for_staff(request, slug), signed_in_user(request)
    state = versions.state_of(course)
    if state is None:
        return redirect("courses:studio-edit", course.slug)
    if not state.is_begun:
        return redirect("courses:studio-versions", state.live.slug)
    copy = state.edited
    form = ChoicesForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        choices = {**form.cleaned_data, "watched": read_watched_choices(request.POST)}
        services.choose_for_learners(course=copy, by=user, choices=choices)
        if not {"submit", "publish"} & request.POST.keys():
            messages.success(request, _("Saved."))
            return redirect("courses:studio-version", copy.slug)
        if "publish" in request.POST:
            corrections.publish_alone(course=copy, by=user, now=timezone.now())
            messages.success(request, _("Version %(number)s is live.") % {"number": state.number})
            return redirect("courses:studio-versions", state.live.slug)
        note = request.POST.get("reviewer_note", "")[:4000]
        try:
            services.submit_course(course=copy, by=user, note=note, now=timezone.now())
        except (UploadsUnderWay, WatchedChoiceMissing) as refusal:  # what was chosen is saved
            messages.warning(request, refusal.detail)
            return redirect("courses:studio-version", copy.slug)
        messages.success(request, _("Version %(number)s is under review.") % {"number": state.number})
        return redirect("courses:studio-version", copy.slug)
    following = read_tree(copy)
    difference = with_captions(compare_versions(read_tree(state.live), following), copy)
    return render(
        request,
        "courses/studio/version.html",
        {
            **about(copy, user),
            **changes_of(request, difference),
            "state": state,
            "draft": copy.draft,
            "comments_by_anchor": {f"l-{uid}": rows for uid, rows in rows_by_lesson(copy).items() if uid},
            "to": Addresses(copy),
            "back": request.get_full_path(),
            "form": form,
            "effects": count_effects(read_change(state.live, difference.raw, following)),
            "corrections": offered_corrections(user, copy),
            "may_publish": correction_policies.publish_alone(user, state.live, copy) is None,
            "changes_key": any(one.is_answer_changed for one in difference.raw.questions),
            "conflicts": versions.conflicts_of(copy.draft),
            "replaced": replaced_videos(copy),
            "transitions": Transition,
            "max_note": MAX_NOTE_LENGTH,
            "pending": review.pending_of(state.live),
            "last": state.live.submissions.filter(version_number=state.number).order_by("-pk").first(),
            "based_on": state.live.versions.defer("tree").order_by("-number", "-correction").first(),
        },
    )


@teaches
@require_POST
def corrections_publish(request: HttpRequest, slug: str) -> HttpResponse:
    """Publish the small corrections among the changes; everything else stays in the next version."""
    course = course_for_staff(request, slug)
    found = corrections.publish_corrections(course=course, by=signed_in_user(request), now=timezone.now())
    messages.success(request, _("Learners see your corrections. They are version %(label)s.") % {"label": found.label})
    return redirect(safe_next(request, request.POST.get("back"), reverse("courses:studio-version", args=[course.slug])))


def changes_of(request: HttpRequest, difference: VersionDifference) -> dict[str, Any]:
    return shown_changes(request.GET, difference, now=timezone.now(), audience=require_session_key(request))
