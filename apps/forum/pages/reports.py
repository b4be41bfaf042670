"""Reporting a post, and deciding about reported messages."""

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from apps.accounts.guards import administers, signed_in, signed_in_user
from apps.forum import policies, services
from apps.forum.message_policies import decide_report
from apps.forum.models import MessageReport
from apps.forum.moderation_forms import ReportForm
from apps.forum.pages.moderation import QUEUE, UNKNOWN
from apps.forum.pages.topics import address_of
from apps.forum.queries import finding
from apps.forum.services import message_safety
from studyplatform.kit.policies import enforce

DECISIONS = ("uphold", "dismiss")


@administers
@require_POST
def decide_message(request: HttpRequest, uid: uuid.UUID) -> HttpResponse:
    """Decide about the report of a message."""
    by = signed_in_user(request)
    enforce(decide_report(by))
    found = get_object_or_404(MessageReport, uid=uid)
    decision = request.POST.get("decision")
    if decision not in DECISIONS:
        messages.warning(request, UNKNOWN)
    else:
        message_safety.decide_report(report=found, by=by, is_upheld=decision == "uphold", now=timezone.now())
        messages.success(request, _("Report decided."), extra_tags="toast")
    return redirect(f"{QUEUE}?tab=messages")


@signed_in
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def report(request: HttpRequest, post: int) -> HttpResponse:
    """Report a post to the moderators."""
    user = signed_in_user(request)
    found = finding.find_post(post, user)
    enforce(policies.report(user, found))
    form = ReportForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        services.report(post=found, user=user, now=timezone.now(), **form.cleaned_data)
        messages.success(request, _("Thank you. The moderators will read this post."))
        topic = found.topic
        return redirect(address_of(found, topic))
    context = {"form": form, "post": found, "topic": found.topic}
    return render(request, "forum/report.html", context, status=422 if form.errors else 200)
