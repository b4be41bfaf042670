"""/dashboard/instructor/marking/: the essays that wait for marks, read and marked one after the other."""

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from apps.accounts.guards import signed_in_user, teaches
from apps.accounts.models import User
from apps.learning import services
from apps.learning.errors import EssayMarkedMeanwhile, EssayPointsInvalid
from apps.learning.forms import MarkForm
from apps.learning.models import EssayAnswer
from apps.learning.queries import marking
from apps.learning.quizzes.rendering import explanation_html, prompt_html
from studyplatform.kit.errors import NotFound

ADDRESS = "/dashboard/instructor/marking/"


@teaches
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def essays(request: HttpRequest) -> HttpResponse:
    """The list by ``?tab=``: waiting or marked; ``quiz`` narrows it, ``item`` is the selected one. A POST marks it."""
    user = signed_in_user(request)
    tab = request.GET.get("tab", "waiting")
    if tab not in marking.TABS:
        raise Http404
    if request.method == "POST":
        return _mark(request, user, tab)
    return _show(request, user, tab)


def _show(request: HttpRequest, user: User, tab: str, form: MarkForm | None = None, item: int = 0) -> HttpResponse:
    quizzes = marking.quizzes_to_mark(user)
    quiz = _number(request.GET.get("quiz", ""))
    rows = marking.essays_in(user, tab, quiz or None)
    page = Paginator(rows, marking.PAGE_SIZE).get_page(request.GET.get("page"))
    listed = list(page.object_list)
    item = item or _number(request.GET.get("item", "")) or (listed[0].pk if listed else 0)
    case = _case(user, item)
    context: dict[str, Any] = {
        "tab": tab,
        "base": ADDRESS,
        "quizzes": quizzes,
        "quiz": quiz,
        "waiting_count": sum(one.waiting for one in quizzes if not quiz or one.lesson_pk == quiz),
        "page": page,
        "essays": listed,
        "case": case,
        "after": _after(listed, item),
        "paged": _address(request),
        "form": form,
    }
    if case is not None:
        context["form"] = form or MarkForm(initial=_initial(case.essay))
        context["prompt"] = prompt_html(case.question)
        context["model_answer"] = explanation_html(case.question.explanation)
    return render(request, "learning/marking.html", context, status=400 if form is not None and form.errors else 200)


def _initial(essay: EssayAnswer) -> dict[str, Any]:
    points = "" if essay.earned is None else f"{essay.earned.normalize():f}"
    return {"points": points, "comment": essay.comment, "revision": essay.revision}


def _case(user: User, item: int) -> marking.EssayCase | None:
    try:
        return marking.case_of(user, item) if item else None
    except NotFound:
        return None


def _after(listed: list[EssayAnswer], item: int) -> int:
    """Return the essay that follows in the list; without one, the one before; 0 if there is no other."""
    keys = [one.pk for one in listed]
    place = keys.index(item) if item in keys else -1
    others = [*keys[place + 1 :], *keys[:place][-1:]] if place >= 0 else keys
    return others[0] if others else 0


def _mark(request: HttpRequest, user: User, tab: str) -> HttpResponse:
    """Save a mark and go on to the next essay.

    :raises NotFound: the user may not mark it.
    """
    case = marking.case_of(user, _number(request.POST.get("essay", "")))
    form = MarkForm(request.POST)
    if form.is_valid():
        given = form.cleaned_data
        try:
            services.mark_essay(
                by=user,
                essay=case.essay,
                earned=given["points"],
                comment=given["comment"],
                revision=given["revision"],
                now=timezone.now(),
            )
        except EssayPointsInvalid as refusal:
            form.add_error("points", refusal.detail)
        except EssayMarkedMeanwhile as refusal:
            form.add_error(None, refusal.detail)
            revision = marking.case_of(user, case.essay.pk).essay.revision
            form.data = {**request.POST.dict(), "revision": revision}
        else:
            messages.success(request, _("Mark saved."), extra_tags="toast")
            return redirect(_address(request, item=_number(request.POST.get("after", ""))))
    return _show(request, user, tab, form, case.essay.pk)


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else 0


def _address(request: HttpRequest, item: int = 0) -> str:
    kept: dict[str, Any] = {name: request.GET[name] for name in ("tab", "quiz", "page") if request.GET.get(name)}
    return f"{ADDRESS}?{urlencode({'tab': 'waiting'} | kept | ({'item': item} if item else {}))}"
