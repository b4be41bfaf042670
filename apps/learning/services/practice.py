"""Practice cards: made of missed questions or by the learner, and moved by reviews."""

from dataclasses import asdict
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from apps.accounts.models import User
from apps.courses.models import Question
from apps.learning import policies
from apps.learning.errors import CardLimitReached, CardNotFound
from apps.learning.models import PracticeCard, PracticeReview
from apps.learning.practice.day import MOST_OWN_CARDS
from apps.learning.practice.schedule import Reviewed, Schedule, counted, replayed
from apps.learning.quizzes import marking
from apps.learning.quizzes.attempts import QuizAttempts
from studyplatform.kit import jobs
from studyplatform.kit.errors import ValidationFailed
from studyplatform.kit.policies import enforce
from studyplatform.kit.text.blank import written

TURNS_AHEAD = 100  # reviews of one card made without a connection
MOST_REVIEWS = 3_000  # of one card, over its life: each new one replays them all
MISSED = {"wrong", "partly", "open"}
UNDO_TIME = timedelta(hours=24)


def add_missed(attempts: QuizAttempts, *, user_id: int, now: datetime) -> None:
    """Make cards of the questions that the learner answered wrongly or not at all in these attempts at a quiz.

    Nothing happens while the right answers may not be shown. Calling it again changes nothing.
    """
    if not attempts.shows_answers:
        return
    missed: dict[str, list[datetime]] = {}
    for attempt in attempts.submitted:
        for result in attempt.results:
            if result["verdict"] in MISSED and attempt.submitted_at is not None:
                missed.setdefault(result["uid"], []).append(attempt.submitted_at)
    questions = Question.objects.filter(uid__in=list(missed)).order_by("position")
    # Nobody marks an essay in practice.
    questions = questions.exclude(kind=Question.Kind.ESSAY) if missed else questions.none()
    cards = [
        PracticeCard(
            user_id=user_id,
            question=question,
            quiz=attempts.quiz if question.quiz_id != attempts.quiz.pk else None,
            missed=len(missed[str(question.uid)]),
            missed_at=max(missed[str(question.uid)]),
            created_at=now,
            due=now,
        )
        for question in questions
    ]
    if cards:
        PracticeCard.objects.bulk_create(
            cards,
            update_conflicts=True,
            unique_fields=["user", "question"],
            update_fields=["missed", "missed_at", "quiz"],
        )


def review_card(
    *,
    user: User,
    card: PracticeCard,
    key: UUID,
    turn: int,
    rating: int,
    answer: marking.Answer | None,
    reviewed_at: datetime | None,
    now: datetime,
) -> tuple[PracticeCard, bool]:
    """Save a review and move the card. Idempotent for the same key.

    ``turn`` is the card's turn as the learner saw it. ``reviewed_at`` is when they rated it, if that was before now.
    Returns the card, and whether this review counts: of several reviews of one turn the earliest does.

    :raises ValidationFailed: the answer doesn't have the shape of the question, or the turn lies too far ahead.
    """
    enforce(policies.practice(user, card))
    verdict = "" if card.question is None else marking.mark(card.question, read_answer(card.question, answer)).verdict
    with transaction.atomic():
        locked = PracticeCard.objects.select_for_update().filter(pk=card.pk, user=user).first()
        if locked is None:
            raise CardNotFound
        reviews = list(locked.reviews.all())
        if not any(one.key == key for one in reviews):
            is_repeated = sum(one.turn == turn for one in reviews) >= TURNS_AHEAD
            if turn > locked.turn + TURNS_AHEAD or is_repeated or len(reviews) >= MOST_REVIEWS:
                raise ValidationFailed
            at = min(now, max(reviewed_at or now, locked.created_at))
            reviews.append(
                PracticeReview.objects.create(
                    card=locked, key=key, turn=turn, rating=rating, verdict=verdict, reviewed_at=at
                )
            )
            _move(locked, reviews)
    is_counted = any(one.key == key for one in counted(_as_reviewed(one) for one in reviews))
    locked.question = card.question
    return locked, is_counted


def _move(card: PracticeCard, reviews: list[PracticeReview]) -> None:
    schedule = replayed(card.created_at, [_as_reviewed(one) for one in reviews])
    for name, value in asdict(schedule).items():
        setattr(card, name, value)
    card.save(update_fields=list(asdict(schedule)))


def _as_reviewed(review: PracticeReview) -> Reviewed:
    return Reviewed(review.turn, review.reviewed_at, review.key, review.rating)


def schedule_of(card: PracticeCard) -> Schedule:
    """Return the card's state in the scheduler."""
    return Schedule(**{name: getattr(card, name) for name in Schedule.__dataclass_fields__})


def read_answer(question: Question, answer: marking.Answer | None) -> marking.Answer | None:
    """Return the answer in the form in which it is marked.

    :raises ValidationFailed: it doesn't have the shape of the question.
    """
    try:
        return marking.read(question, answer)
    except marking.Malformed:
        raise ValidationFailed from None


def add_card(*, user: User, front: str, back: str, now: datetime) -> PracticeCard:
    """Make a flash card. It is due at once.

    :raises CardLimitReached: the learner has as many as allowed.
    """
    enforce(policies.practice(user))
    with transaction.atomic():
        rows = _check_room(user.pk)
        if rows.count() >= 2 * MOST_OWN_CARDS:  # with deleted ones
            raise CardLimitReached(limit=MOST_OWN_CARDS)
        return PracticeCard.objects.create(user=user, front=written(front), back=written(back), created_at=now, due=now)


def _check_room(user_id: int) -> QuerySet[PracticeCard]:
    """Lock the learner, and return their flash cards with the deleted ones. Needs a transaction.

    :raises CardLimitReached: they have as many as allowed.
    """
    User.objects.select_for_update().get(pk=user_id)
    rows = PracticeCard.objects.filter(user=user_id, question=None)
    if rows.filter(deleted_at=None).count() >= MOST_OWN_CARDS:
        raise CardLimitReached(limit=MOST_OWN_CARDS)
    return rows


def edit_card(*, card: PracticeCard, front: str, back: str) -> None:
    """Change the texts of a flash card. Its schedule stays."""
    card.front, card.back = written(front), written(back)
    card.save(update_fields=["front", "back"])


def delete_card(*, card: PracticeCard, now: datetime) -> None:
    """Delete a flash card. For ``UNDO_TIME``, ``restore_card`` brings it back; then a job erases it. Idempotent."""
    with transaction.atomic():
        if PracticeCard.objects.filter(pk=card.pk, deleted_at=None).update(deleted_at=now):
            jobs.enqueue("learning.forget_card", key=f"{card.pk} {now.timestamp()}", delay=UNDO_TIME, card_id=card.pk)


def restore_card(*, card: PracticeCard) -> None:
    """Bring a deleted flash card back, with its schedule. Idempotent.

    :raises CardLimitReached: the learner has as many as allowed.
    """
    with transaction.atomic():
        _check_room(card.user_id).filter(pk=card.pk).update(deleted_at=None)


def delete_cards_of(*, user_id: int) -> None:
    """Delete all cards of a deleted account."""
    PracticeCard.objects.filter(user=user_id).delete()


def forget_card(*, card_id: int, now: datetime) -> None:
    """Erase a flash card that was deleted a day ago and not restored. Idempotent."""
    PracticeCard.objects.filter(pk=card_id, deleted_at__lte=now - UNDO_TIME).delete()
