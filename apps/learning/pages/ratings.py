"""The reviews of a course: read, write, delete, reply, vote, report, decide."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from apps.accounts.guards import administers, open_to_everyone, signed_in, signed_in_user
from apps.accounts.models import User
from apps.courses.models import Course
from apps.learning import rating_policies, services
from apps.learning.errors import NotEnrolled, RatingChanged, RatingTooEarly
from apps.learning.models import Rating
from apps.learning.outline import Standing
from apps.learning.queries import ratings as queries
from apps.learning.queries.lessons import find_course
from apps.learning.rating_forms import RatingDecisionForm, RatingForm, RatingReportForm, ReplyForm
from studyplatform.kit.policies import enforce
from studyplatform.kit.web.requests import safe_next

QUEUE = "/dashboard/admin/forum?tab=ratings"


@open_to_everyone
@require_http_methods(["GET", "HEAD", "POST"])
def reviews(request: HttpRequest, course: str) -> HttpResponse:
    """The reviews: ``?sort=helpful`` (or newest, highest, lowest), ``stars``, ``page``. A POST saves one's own."""
    found, standing = find_course(request.user, course)
    form = RatingForm(request.POST) if request.method == "POST" else None
    if form is not None:
        user = signed_in_user(request)
        if form.is_valid():
            services.rate_course(user=user, course=found, now=timezone.now(), **form.cleaned_data)
            messages.success(request, _("Your review is saved."), extra_tags="toast")
            return redirect(f"{address_of(found)}#mine")
    return _page(request, found, standing, form=form)


def _page(
    request: HttpRequest,
    course: Course,
    standing: Standing,
    *,
    form: RatingForm | None = None,
    replying: tuple[int, ReplyForm] | None = None,
) -> HttpResponse:
    sort = request.GET.get("sort", "")
    sort = sort if sort in queries.SORTS else "helpful"
    chosen = request.GET.get("stars", "")
    stars = int(chosen) if chosen in {"1", "2", "3", "4", "5"} else None
    page = queries.reviews_page(course, sort=sort, stars=stars, number=request.GET.get("page"))
    left = standing.enrollment is None and not standing.is_staff
    mine = queries.rating_by(request.user, course) if left else queries.rating_of(standing.enrollment)
    is_failed = (form is not None) or (replying is not None)
    context: dict[str, Any] = {
        "course": course,
        "enrollment": standing.enrollment,
        "sort": sort,
        "sorts": {name: label for name, (label, _order) in queries.SORTS.items()},
        "stars": stars,
        "page": page,
        "histogram": queries.histogram(course),
        "mine": mine,
        "hidden_because": queries.reason_hidden(mine) if mine is not None and mine.hidden_at else "",
        "refusal": rating_policies.rate(request.user, course, standing.enrollment),
        "least": rating_policies.LEAST_PERCENT,
        "too_early": RatingTooEarly,
        "not_enrolled": NotEnrolled,
        "voted": queries.found_helpful(request.user, list(page.object_list)),
        "replies": isinstance(request.user, User) and rating_policies.teaches(request.user, course),
        "replying": replying,
        "form": form or RatingForm(initial=_initial(mine)),
        "is_listed": course.status in {Course.Status.PUBLISHED, Course.Status.ARCHIVED},
    }
    return render(request, "learning/reviews.html", context, status=422 if is_failed else 200)


def _initial(mine: Rating | None) -> dict[str, Any]:
    return {"stars": str(mine.stars), "text": mine.text} if mine is not None and mine.deleted_at is None else {}


def address_of(course: Course) -> str:
    return f"/courses/{course.slug}/reviews"


def _back(request: HttpRequest, course: Course, pk: int) -> HttpResponse:
    """To the list as it was read, at this review."""
    address = safe_next(request, request.POST.get("next"), address_of(course))
    return redirect(f"{address.partition('#')[0]}#r-{pk}")


@signed_in
@require_POST
def delete(request: HttpRequest, course: str) -> HttpResponse:
    """Delete one's own review; the page that follows offers to undo it."""
    found, _standing = find_course(signed_in_user(request), course)
    services.delete_rating(user=signed_in_user(request), course=found, now=timezone.now())
    return redirect(f"{address_of(found)}#mine")


@signed_in
@require_POST
def restore(request: HttpRequest, course: str) -> HttpResponse:
    """Undo the deletion of one's own review."""
    found, _standing = find_course(signed_in_user(request), course)
    services.restore_rating(user=signed_in_user(request), course=found)
    messages.success(request, _("Your review is back."), extra_tags="toast")
    return redirect(f"{address_of(found)}#mine")


@signed_in
@require_POST
def helpful(request: HttpRequest, course: str, rating: int) -> HttpResponse:
    """Vote for a review, or take the vote back."""
    found, _standing = find_course(request.user, course)
    row = queries.rating_by_pk(found, rating)
    is_on = bool(request.POST.get("on"))
    services.vote_helpful(rating=row, user=signed_in_user(request), on=is_on, now=timezone.now())
    return _back(request, found, rating)


@signed_in
@require_POST
def reply(request: HttpRequest, course: str, rating: int) -> HttpResponse:
    """Write, change or remove the instructor's reply."""
    found, standing = find_course(request.user, course)
    row = queries.rating_by_pk(found, rating)
    enforce(rating_policies.reply(request.user, row))
    form = ReplyForm(request.POST)
    is_removed = "remove" in request.POST
    if not is_removed and not form.is_valid():
        return _page(request, found, standing, replying=(row.pk, form))
    text = "" if is_removed else form.cleaned_data["reply"]
    services.reply_to_rating(rating=row, by=signed_in_user(request), text=text, now=timezone.now())
    said = _("Your reply is removed.") if is_removed else _("Your reply is published.")
    messages.success(request, said, extra_tags="toast")
    return _back(request, found, rating)


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def report(request: HttpRequest, course: str, rating: int) -> HttpResponse:
    """Report a review to the admins."""
    found, _standing = find_course(request.user, course)
    row = queries.rating_by_pk(found, rating)
    enforce(rating_policies.judge(request.user, row))
    form = RatingReportForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        services.report_rating(rating=row, user=signed_in_user(request), now=timezone.now(), **form.cleaned_data)
        messages.success(request, _("Thank you. An admin will read this review."))
        return redirect(address_of(found))
    context = {"course": found, "rating": row, "form": form}
    return render(request, "learning/report_review.html", context, status=422 if form.errors else 200)


@administers
@require_POST
def decide(request: HttpRequest, rating: int) -> HttpResponse:
    """Hide a review, keep it, or show it again."""
    row = get_object_or_404(Rating, pk=rating)
    form = RatingDecisionForm(request.POST)
    if not form.is_valid():
        messages.warning(request, _("Choose what to do with it."))
        return redirect(QUEUE)
    try:
        services.decide_rating(rating=row, by=signed_in_user(request), now=timezone.now(), **form.cleaned_data)
    except RatingChanged as error:
        messages.warning(request, f"{error.title}. {error.detail}")
    else:
        messages.success(request, _("Your decision is saved."), extra_tags="toast")
    return redirect(QUEUE)
