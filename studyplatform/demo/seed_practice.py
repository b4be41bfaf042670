"""The demo learner's practice: flash cards, and reviews of the questions missed in quizzes.

The cards of missed questions come from the quizzes themselves. Some are practiced here, in the past, so that a few are
due today and others in the days ahead.
"""

from datetime import datetime, timedelta
from uuid import UUID, uuid5

from apps.accounts.models import User
from apps.learning import services as learning
from apps.learning.models import PracticeCard
from apps.learning.queries.practice import cards_of

LEARNER = "student@example.com"
_NAMES = UUID("5b0c0f5e-6a0e-4b42-9c8e-0d6d3c1f7a10")
# Front, back, and the ratings given on the last days, the oldest first: days ago, rating.
_CARDS: tuple[tuple[str, str, tuple[tuple[int, int], ...]], ...] = (
    ("What is the **determinant** of a rotation?", "$1$: a rotation keeps areas and their orientation.", ()),
    (
        "*Eigenvector*",
        "A direction that a map only stretches: $Av = \\lambda v$ with $v \\neq 0$.",
        ((9, 3), (6, 3)),
    ),
    ("*tal vez*, or *talvez*?", "**talvez**, in one word. The verb after it is in the subjunctive.", ((4, 3),)),
    ("How do you tell blackthorn from hawthorn in March?", "Blackthorn flowers **before** its leaves.", ((2, 4),)),
)


def seed_practice(now: datetime) -> None:
    """Do nothing if the learner has flash cards already."""
    user = User.objects.filter(email=LEARNER).first()
    if user is None or PracticeCard.objects.filter(user=user, question=None).exists():
        return
    for front, back, ratings in _CARDS:
        card = learning.add_card(user=user, front=front, back=back, now=now - timedelta(days=10))
        _practice(user, card, ratings, now)
    missed = list(cards_of(user).filter(question__isnull=False).select_related("question").order_by("pk"))
    for place, card in enumerate(missed[1::2]):
        _practice(user, card, ((8, 3), (5 - place % 3, 3)), now)


def _practice(user: User, card: PracticeCard, ratings: tuple[tuple[int, int], ...], now: datetime) -> None:
    for turn, (days, rating) in enumerate(ratings):
        learning.review_card(
            user=user,
            card=card,
            key=uuid5(_NAMES, f"{card.uid} {turn}"),
            turn=turn,
            rating=rating,
            answer=None,
            reviewed_at=None,
            now=max(card.created_at, now - timedelta(days=days)),
        )
