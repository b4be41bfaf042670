"""The admins' list of past reviews."""

from django.core.paginator import Paginator
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from apps.accounts.guards import administers
from apps.courses.models import Submission
from apps.courses.queries import authoring, review, review_threads
from studyplatform.kit.web.requests import search_query

PAGE = 20


@administers
@require_safe
def review_history(request: HttpRequest) -> HttpResponse:
    """Every submission that was decided or withdrawn, latest first."""
    outcome, text = request.GET.get("outcome", ""), search_query(request)
    found = review.decided(text=text)
    counted = {row["outcome"]: row["count"] for row in found.order_by().values("outcome").annotate(count=Count("pk"))}
    if outcome in counted:
        found = found.filter(outcome=outcome)
    page = Paginator(found, PAGE).get_page(request.GET.get("page"))
    tabs = [("", _("All"), sum(counted.values()))]
    tabs += [(value, str(label), counted[value]) for value, label in Submission.Outcome.choices if counted.get(value)]
    said = review_threads.count_by_submission(page)
    return render(
        request,
        "site/reviews.html",
        {
            "said": said,
            "page": page,
            "rows": [(one, authoring.outcome_badge(one.outcome), _hours(one)) for one in page],
            "tabs": tabs,
            "outcome": outcome if outcome in counted else "",
            "text": text,
        },
    )


def _hours(submission: Submission) -> int | None:
    """Hours from the submission to the decision; None if the instructor withdrew it."""
    if submission.decided_at is None:
        return None
    return round((submission.decided_at - submission.submitted_at).total_seconds() / 3600)
