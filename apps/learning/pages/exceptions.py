"""/dashboard/instructor/exceptions/: what learners were granted beyond the rules of quizzes; grant it, and end it."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from apps.accounts.guards import signed_in_user, teaches
from apps.accounts.models import User
from apps.courses.models import Course, Right, taught_by
from apps.learning import services
from apps.learning.exception_forms import FORMS, ExceptionForm
from apps.learning.models import Enrollment
from apps.learning.queries.exceptions import exceptions_granted_in, find_quiz, learners_taught_by, quizzes_of
from studyplatform.kit.errors import AppError, NotFound
from studyplatform.kit.web.requests import safe_next

ADDRESS = "/dashboard/instructor/exceptions/"
PAGE_SIZE = 25


@teaches
@never_cache
@require_GET
def exceptions(request: HttpRequest) -> HttpResponse:
    """What is in force, the latest first; ``?course=`` narrows it to one of the courses that the user teaches."""
    user = signed_in_user(request)
    slug = request.GET.get("course", "").replace("\x00", "")
    courses = list(Course.objects.filter(taught_by(user.pk, Right.TEACH)).order_by("title").only("pk", "slug", "title"))
    chosen = [one.pk for one in courses if one.slug == slug] or [one.pk for one in courses]
    if slug and user.is_admin:
        chosen = list(Course.objects.filter(slug=slug).values_list("pk", flat=True))
    page = Paginator(exceptions_granted_in(user, chosen), PAGE_SIZE).get_page(request.GET.get("page"))
    context = {"courses": courses, "course": slug, "page": page, "base": ADDRESS, "here": request.get_full_path()}
    return render(request, "learning/exceptions/list.html", context)


@teaches
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def grant(request: HttpRequest) -> HttpResponse:
    """Grant an exception of a ``?kind=`` to the learners ``?learner=``, by their enrollments. A POST grants it."""
    user = signed_in_user(request)
    given = request.POST if request.method == "POST" else request.GET
    kind = given.get("kind", "time")
    if kind not in FORMS:
        raise Http404
    learners = learners_taught_by(user, _uids(given.getlist("learner")))
    if not learners:
        raise NotFound
    return grant_to(request, user, kind, learners)


def grant_to(request: HttpRequest, user: User, kind: str, learners: list[Enrollment]) -> HttpResponse:
    """Show the form for these learners, at least one, and grant what a POST sends.

    :raises NotFound: they are in several courses, and it isn't extra time.
    """
    given = request.POST if request.method == "POST" else request.GET
    courses = {one.course_id for one in learners}
    quizzes = quizzes_of(learners[0].course_id) if len(courses) == 1 else []
    if kind != "time" and len(courses) > 1:
        raise NotFound
    form = FORMS[kind](given if request.method == "POST" else None, quizzes=quizzes)
    if request.method == "POST" and form.is_valid():
        try:
            granted = _grant(user, kind, learners, form)
        except AppError as refusal:
            if refusal.status == NotFound.status:
                raise
            form.add_error(None, refusal.detail)
        else:
            _say(request, granted)
            return redirect(_onward(request))
    context: dict[str, Any] = {
        "form": form,
        "kind": kind,
        "learners": learners,
        "is_of_many_courses": len(courses) > 1,
        "has_quizzes": kind == "time" or bool(form.fields["quiz"].choices),  # type: ignore[attr-defined]
        "next": given.get("next", ""),
        "base": ADDRESS,
    }
    return render(request, "learning/exceptions/grant.html", context, status=422 if form.errors else 200)


@teaches
@require_POST
def end(request: HttpRequest) -> HttpResponse:
    """End the exceptions that are named by ``exception``."""
    try:
        uids = _uids(request.POST.getlist("exception"))
        ended = services.end_exceptions(by=signed_in_user(request), uids=uids, now=timezone.now())
    except AppError as refusal:
        if refusal.status == NotFound.status:
            raise
        messages.error(request, refusal.detail, extra_tags=refusal.code)
    else:
        said = ngettext("The exception has ended.", "%(count)d exceptions have ended.", ended)
        messages.success(request, said % {"count": ended}, extra_tags="toast")
    return redirect(_onward(request))


def _grant(user: User, kind: str, learners: list[Enrollment], form: ExceptionForm) -> services.Granted:
    given = form.cleaned_data
    act = services.Act(by=user, learners=[one.uid for one in learners], key=given["key"], reason=given["reason"])
    quiz = find_quiz(UUID(given["quiz"])) if given["quiz"] else None
    now, extra = timezone.now(), form.extra()
    if kind == "time" or quiz is None:
        return services.grant_extra_time(act, quiz=quiz, now=now, **extra)
    if kind == "attempts":
        return services.grant_extra_attempts(act, quiz=quiz, now=now, **extra)
    return services.reopen_attempts(act, quiz=quiz, now=now, **extra)


def _say(request: HttpRequest, granted: services.Granted) -> None:
    count = len(granted.exceptions)
    said = ngettext("Granted to %(count)d learner, who is told.", "Granted to %(count)d learners, who are told.", count)
    running = ngettext(
        "%(count)d open attempt has the time already.",
        "%(count)d open attempts have the time already.",
        granted.running,
    )
    text = [said % {"count": count}, *([running % {"count": granted.running}] if granted.running else [])]
    messages.success(request, " ".join(text))
    for refusal in granted.skipped[:5]:
        messages.warning(request, refusal.detail)
    if len(granted.skipped) > 5:
        rest = len(granted.skipped) - 5
        messages.warning(
            request,
            ngettext("%(count)d more learner got nothing.", "%(count)d more learners got nothing.", rest)
            % {"count": rest},
        )


def _uids(texts: list[str]) -> list[UUID]:
    """Return those of the texts that are uids, at most as many as one act can have and one more."""
    found = []
    for text in texts[: services.MAX_LEARNERS_AT_ONCE + 1]:
        try:
            found.append(UUID(text))
        except ValueError:
            continue
    return found


def _onward(request: HttpRequest) -> str:
    """Return the page from which the form was sent, if it is one of this site."""
    return safe_next(request, request.POST.get("next"), ADDRESS)
