"""Grant an exception to the learners who are selected in a list, or to all that its filter shows."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from apps.accounts.guards import signed_in_user, teaches
from apps.courses.models import Right
from apps.courses.policies import courses_with_right
from apps.learning import services
from apps.learning.analytics.choices import choose_learners
from apps.learning.errors import TooManyLearnersAtOnce
from apps.learning.exception_forms import FORMS
from apps.learning.pages.exceptions import ADDRESS, grant_to
from studyplatform.kit.web.requests import safe_next


@teaches
@never_cache
@require_safe
def grant_to_many(request: HttpRequest) -> HttpResponse:
    """The form of an exception of a ``kind`` for those chosen; it is sent to the page of exceptions."""
    user = signed_in_user(request)
    kind = request.GET.get("kind", "time")
    if kind not in FORMS:
        raise Http404
    choice = choose_learners(request.GET, user, timezone.now())
    taught = courses_with_right(user, choice.scope.courses, Right.TEACH)
    most = services.MAX_LEARNERS_AT_ONCE
    chosen = list(choice.rows.filter(course__in=taught)[: most + 1])
    if not chosen:
        refusal = _("No one would get it. Choose learners of a course that you teach.")
    elif len(chosen) > most:
        refusal = TooManyLearnersAtOnce(most=most).detail
    elif kind != "time" and len({one.course_id for one in chosen}) > 1:
        refusal = _("Quizzes differ from course to course. Choose learners of one course.")
    else:
        return grant_to(request, user, kind, chosen)
    messages.warning(request, refusal)
    return redirect(safe_next(request, request.GET.get("next"), ADDRESS))
