"""Practice without scripts: one form answers a card, the next one rates it and leads to the next card."""

from uuid import UUID, uuid4

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from apps.accounts.guards import signed_in, signed_in_user
from apps.courses.models import Question
from apps.learning import services
from apps.learning.forms import CardRatingForm, posted_answers
from apps.learning.models import PracticeCard
from apps.learning.pages.practice import practice_context
from apps.learning.queries.practice import get_card
from apps.learning.queries.practice_page import answer_out, card_out
from apps.learning.quizzes import marking
from studyplatform.kit.errors import ValidationFailed

GOOD = 3  # the rating suggested for a flash card


@signed_in
@require_POST
def answer(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Show the right answer of a card, with the form that rates it. It changes nothing.

    An answer that doesn't fit its question is asked for again.

    :raises CardNotFound: the card is not the learner's, or it may not be practiced now.
    """
    user, now = signed_in_user(request), timezone.now()
    card = get_card(user, uid)
    context = practice_context(user, _source(request), now)
    context["card"] = card_out(card, now)  # it brings the choices of the question into the order that was shown
    context["given"] = _given(request, card.question)
    try:
        answered = answer_out(user, card, card.question, _answer(request, card)) if card.question else None
    except ValidationFailed:
        return render(request, "learning/practice.html", context | {"is_refused": True}, status=422)
    context["answered"] = answered or {"suggested": GOOD, "result": None}
    context["key"] = uuid4()
    return render(request, "learning/practice.html", context)


@signed_in
@require_POST
def rate(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Rate a card, and go on to the next one. The same form again is the same review.

    :raises CardNotFound: the card is not the learner's, or it may not be practiced now.
    :raises ValidationFailed: the form was not sent by the page, or the question has changed since.
    """
    user, now = signed_in_user(request), timezone.now()
    card = get_card(user, uid)
    form = CardRatingForm(request.POST)
    if not form.is_valid():
        raise ValidationFailed
    _card, is_counted = services.review_card(
        user=user, card=card, answer=_answer(request, card), reviewed_at=None, now=now, **form.cleaned_data
    )
    if not is_counted:
        messages.info(request, _("You already rated this card in another tab."), extra_tags="toast")
    source = _source(request)
    return redirect("/me/practice" + (f"?{urlencode({'source': source})}" if source else ""))


def _source(request: HttpRequest) -> str:
    return request.POST.get("source", "")


def _answer(request: HttpRequest, card: PracticeCard) -> marking.Answer | None:
    """Return the posted answer in the shape of its question; None if the learner doesn't know it."""
    if card.question is None or "unknown" in request.POST:
        return None
    answers: dict[str, marking.Answer | None] = posted_answers([card.question], _given(request, card.question))
    return answers[str(card.question.uid)]


def _given(request: HttpRequest, question: Question | None) -> dict[str, list[str]]:
    """Return the posted fields of this question; none if the learner doesn't know the answer."""
    if question is None or "unknown" in request.POST:
        return {}
    name = f"q.{question.uid}"
    return {key: request.POST.getlist(key) for key in request.POST if key == name or key.startswith(f"{name}.")}
