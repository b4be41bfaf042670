"""The appeal of a suspension, by the staff of the course."""

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from apps.accounts.guards import signed_in_user, teaches
from apps.courses import services
from apps.courses.pages.authoring import about
from apps.courses.pages.staffed import course_for_staff
from apps.courses.queries import review
from studyplatform.kit.names import WrittenFormField
from studyplatform.kit.text import content


class AppealForm(forms.Form):
    """What an instructor answers to a suspension."""

    text = WrittenFormField(
        label=gettext_lazy("Your appeal"),
        max_length=content.COMMENT.max_length,
        error_messages={"required": gettext_lazy("Say why the course should be live again.")},
    )


@teaches
@require_http_methods(["GET", "HEAD", "POST"])
def appeal(request: HttpRequest, slug: str) -> HttpResponse:
    """The suspension of the course with its reason, and the form that answers it once."""
    course, user = course_for_staff(request, slug).live, signed_in_user(request)  # not its next version
    form = AppealForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        services.appeal_suspension(course=course, by=user, text=form.cleaned_data["text"], now=timezone.now())
        messages.success(request, _("Your appeal was sent. An admin answers within 48 hours."))
        return redirect("courses:studio-appeal", course.slug)
    suspension = review.suspension_of(course)
    context = {
        **about(course, user),
        "suspension": suspension,
        "appeal": getattr(suspension, "appeal", None),
        "earlier": review.appeals_of(course)[:10],
        "form": form,
    }
    return render(request, "courses/studio/appeal.html", context, status=422 if form.errors else 200)
